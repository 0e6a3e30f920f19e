// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/label_values.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/encoding.h"
#include "base/text.h"
#include "codec/otlp/json_value.h"
#include "codec/pprof/mapping_keys.h"

namespace flarestack::codec::pprof {
namespace {

using model::AnyValue;

constexpr std::string_view kUnitMember = ",\"unit\":";

bool IsLinkLabel(std::string_view key) { return key == kTraceIdLabel || key == kSpanIdLabel; }

// {"doubleValue":1.5} or, with a unit, {"doubleValue":1.5,"unit":"By"}.
std::string ToJson(const model::Dictionary& dictionary, const AnyValue& value,
                   std::string_view unit) {
  std::string json;
  otlp::EncodeJsonValue(dictionary, value, &json);
  if (!unit.empty()) {
    json.pop_back();
    if (json == "{") {
      json.append("\"unit\":");
    } else {
      json.append(kUnitMember);
    }
    base::AppendJsonString(unit, &json);
    json.push_back('}');
  }
  return json;
}

// Whether a text could be taken for a value on the way back.
bool LooksLikeJsonValue(std::string_view text) {
  return text.starts_with("{") && text.ends_with("}");
}

// An array that reads back from repeated labels: two or more elements, all texts or all numbers.
bool IsRepeatable(const model::Dictionary& dictionary, const AnyValue& value) {
  if (value.kind != AnyValue::Kind::kArray || value.nodes.count < 2)
    return false;
  const auto nodes = model::In(dictionary.nodes, value.nodes);
  const auto is_text = [&](const model::KeyValue& node) { return dictionary.IsString(node.value); };
  const auto is_int = [](const model::KeyValue& node) {
    return node.value.kind == AnyValue::Kind::kInt;
  };
  return std::ranges::all_of(nodes, is_text) || std::ranges::all_of(nodes, is_int);
}

// The key that a label had before its runs were told apart: "flarestack.pprof.label.2.k" is "k".
std::string_view LabelKey(std::string_view key) {
  if (!key.starts_with(kLabelRunPrefix))
    return key;
  const std::string_view rest = key.substr(kLabelRunPrefix.size());
  const size_t digits = rest.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos || rest[digits] != '.')
    return key;
  return rest.substr(digits + 1);
}

Label NumberLabel(std::string_view key, int64_t number, std::string_view unit) {
  return {.key = key, .is_number = true, .text = {}, .number = number, .unit = unit};
}

Label TextLabel(std::string_view key, std::string_view text) {
  return {.key = key, .is_number = false, .text = text, .number = 0, .unit = {}};
}

// The value and unit that a JSON text stands for, if it was written by AppendLabels.
std::optional<AnyValue> FromJson(std::string_view key, std::string_view text,
                                 model::DictionaryBuilder* dictionary, std::string* unit) {
  std::string json(text);
  unit->clear();
  const size_t unit_at = json.rfind("\"unit\":");
  if (unit_at != std::string::npos && json.ends_with("\"}")) {
    // The unit stands last; the rest is the value.
    const std::string wrapped = "{\"stringValue\":" + json.substr(unit_at + 7);
    const auto parsed = otlp::DecodeJsonValue(wrapped, dictionary);
    if (parsed.ok() && parsed->kind == AnyValue::Kind::kString) {
      *unit = std::string(parsed->text);
      json = json.substr(0, unit_at);
      if (json.ends_with(","))
        json.pop_back();
      json.push_back('}');
    }
  }
  const auto value = otlp::DecodeJsonValue(json, dictionary);
  if (!value.ok())
    return std::nullopt;
  // A plain text, a number or a repeatable array is never written as JSON, so a text that says so
  // is just a text.
  const bool is_plain_text = value->kind == AnyValue::Kind::kString && unit->empty() &&
                             !IsLinkLabel(key) && !LooksLikeJsonValue(value->text);
  if (is_plain_text || value->kind == AnyValue::Kind::kInt ||
      (IsRepeatable(dictionary->dictionary(), *value) &&
       (unit->empty() || !dictionary->dictionary().IsString(
                             dictionary->dictionary().nodes[value->nodes.begin].value)))) {
    return std::nullopt;
  }
  if (ToJson(dictionary->dictionary(), *value, *unit) != text)
    return std::nullopt;
  return *value;
}

// The labels of each key together, keys in the order of their first label.
std::vector<std::vector<const Label*>> GroupByKey(std::span<const Label> labels) {
  std::vector<std::vector<const Label*>> groups;
  absl::flat_hash_map<std::string_view, size_t> positions;
  for (const Label& label : labels) {
    const auto [it, added] = positions.try_emplace(label.key, groups.size());
    if (added)
      groups.emplace_back();
    groups[it->second].push_back(&label);
  }
  return groups;
}

// One attribute from labels of one key, kind and unit.
model::AttributeIndex RunToAttribute(std::string_view key, std::span<const Label* const> run,
                                     model::DictionaryBuilder* dictionary) {
  const Label& first = *run[0];
  if (run.size() == 1) {
    if (first.is_number)
      return dictionary->Attribute(key, AnyValue::Int(first.number), first.unit);
    if (LooksLikeJsonValue(first.text)) {
      std::string unit;
      if (const auto meant = FromJson(first.key, first.text, dictionary, &unit);
          meant.has_value()) {
        return dictionary->Attribute(key, *meant, unit);
      }
    }
    return dictionary->Attribute(key, AnyValue::String(first.text));
  }
  std::vector<model::KeyValue> nodes;
  for (const Label* label : run) {
    nodes.push_back({.key = {},
                     .key_index = {},
                     .value = label->is_number ? AnyValue::Int(label->number)
                                               : AnyValue::String(dictionary->Keep(label->text))});
  }
  return dictionary->Attribute(key, AnyValue::Array(dictionary->Nodes(nodes)), first.unit);
}

}  // namespace

void AppendLabels(const model::Dictionary& dictionary, const model::Attribute& attribute,
                  base::Arena* arena, std::vector<Label>* out) {
  const std::string_view key = LabelKey(dictionary.Text(attribute.key));
  const std::string_view unit = dictionary.Text(attribute.unit);
  const AnyValue& value = attribute.value;
  if (value.kind == AnyValue::Kind::kInt) {
    out->push_back(NumberLabel(key, value.int_value, unit));
    return;
  }
  if (dictionary.IsString(value) && unit.empty() && !IsLinkLabel(key) &&
      !LooksLikeJsonValue(dictionary.String(value))) {
    out->push_back(TextLabel(key, dictionary.String(value)));
    return;
  }
  if (IsRepeatable(dictionary, value)) {
    const auto nodes = model::In(dictionary.nodes, value.nodes);
    const bool is_text = dictionary.IsString(nodes[0].value);
    if (!is_text || unit.empty()) {
      for (const model::KeyValue& node : nodes) {
        out->push_back(is_text ? TextLabel(key, dictionary.String(node.value))
                               : NumberLabel(key, node.value.int_value, unit));
      }
      return;
    }
  }
  out->push_back(TextLabel(key, arena->Copy(ToJson(dictionary, value, unit))));
}

void AppendAttributes(std::span<const Label> labels, model::DictionaryBuilder* dictionary,
                      std::vector<model::AttributeIndex>* out) {
  for (const std::vector<const Label*>& group : GroupByKey(labels)) {
    size_t run_count = 0;
    for (size_t begin = 0; begin < group.size();) {
      size_t end = begin + 1;
      while (end < group.size() && group[end]->is_number == group[begin]->is_number &&
             group[end]->unit == group[begin]->unit) {
        ++end;
      }
      const std::span<const Label* const> run(group.data() + begin, end - begin);
      if (++run_count == 1) {
        out->push_back(RunToAttribute(group[0]->key, run, dictionary));
      } else {
        out->push_back(RunToAttribute(base::StrCat(kLabelRunPrefix, run_count, ".", group[0]->key),
                                      run, dictionary));
      }
      begin = end;
    }
  }
}

}  // namespace flarestack::codec::pprof

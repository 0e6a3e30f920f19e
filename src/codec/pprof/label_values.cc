// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/label_values.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "codec/otlp/json/json_value.h"
#include "codec/pprof/message/mapping_keys.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec::pprof {
namespace {

using model::AnyValue;

constexpr std::string_view kUnitMember = ",\"unit\":";

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

// Whether an array can be written as repeated labels: two or more elements, all texts or all
// numbers. Only numbers have a unit there.
bool IsRepeatable(const model::Dictionary& dictionary, const AnyValue& value,
                  std::string_view unit) {
  if (value.kind != AnyValue::Kind::kArray || value.nodes.count < 2) {
    return false;
  }
  const auto nodes = model::In(dictionary.nodes, value.nodes);
  const auto is_text = [&](const model::KeyValue& node) { return dictionary.IsString(node.value); };
  const auto is_int = [](const model::KeyValue& node) {
    return node.value.kind == AnyValue::Kind::kInt;
  };
  return (unit.empty() && std::ranges::all_of(nodes, is_text)) ||
         std::ranges::all_of(nodes, is_int);
}

// Removes the run prefix from a label key: "flarestack.pprof.label.2.k" is "k".
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

struct Meaning {
  AnyValue value;
  std::string unit;
};

std::optional<Meaning> MeaningOf(std::string_view text, model::DictionaryBuilder* dictionary);

// Whether a plain text would be read back as a value.
bool CouldBeMistaken(std::string_view text) {
  if (!text.starts_with("{") || !text.ends_with("}")) {
    return false;
  }
  model::BatchBuilder scratch;
  return MeaningOf(text, &scratch.dictionary()).has_value();
}

// Whether a value is written as JSON: it is not a number, a plain text, or repeated labels.
bool IsWrittenAsJson(const model::Dictionary& dictionary, const AnyValue& value,
                     std::string_view unit) {
  if (value.kind == AnyValue::Kind::kInt) {
    return false;
  }
  if (dictionary.IsString(value)) {
    return !unit.empty() || CouldBeMistaken(dictionary.String(value));
  }
  return !IsRepeatable(dictionary, value, unit);
}

// The value that a text represents, if that value would be written as exactly this text.
std::optional<Meaning> MeaningOf(std::string_view text, model::DictionaryBuilder* dictionary) {
  std::string json(text);
  Meaning meaning;
  constexpr std::string_view kUnitName = "\"unit\":";
  const size_t unit_at = json.rfind(kUnitName);
  if (unit_at != std::string::npos) {
    // The unit is last; the text without it is the value.
    const std::string unit = "{\"stringValue\":" + json.substr(unit_at + kUnitName.size());
    const auto parsed = otlp::DecodeJsonValue(unit, dictionary);
    if (parsed.ok() && parsed->kind == AnyValue::Kind::kString) {
      meaning.unit = std::string(parsed->text);
      json.resize(unit_at);
      if (json.ends_with(",")) {
        json.pop_back();
      }
      json.push_back('}');
    }
  }
  const auto value = otlp::DecodeJsonValue(json, dictionary);
  if (!value.ok()) {
    return std::nullopt;
  }
  meaning.value = *value;
  const model::Dictionary& tables = dictionary->dictionary();
  if (!IsWrittenAsJson(tables, *value, meaning.unit) ||
      ToJson(tables, *value, meaning.unit) != text) {
    return std::nullopt;
  }
  return meaning;
}

// Groups the labels by key, in the order of the first label of each key.
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

// Makes one attribute from labels with the same key, kind and unit.
model::AttributeIndex RunToAttribute(std::string_view key, std::span<const Label* const> run,
                                     model::DictionaryBuilder* dictionary) {
  const Label& first = *run[0];
  if (run.size() == 1) {
    if (first.is_number)
      return dictionary->Attribute(key, AnyValue::Int(first.number), first.unit);
    if (first.text.starts_with("{")) {
      if (const auto meaning = MeaningOf(first.text, dictionary); meaning.has_value()) {
        return dictionary->Attribute(key, meaning->value, meaning->unit);
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
  if (IsWrittenAsJson(dictionary, value, unit)) {
    out->push_back(TextLabel(key, arena->Copy(ToJson(dictionary, value, unit))));
  } else if (value.kind == AnyValue::Kind::kInt) {
    out->push_back(NumberLabel(key, value.int_value, unit));
  } else if (dictionary.IsString(value)) {
    out->push_back(TextLabel(key, dictionary.String(value)));
  } else {
    for (const model::KeyValue& node : model::In(dictionary.nodes, value.nodes)) {
      out->push_back(node.value.kind == AnyValue::Kind::kInt
                         ? NumberLabel(key, node.value.int_value, unit)
                         : TextLabel(key, dictionary.String(node.value)));
    }
  }
}

std::string EscapeText(std::string_view text) {
  const model::Dictionary none;
  return ToJson(none, AnyValue::String(text), {});
}

void AppendAttributes(std::span<const Label> labels, model::DictionaryBuilder* dictionary,
                      std::vector<model::AttributeIndex>* out) {
  if (labels.size() == 1) {  // a typical sample has at most one label
    const Label* const only = labels.data();
    out->push_back(RunToAttribute(only->key, {&only, 1}, dictionary));
    return;
  }
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

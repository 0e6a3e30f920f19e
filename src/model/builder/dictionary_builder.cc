// SPDX-License-Identifier: Apache-2.0
#include "model/builder/dictionary_builder.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/text/text.h"
#include "model/builder/value_identity.h"

namespace flarestack::model {
namespace {

using base::Mix64;

template <typename T>
Slice Append(std::span<const T> items, std::vector<T>* pool) {
  const Slice slice = {.begin = static_cast<uint32_t>(pool->size()),
                       .count = static_cast<uint32_t>(items.size())};
  pool->insert(pool->end(), items.begin(), items.end());
  return slice;
}

}  // namespace

DictionaryBuilder::DictionaryBuilder(Dictionary* dictionary, base::Arena* arena)
    : dictionary_(*dictionary), arena_(*arena) {
  dictionary_.Clear();
  dictionary_.strings.emplace_back();
  dictionary_.functions.emplace_back();
  dictionary_.links.emplace_back();
  dictionary_.stacks.emplace_back();
  dictionary_.mappings.emplace_back();
  dictionary_.locations.emplace_back();
  dictionary_.attributes.emplace_back();
}

void DictionaryBuilder::ContinueFrom(const DictionaryBuilder& other,
                                     std::shared_ptr<const void> owner) {
  dictionary_ = other.dictionary_;
  status_ = other.status_;
  strings_ = other.strings_;
  functions_ = other.functions_;
  links_ = other.links_;
  stacks_ = other.stacks_;
  mappings_ = other.mappings_;
  locations_ = other.locations_;
  attributes_ = other.attributes_;
  if (owner != nullptr)
    arena_.Keep(std::move(owner));
}

void DictionaryBuilder::CopyText() {
  for (std::string_view& text : dictionary_.strings)
    text = Keep(text);
  for (model::Link& link : dictionary_.links)
    link = {.trace_id = Keep(link.trace_id), .span_id = Keep(link.span_id)};
  for (model::Attribute& attribute : dictionary_.attributes)
    attribute.value.text = Keep(attribute.value.text);
  for (KeyValue& node : dictionary_.nodes) {
    node.key = Keep(node.key);
    node.value.text = Keep(node.value.text);
  }
}

bool DictionaryBuilder::FailFull(std::string_view table) {
  status_ = absl::ResourceExhaustedError(
      base::StrCat("the ", table, " is full: OTLP indices end at ", kIndexMax));
  return true;
}

StringIndex DictionaryBuilder::String(std::string_view text) {
  if (text.empty() || Full(dictionary_.strings.size(), "string_table")) {
    return {};
  }
  const auto next = static_cast<uint32_t>(dictionary_.strings.size());
  const uint32_t index = strings_.FollowOrAdd(
      next, [&] { return base::Hash64(text); },
      [&](uint32_t at) { return dictionary_.strings[at] == text; });
  if (index == next) {
    dictionary_.strings.push_back(arena_.Copy(text));
  }
  return {index};
}

FunctionIndex DictionaryBuilder::Function(const model::Function& function) {
  if (function == model::Function{} || Full(dictionary_.functions.size(), "function_table")) {
    return {};
  }
  const auto hash = [&] {
    const uint64_t names = uint64_t{function.name.value} << 32 | function.system_name.value;
    const uint64_t place =
        uint64_t{function.filename.value} << 32 ^ static_cast<uint64_t>(function.start_line);
    return Mix64(names, place);
  };
  const auto next = static_cast<uint32_t>(dictionary_.functions.size());
  const uint32_t index = functions_.FollowOrAdd(
      next, hash, [&](uint32_t at) { return dictionary_.functions[at] == function; });
  if (index == next) {
    dictionary_.functions.push_back(function);
  }
  return {index};
}

LinkIndex DictionaryBuilder::Link(const model::Link& link) {
  const auto is_zero = [](std::string_view id) {
    return id.find_first_not_of('\0') == std::string_view::npos;
  };
  if ((is_zero(link.trace_id) && is_zero(link.span_id)) ||
      Full(dictionary_.links.size(), "link_table")) {
    return {};
  }
  const auto next = static_cast<uint32_t>(dictionary_.links.size());
  const auto hash = [&] { return Mix64(base::Hash64(link.trace_id), base::Hash64(link.span_id)); };
  const uint32_t index =
      links_.FollowOrAdd(next, hash, [&](uint32_t at) { return dictionary_.links[at] == link; });
  if (index == next) {
    dictionary_.links.push_back(
        {.trace_id = arena_.Copy(link.trace_id), .span_id = arena_.Copy(link.span_id)});
  }
  return {index};
}

StackIndex DictionaryBuilder::Stack(std::span<const LocationIndex> leaf_first) {
  if (leaf_first.empty() || Full(dictionary_.stacks.size(), "stack_table") ||
      Full(dictionary_.location_indices.size() + leaf_first.size(), "list of stack locations")) {
    return {};
  }
  const auto next = static_cast<uint32_t>(dictionary_.stacks.size());
  const auto hash = [&] { return base::Hash64(leaf_first.data(), leaf_first.size_bytes()); };
  const uint32_t index = stacks_.FollowOrAdd(next, hash, [&](uint32_t at) {
    return std::ranges::equal(In(dictionary_.location_indices, dictionary_.stacks[at].locations),
                              leaf_first);
  });
  if (index == next) {
    dictionary_.stacks.push_back({.locations = Append(leaf_first, &dictionary_.location_indices)});
  }
  return {index};
}

uint64_t DictionaryBuilder::HashAttributes(std::span<const AttributeIndex> attributes) const {
  uint64_t sum = 0;  // a sum, because the order of attributes is not part of the identity
  for (const AttributeIndex attribute : attributes) {
    sum += Mix64(attribute.value, 1);
  }
  return sum;
}

bool DictionaryBuilder::SameAttributes(Slice mine, std::span<const AttributeIndex> other) const {
  if (mine.count != other.size()) {
    return false;
  }
  const auto list = In(dictionary_.attribute_indices, mine);
  return std::ranges::equal(list, other) || std::ranges::is_permutation(list, other);
}

MappingIndex DictionaryBuilder::Mapping(const model::Mapping& mapping,
                                        std::span<const AttributeIndex> attributes) {
  const auto same = [&](const model::Mapping& other) {
    return other.memory_start == mapping.memory_start &&
           other.memory_limit == mapping.memory_limit && other.file_offset == mapping.file_offset &&
           other.filename == mapping.filename && SameAttributes(other.attributes, attributes);
  };
  if (same(dictionary_.mappings[0]) || Full(dictionary_.mappings.size(), "mapping_table")) {
    return {};
  }
  const auto next = static_cast<uint32_t>(dictionary_.mappings.size());
  const auto hash = [&] {
    const uint64_t range = Mix64(mapping.memory_start, mapping.memory_limit);
    const uint64_t file = Mix64(mapping.file_offset, mapping.filename.value);
    return Mix64(range, file) + HashAttributes(attributes);
  };
  const uint32_t index = mappings_.FollowOrAdd(
      next, hash, [&](uint32_t at) { return same(dictionary_.mappings[at]); });
  if (index == next) {
    dictionary_.mappings.push_back(mapping);
    dictionary_.mappings.back().attributes = AttributeList(attributes);
  }
  return {index};
}

LocationIndex DictionaryBuilder::Location(const model::Location& location,
                                          std::span<const Line> lines,
                                          std::span<const AttributeIndex> attributes) {
  const auto same = [&](const model::Location& other) {
    return other.address == location.address && other.mapping == location.mapping &&
           std::ranges::equal(In(dictionary_.lines, other.lines), lines) &&
           SameAttributes(other.attributes, attributes);
  };
  if (same(dictionary_.locations[0]) || Full(dictionary_.locations.size(), "location_table") ||
      Full(dictionary_.lines.size() + lines.size(), "list of lines")) {
    return {};
  }
  const auto hash = [&] {
    uint64_t sum = Mix64(location.address, location.mapping.value);
    for (const Line& line : lines) {
      const uint64_t place = static_cast<uint64_t>(line.line) ^ static_cast<uint64_t>(line.column)
                                                                    << 32;
      sum = Mix64(sum ^ line.function.value, place);
    }
    return sum + HashAttributes(attributes);
  };
  const auto next = static_cast<uint32_t>(dictionary_.locations.size());
  const uint32_t index = locations_.FollowOrAdd(
      next, hash, [&](uint32_t at) { return same(dictionary_.locations[at]); });
  if (index == next) {
    dictionary_.locations.push_back({.mapping = location.mapping,
                                     .address = location.address,
                                     .lines = Append(lines, &dictionary_.lines),
                                     .attributes = AttributeList(attributes)});
  }
  return {index};
}

AttributeIndex DictionaryBuilder::Attribute(StringIndex key, StringIndex unit,
                                            const Dictionary& from, const AnyValue& value) {
  if (!key && !unit && value.kind == AnyValue::Kind::kEmpty) {
    return {};
  }
  if (Full(dictionary_.attributes.size(), "attribute_table")) {
    return {};
  }
  const auto next = static_cast<uint32_t>(dictionary_.attributes.size());
  const auto hash = [&] {
    return Mix64(HashValue(from, value), uint64_t{key.value} << 32 | unit.value);
  };
  const uint32_t index = attributes_.FollowOrAdd(next, hash, [&](uint32_t at) {
    const model::Attribute& mine = dictionary_.attributes[at];
    return mine.key == key && mine.unit == unit && SameValue(dictionary_, mine.value, from, value);
  });
  if (index == next) {
    const AnyValue copy = CopyValue(from, value);
    dictionary_.attributes.push_back({.key = key, .unit = unit, .value = copy});
  }
  return {index};
}

AttributeIndex DictionaryBuilder::Attribute(std::string_view key, const AnyValue& value,
                                            std::string_view unit) {
  return Attribute(String(key), String(unit), dictionary_, value);
}

AnyValue DictionaryBuilder::CopyValue(const Dictionary& from, const AnyValue& value) {
  using Kind = AnyValue::Kind;
  AnyValue copy = value;
  switch (value.kind) {
    case Kind::kStringIndex:
    case Kind::kString:
      return AnyValue::String(arena_.Copy(from.String(value)));
    case Kind::kBytes:
      copy.text = arena_.Copy(value.text);
      return copy;
    case Kind::kArray:
    case Kind::kKeyValueList: {
      // Copy first: `from` may be this builder's dictionary, whose node pool grows below.
      const auto span = In(from.nodes, value.nodes);
      const std::vector<KeyValue> nodes(span.begin(), span.end());
      copy.nodes = CopyNodes(from, nodes, /*as_references=*/false);
      return copy;
    }
    case Kind::kEmpty:
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kDouble:
      return copy;
  }
  return copy;
}

Slice DictionaryBuilder::CopyNodes(const Dictionary& from, std::span<const KeyValue> nodes,
                                   bool as_references) {
  std::vector<KeyValue> copies;
  copies.reserve(nodes.size());
  for (const KeyValue& node : nodes) {
    KeyValue copy;
    if (as_references) {
      copy.key_index = String(from.Key(node));
      copy.value = from.IsString(node.value) ? AnyValue::Reference(String(from.String(node.value)))
                                             : CopyValue(from, node.value);
    } else {
      copy.key = arena_.Copy(from.Key(node));
      copy.value = CopyValue(from, node.value);
    }
    copies.push_back(copy);
  }
  return Nodes(copies);
}

Slice DictionaryBuilder::Nodes(std::span<const KeyValue> nodes) {
  if (Full(dictionary_.nodes.size() + nodes.size(), "list of attribute values")) {
    return {};
  }
  return Append(nodes, &dictionary_.nodes);
}

Slice DictionaryBuilder::AttributeList(std::span<const AttributeIndex> attributes) {
  if (Full(dictionary_.attribute_indices.size() + attributes.size(),
           "list of attribute references")) {
    return {};
  }
  return Append(attributes, &dictionary_.attribute_indices);
}

}  // namespace flarestack::model

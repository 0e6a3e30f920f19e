// SPDX-License-Identifier: Apache-2.0
//
// Fills the tables of a dictionary and stores each entry once. Index 0 of each table is the empty
// entry that OTLP reserves; empty content always gets index 0.
//
// Not thread-safe. Text is copied into the arena, so arguments need not outlive the call.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/memory/arena.h"
#include "model/builder/intern_table.h"
#include "model/dictionary.h"

namespace flarestack::model {

class DictionaryBuilder {
 public:
  // Both must outlive the builder. Clears the dictionary and adds its reserved entries.
  DictionaryBuilder(Dictionary* dictionary, base::Arena* arena);

  // Equal content gets the same index. Lines and attributes are passed as separate arguments, and
  // the slices in the entry are ignored. Two lists with the same attributes in a different order
  // are equal.
  StringIndex String(std::string_view text);
  FunctionIndex Function(const model::Function& function);
  LinkIndex Link(const model::Link& link);
  StackIndex Stack(std::span<const LocationIndex> leaf_first);
  MappingIndex Mapping(const model::Mapping& mapping, std::span<const AttributeIndex> attributes);
  LocationIndex Location(const model::Location& location, std::span<const Line> lines,
                         std::span<const AttributeIndex> attributes);

  // `value` belongs to `from`, which may be the dictionary of this builder.
  AttributeIndex Attribute(StringIndex key, StringIndex unit, const Dictionary& from,
                           const AnyValue& value);
  AttributeIndex Attribute(std::string_view key, const AnyValue& value, std::string_view unit = {});

  // Copies a value from another dictionary with all its nodes. Strings are stored inline (kString).
  AnyValue CopyValue(const Dictionary& from, const AnyValue& value);

  // Same for a list of attributes of a resource, scope or key-value list. If `as_references` is
  // set, strings become references, as OTLP expects in resources and scopes.
  Slice CopyNodes(const Dictionary& from, std::span<const KeyValue> nodes, bool as_references);

  // Appends the nodes unchanged to the node pool. Their text must live as long as the dictionary
  // (see Keep).
  Slice Nodes(std::span<const KeyValue> nodes);
  Slice AttributeList(std::span<const AttributeIndex> attributes);

  // Reserves space for the locations of stacks if their number can be estimated. This list is by
  // far the largest, and each reallocation briefly keeps it in memory twice.
  void ReserveStackLocations(size_t count) { dictionary_.location_indices.reserve(count); }

  // Replaces the content with that of `other`, with the same indices. Does not copy the text;
  // `owner` keeps it alive as long as this dictionary.
  void ContinueFrom(const DictionaryBuilder& other, std::shared_ptr<const void> owner);

  // Copies all text, so that this dictionary no longer depends on another one's text.
  void CopyText();

  // A copy of the text that lives as long as the dictionary.
  std::string_view Keep(std::string_view text) { return arena_.Copy(text); }

  const Dictionary& dictionary() const { return dictionary_; }

  // kResourceExhausted once a table is full (its indices are int32). The builder then returns index
  // 0, and its result must be discarded.
  const absl::Status& status() const { return status_; }

 private:
  uint64_t HashAttributes(std::span<const AttributeIndex> attributes) const;
  bool SameAttributes(Slice mine, std::span<const AttributeIndex> other) const;
  bool Full(size_t size, std::string_view table) {
    if (size <= kIndexMax) [[likely]] {
      return false;
    }
    return FailFull(table);
  }
  bool FailFull(std::string_view table);

  Dictionary& dictionary_;
  base::Arena& arena_;
  absl::Status status_;
  InternTable strings_;
  InternTable functions_;
  InternTable links_;
  InternTable stacks_;
  InternTable mappings_;
  InternTable locations_;
  InternTable attributes_;
};

}  // namespace flarestack::model

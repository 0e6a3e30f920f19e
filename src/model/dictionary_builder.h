// SPDX-License-Identifier: Apache-2.0
//
// Fills the tables of a dictionary with each content once. Index 0 of each table is the empty entry
// that OTLP reserves; asking for empty content answers index 0.
//
// Not thread-safe. Text is copied into the arena, so nothing given here needs to outlive the call.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/arena.h"
#include "model/dictionary.h"
#include "model/intern_table.h"

namespace flarestack::model {

class DictionaryBuilder {
 public:
  // Both must outlive the builder. The dictionary is emptied and gets its reserved entries.
  DictionaryBuilder(Dictionary* dictionary, base::Arena* arena);

  // Same content, same index. Where an entry has lines or attributes they are given beside it, and
  // the slices in the entry itself are ignored; two lists with the same attributes in another order
  // are the same content.
  StringIndex String(std::string_view text);
  FunctionIndex Function(const model::Function& function);
  LinkIndex Link(const model::Link& link);
  StackIndex Stack(std::span<const LocationIndex> leaf_first);
  MappingIndex Mapping(const model::Mapping& mapping, std::span<const AttributeIndex> attributes);
  LocationIndex Location(const model::Location& location, std::span<const Line> lines,
                         std::span<const AttributeIndex> attributes);

  // `value` belongs to `from`, which may be this builder's own dictionary.
  AttributeIndex Attribute(StringIndex key, StringIndex unit, const Dictionary& from,
                           const AnyValue& value);
  AttributeIndex Attribute(std::string_view key, const AnyValue& value, std::string_view unit = {});

  // A value of another dictionary, copied with all its nodes. Strings are written out (kString).
  AnyValue CopyValue(const Dictionary& from, const AnyValue& value);

  // The same for a list of attributes of a resource, scope or key-value list; strings become
  // references where `as_references` is set, as OTLP wants them in resources and scopes.
  Slice CopyNodes(const Dictionary& from, std::span<const KeyValue> nodes, bool as_references);

  // Appended to the node pool as they are; their text must live as long as the dictionary (see
  // Keep).
  Slice Nodes(std::span<const KeyValue> nodes);
  Slice AttributeList(std::span<const AttributeIndex> attributes);

  // Room for the locations of stacks, where their number can be guessed: this list is the largest
  // by far, and growing it step by step would hold it twice for a moment.
  void ReserveStackLocations(size_t count) { dictionary_.location_indices.reserve(count); }

  // Makes this one of the same content and indices as another, instead of what it has. The text is
  // not copied; `owner` keeps it alive with this dictionary.
  void ContinueFrom(const DictionaryBuilder& other, std::shared_ptr<const void> owner);

  // Copies all text, so that it does not depend on another one's any more.
  void CopyText();

  // A copy of the text that lives as long as the dictionary.
  std::string_view Keep(std::string_view text) { return arena_.Copy(text); }

  const Dictionary& dictionary() const { return dictionary_; }

  // kResourceExhausted once a table could not take another entry (its indices are int32). The
  // builder then answers index 0, and what was built must be thrown away.
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

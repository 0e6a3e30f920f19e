// SPDX-License-Identifier: Apache-2.0
//
// Translates the indices of one message's dictionary into those of a dictionary under construction.
//
//   DictionaryMerger merger(from, &builder);
//   merger.Need(sample.stack);          // everything the message refers to
//   merger.Run();
//   sample.stack = merger.Map(sample.stack);
//
// Skips unneeded entries, merges duplicates, and keeps the order of the rest. It works in two
// steps, because merging a table from start to end is faster than jumping around in it.
//
// The indices of `from` must have been checked (model/validation/validate.h). A merger is used for
// one message.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/builder/dictionary_builder.h"
#include "model/dictionary.h"

namespace flarestack::model {

class DictionaryMerger {
 public:
  DictionaryMerger(const Dictionary& from, DictionaryBuilder* to);

  void Need(StringIndex index) { strings_[index.value] = kNeeded; }
  void Need(LinkIndex index) { links_[index.value] = kNeeded; }
  void Need(AttributeIndex index) { attributes_[index.value] = kNeeded; }
  void Need(StackIndex index) { stacks_[index.value] = kNeeded; }
  void NeedAttributes(Slice slice);  // in from.attribute_indices
  void NeedEverything();

  // Copies the needed entries and everything they refer to.
  void Run();

  // Only for entries marked before Run(). Index 0 means "not set" regardless of the sender's entry
  // 0, and maps to 0.
  StringIndex Map(StringIndex index) const { return {strings_[index.value]}; }
  FunctionIndex Map(FunctionIndex index) const { return {functions_[index.value]}; }
  MappingIndex Map(MappingIndex index) const { return {mappings_[index.value]}; }
  LocationIndex Map(LocationIndex index) const { return {locations_[index.value]}; }
  LinkIndex Map(LinkIndex index) const { return {links_[index.value]}; }
  AttributeIndex Map(AttributeIndex index) const { return {attributes_[index.value]}; }
  StackIndex Map(StackIndex index) const { return {stacks_[index.value]}; }

  // The attributes of a slice of `from`, translated. The span is valid until the next call.
  std::span<const AttributeIndex> MapAttributes(Slice slice);

 private:
  // Before Run() an entry is 0 or kNeeded; afterwards it is the index in the new dictionary.
  static constexpr uint32_t kNeeded = 0xffffffff;
  using IndexMap = std::vector<uint32_t>;

  void SpreadNeeds();
  std::span<const Line> MapLines(Slice slice);
  std::span<const LocationIndex> MapStack(Slice slice);
  void CopyStringsAndAttributes();
  void CopyMappingsAndFunctions();
  void CopyLocations();
  void CopyLinksAndStacks();

  const Dictionary& from_;
  DictionaryBuilder& to_;
  IndexMap strings_;
  IndexMap functions_;
  IndexMap mappings_;
  IndexMap locations_;
  IndexMap links_;
  IndexMap attributes_;
  IndexMap stacks_;
  bool needs_everything_ = false;
  // Buffers for the list being translated. They never shrink, so that a list of one element costs
  // no bookkeeping.
  std::vector<AttributeIndex> attribute_scratch_;
  std::vector<Line> line_scratch_;
  std::vector<LocationIndex> location_scratch_;
};

}  // namespace flarestack::model

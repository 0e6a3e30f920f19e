// SPDX-License-Identifier: Apache-2.0
//
// Translates the indices of one message's dictionary into those of a dictionary under construction.
// An entry is copied when it is first asked for, so what nothing refers to is left behind, and what
// is there twice becomes one.
//
// The indices of `from` must have been checked (model/validate.h). Lives for the merge of one
// message.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/dictionary.h"
#include "model/dictionary_builder.h"

namespace flarestack::model {

class DictionaryMerger {
 public:
  DictionaryMerger(const Dictionary& from, DictionaryBuilder* to);

  StringIndex Map(StringIndex index);
  FunctionIndex Map(FunctionIndex index);
  MappingIndex Map(MappingIndex index);
  LocationIndex Map(LocationIndex index);
  LinkIndex Map(LinkIndex index);
  AttributeIndex Map(AttributeIndex index);
  StackIndex Map(StackIndex index);

  // The attributes behind a slice of `from`, translated. The span lives until the next call.
  std::span<const AttributeIndex> MapAttributes(Slice slice);

 private:
  static constexpr uint32_t kUnmapped = 0xffffffff;
  using IndexMap = std::vector<uint32_t>;

  const Dictionary& from_;
  DictionaryBuilder& to_;
  IndexMap strings_;
  IndexMap functions_;
  IndexMap mappings_;
  IndexMap locations_;
  IndexMap links_;
  IndexMap attributes_;
  IndexMap stacks_;
  std::vector<AttributeIndex> attribute_scratch_;
  std::vector<LocationIndex> location_scratch_;
  std::vector<Line> line_scratch_;
};

}  // namespace flarestack::model

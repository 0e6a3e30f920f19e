// SPDX-License-Identifier: Apache-2.0
//
// Stacks of the shop's code as entries of a dictionary: functions, lines, inlined calls, types of
// frames, and the files they come from.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "demo/code/code_tree.h"
#include "demo/shop.h"
#include "model/dictionary_builder.h"

namespace flarestack::demo {

class StackWriter {
 public:
  // The dictionary must outlive it.
  StackWriter(const Process& process, model::DictionaryBuilder* dictionary);

  // `stack` must stay where it is: equal addresses are the same stack.
  model::StackIndex Write(const WeightedStack& stack);

 private:
  // A frame of machine code and what is inlined in it.
  model::LocationIndex WriteLocation(std::span<const Frame> outermost_first);
  model::Line LineOf(const Frame& frame);

  // A file that is mapped into the process.
  struct Module {
    model::MappingIndex mapping;
    uint64_t start = 0;
  };
  const Module& ModuleOf(const Frame& frame);

  model::DictionaryBuilder& dictionary_;
  Module executable_;
  absl::flat_hash_map<std::string_view, Module> libraries_;  // and the kernel, by path
  absl::flat_hash_map<const WeightedStack*, model::StackIndex> written_;
};

}  // namespace flarestack::demo

// SPDX-License-Identifier: Apache-2.0
//
// Writes stacks of the shop's code to a dictionary: functions, lines, inlined calls, frame types,
// and the files they come from.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "demo/code/code_tree.h"
#include "demo/shop.h"
#include "model/builder/dictionary_builder.h"

namespace flarestack::demo {

class StackWriter {
 public:
  // The dictionary must outlive this object.
  StackWriter(const Process& process, model::DictionaryBuilder* dictionary);

  // `stack` must not move: stacks are identified by address.
  model::StackIndex Write(const WeightedStack& stack);

 private:
  // A native frame and the frames inlined into it.
  model::LocationIndex WriteLocation(std::span<const Frame> outermost_first);
  model::Line LineOf(const Frame& frame);

  // A file mapped into the process.
  struct Module {
    model::MappingIndex mapping;
    uint64_t start = 0;
  };
  const Module& ModuleOf(const Frame& frame);

  model::DictionaryBuilder& dictionary_;
  Module executable_;
  absl::flat_hash_map<std::string_view, Module> libraries_;  // by path; includes the kernel
  absl::flat_hash_map<const WeightedStack*, model::StackIndex> written_;
};

}  // namespace flarestack::demo

// SPDX-License-Identifier: Apache-2.0
//
// Converts recorded frames to locations of a dictionary, each built once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/builder/dictionary_builder.h"
#include "record/code/code_files.h"
#include "record/kernel/kernel_names.h"
#include "record/runtime/frame_table.h"
#include "record/trace/stack_pool.h"

namespace flarestack::record::agent {

// What frames are described with. All must outlive the writer.
struct FrameSources {
  const CodeFiles* files = nullptr;
  const runtime::FrameTable* frames = nullptr;
  KernelNames* kernel_names = nullptr;
};

class LocationWriter {
 public:
  LocationWriter(const FrameSources& sources, model::DictionaryBuilder* dictionary);

  // kAtSchedule omits the kernel frames of the context switch, for off-CPU stacks.
  enum class Leaf { kAsIs, kAtSchedule };
  model::StackIndex Stack(const RecordedStack& stack, Leaf leaf);

  // A pseudo-frame without code, for example one that describes missing frames.
  model::LocationIndex Note(std::string_view text);

 private:
  model::LocationIndex KernelFrame(uint64_t address, bool is_return_address);
  model::LocationIndex UserFrame(uint64_t word);
  model::LocationIndex CodeFrame(uint64_t word);
  model::LocationIndex NamedFrame(const runtime::NamedFrame& frame);
  model::MappingIndex MappingOfFile(uint32_t slot);
  model::MappingIndex MappingOfKernel(std::string_view module);
  model::AttributeIndex FrameType(std::string_view type);
  size_t SkipSwitch(const std::vector<uint64_t>& kernel) const;

  const CodeFiles& files_;
  const runtime::FrameTable& frames_;
  KernelNames& kernel_names_;
  model::DictionaryBuilder& dictionary_;
  absl::flat_hash_map<uint64_t, model::LocationIndex> user_frames_;
  absl::flat_hash_map<uint64_t, model::LocationIndex> kernel_frames_;  // by address * 2 + is_return
  absl::flat_hash_map<uint32_t, model::MappingIndex> mappings_;
  std::vector<model::LocationIndex> locations_;
};

// Describes how unwinding ended: "no unwind information", "return address unreadable".
std::string_view ToText(bpf::unwind_end end);

}  // namespace flarestack::record::agent

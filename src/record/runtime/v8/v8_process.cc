// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_process.h"

#include <elf.h>

#include <string_view>
#include <utility>

#include "base/status.h"

namespace flarestack::record::runtime {
namespace {

constexpr int32_t kOffsetMax = 4096;

struct Registers {
  uint8_t function = 0;
  uint8_t bytecode_array = 0;
  uint8_t bytecode_offset = 0;
  uint16_t entry_frame_bytes = 0;
};

// By DWARF number; chosen by V8 per machine, the same in all versions.
absl::StatusOr<Registers> RegistersOf(uint16_t machine) {
  if (machine == EM_X86_64) {
    // rdi, r12, r9.
    return Registers{
        .function = 5, .bytecode_array = 12, .bytecode_offset = 9, .entry_frame_bytes = 16};
  }
  if (machine == EM_AARCH64) {
    // An entry frame saves 18 callee-saved registers above the frame pointer and its return
    // address.
    return Registers{
        .function = 1, .bytecode_array = 20, .bytecode_offset = 19, .entry_frame_bytes = 20 * 8};
  }
  return absl::UnimplementedError(base::StrCat("V8 on ELF machine ", machine));
}

}  // namespace

absl::StatusOr<bpf::v8_process> MakeV8Process(const V8File& file) {
  const V8Layout& layout = file.layout;
  FLARE_ASSIGN(const Registers registers, RegistersOf(file.machine));
  bpf::v8_process process = {};
  const std::pair<uint16_t*, int32_t> slots[] = {
      {&process.slot_marker, layout.frame.context},
      {&process.slot_function, layout.frame.function},
      {&process.slot_bytecode_array, layout.frame.bytecode_array},
      {&process.slot_bytecode_offset, layout.frame.bytecode_offset},
  };
  for (const auto& [target, offset] : slots) {
    if (offset < -bpf::V8_SLOT_BYTES || offset > -8)
      return absl::InvalidArgumentError(base::StrCat("V8 frame slot at offset ", offset));
    *target = static_cast<uint16_t>(offset + bpf::V8_SLOT_BYTES);
  }
  const std::pair<uint16_t*, int32_t> numbers[] = {
      {&process.map_instance_type, layout.map_instance_type},
      {&process.function_shared, layout.function_shared},
      {&process.function_type_first, layout.type.function_first},
      {&process.function_type_last, layout.type.function_last},
      {&process.bytecode_array_type, layout.type.bytecode_array},
      {&process.bytecode_header_bytes, layout.bytecode.header_bytes},
      {&process.shared_data, layout.shared.data},
      {&process.shared_script, layout.shared.script},
      {&process.shared_length, layout.shared.length},
      {&process.shared_literal_id, layout.shared.literal_id},
  };
  for (const auto& [target, number] : numbers) {
    if (number <= 0 || number > kOffsetMax)
      return absl::InvalidArgumentError(base::StrCat("V8 offset or type ", number));
    *target = static_cast<uint16_t>(number);
  }
  process.entry_frame_bytes = registers.entry_frame_bytes;
  process.entry_marker = static_cast<uint8_t>(layout.frame.entry_type);
  process.construct_entry_marker = static_cast<uint8_t>(layout.frame.construct_entry_type);
  process.function_register = registers.function;
  process.bytecode_array_register = registers.bytecode_array;
  process.bytecode_offset_register = registers.bytecode_offset;
  return process;
}

}  // namespace flarestack::record::runtime

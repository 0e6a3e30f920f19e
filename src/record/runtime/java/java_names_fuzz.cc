// SPDX-License-Identifier: Apache-2.0
//
// Names and walks frames in arbitrary memory: the input, repeated over all addresses. Names stay
// within their limits and are valid UTF-8.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/text/encoding.h"
#include "record/runtime/java/java_names.h"
#include "record/runtime/java/java_walk.h"

namespace runtime = flarestack::record::runtime;
namespace bpf = flarestack::record::bpf;

namespace {

class RepeatedMemory final : public flarestack::record::unwind::Memory {
 public:
  explicit RepeatedMemory(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool Read(uint64_t address, std::span<std::byte> target) override {
    if (bytes_.empty() || address % 7 == 3)  // some addresses are unreadable
      return false;
    for (size_t i = 0; i < target.size(); ++i)
      target[i] = std::byte{bytes_[(address + i) % bytes_.size()]};
    return true;
  }
  bool ReadCode(uint64_t address, std::span<std::byte> target) override {
    return Read(address, target);
  }

 private:
  std::span<const uint8_t> bytes_;
};

// Offsets of JDK 17, or of JDK 25 where they differ most.
runtime::JavaProcess ProcessOf(bool is_new) {
  runtime::JavaProcess process;
  process.major = is_new ? 25 : 17;
  runtime::JavaLayout& layout = process.layout;
  bpf::java_process& frames = layout.frames;
  frames.heaps[0] = {.begin = 0x10000, .end = 0x7fffffff0000, .segment_map = 0x1000};
  frames.segment_shift = 7;
  frames.block_header_bytes = is_new ? 8 : 16;
  frames.block_used = is_new ? 4 : 8;
  frames.blob_name = is_new ? 16 : 112;
  frames.blob_header_size = is_new ? 60 : 32;
  frames.blob_frame_complete = is_new ? 62 : 36;
  frames.blob_frame_size = is_new ? 52 : 44;
  frames.blob_code = is_new ? 44 : 48;
  frames.flags = is_new ? 0 : bpf::JAVA_CODE_IS_POINTER | bpf::JAVA_ENTRY_IS_POINTER;
  frames.nmethod_bytes = is_new ? 224 : 352;
  frames.method_const = 8;
  frames.const_method_bytes = 48;
  frames.const_method_code_size = 32;
  frames.interpreter = 0x20000;
  frames.interpreter_bytes = 0x10000;
  frames.entries_end = 0x100;
  frames.interpreted_bcp = 8;
  layout.const_method_constants = 8;
  layout.const_method_flags = 28;
  layout.const_method_name = 34;
  layout.const_method_words = 24;
  layout.pool_holder = 24;
  layout.pool_length = 60;
  layout.pool_bytes = 72;
  layout.pool_source = 54;
  layout.class_name = 24;
  layout.symbol_length = 4;
  layout.symbol_body = 6;
  layout.blob_name = is_new ? 8 : 96;
  layout.nmethod_method = 80;
  layout.nmethod_compile_id = 212;
  layout.nmethod_pcs = 196;
  layout.nmethod_scopes = 200;
  if (is_new) {
    layout.nmethod_immutable = 96;
    layout.nmethod_immutable_size = 160;
    layout.blob_mutable = 16;
    layout.blob_mutable_size = 48;
    layout.blob_relocation_size = 28;
  } else {
    layout.nmethod_dependencies = 272;
    layout.nmethod_metadata = 260;
  }
  process.frames = frames;
  return process;
}

void Check(const runtime::NamedFrame& frame) {
  FLARE_CHECK(!frame.functions.empty() && frame.functions.size() <= runtime::kJavaScopesMax);
  for (const auto& function : frame.functions) {
    FLARE_CHECK(flarestack::base::IsValidUtf8(function.name));
    FLARE_CHECK(flarestack::base::IsValidUtf8(function.file));
    FLARE_CHECK(function.line >= 0 && function.start_line >= 0);
    FLARE_CHECK(function.name.size() <= 8 * runtime::kJavaNameBytesMax);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bpf::unwind_registers registers = {};
  runtime::JavaWords words = {};
  if (size < sizeof(registers) + sizeof(words) + 1)
    return 0;
  const bool is_new = data[0] % 2 == 1;
  std::memcpy(&registers, data + 1, sizeof(registers));
  std::memcpy(words.data(), data + 1 + sizeof(registers), sizeof(words));
  RepeatedMemory memory({data, size});
  const auto read = [&](uint64_t address, std::span<char> out) {
    return memory.Read(address, std::as_writable_bytes(out)) ? absl::OkStatus()
                                                             : absl::OutOfRangeError("unreadable");
  };
  const runtime::JavaProcess process = ProcessOf(is_new);
  runtime::JavaNames names(process);
  // Any words that claim to be a frame.
  words[0] = uint64_t{bpf::FRAME_JAVA} << FRAME_KIND_SHIFT |
             (words[0] & ~(uint64_t{15} << FRAME_KIND_SHIFT));
  words[1] |= uint64_t{bpf::FRAME_OPERAND} << FRAME_KIND_SHIFT;
  if (const auto named = names.Name(read, words); named.ok())
    Check(*named);
  for (int i = 0; i < 16 && runtime::HasJavaCode(process.frames, registers.pc); ++i) {
    if (runtime::StepJava(process.frames, memory, &registers, &words) != bpf::UNWIND_MORE)
      break;
    if (const auto named = names.Name(read, words); named.ok())
      Check(*named);
  }
  return 0;
}

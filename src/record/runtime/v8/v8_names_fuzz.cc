// SPDX-License-Identifier: Apache-2.0
//
// Names frames in a memory image of arbitrary bytes, and walks it: bounded, and never a crash.
//
// Input: 8 words (registers pc, sp, fp, function; the words of two frames), then the memory, which
// begins at kBase and repeats nothing: other addresses cannot be read.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "base/check.h"
#include "record/runtime/v8/v8_layout.h"
#include "record/runtime/v8/v8_names.h"
#include "record/runtime/v8/v8_process.h"
#include "record/runtime/v8/v8_walk.h"

namespace bpf = flarestack::record::bpf;
namespace runtime = flarestack::record::runtime;
namespace unwind = flarestack::record::unwind;

namespace {

constexpr uint64_t kBase = 0x10000;
constexpr size_t kHeadWords = 8;

class ImageMemory final : public unwind::Memory {
 public:
  explicit ImageMemory(std::string_view image) : image_(image) {}

  bool Read(uint64_t address, std::span<std::byte> target) override {
    if (address < kBase || address - kBase > image_.size() ||
        target.size() > image_.size() - (address - kBase))
      return false;
    std::memcpy(target.data(), image_.data() + (address - kBase), target.size());
    return true;
  }
  bool ReadCode(uint64_t address, std::span<std::byte> target) override {
    return Read(address, target);
  }

 private:
  std::string_view image_;
};

// The layout of Node.js 20, without its file.
runtime::V8File MakeFile() {
  runtime::V8File file;
  file.version = {.major = 11, .minor = 3};
  file.layout = *runtime::MakeV8Layout(
      file.version, {{"type_JSFunction__JS_FUNCTION_TYPE", 2066},
                     {"type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", 262},
                     {"type_Script__SCRIPT_TYPE", 167},
                     {"type_ScopeInfo__SCOPE_INFO_TYPE", 261},
                     {"type_BytecodeArray__BYTECODE_ARRAY_TYPE", 191},
                     {"type_Code__CODE_TYPE", 245},
                     {"type_InstructionStream__INSTRUCTION_STREAM_TYPE", 252},
                     {"type_InterpreterData__INTERPRETER_DATA_TYPE", 159},
                     {"FirstNonstringType", 128},
                     {"class_String__length__int32_t", 12},
                     {"class_SeqOneByteString__chars__char", 16},
                     {"class_ConsString__first__String", 16},
                     {"class_ConsString__second__String", 24},
                     {"class_SlicedString__parent__String", 16},
                     {"class_SlicedString__offset__SMI", 24},
                     {"class_ThinString__actual__String", 16},
                     {"class_ExternalString__resource__Object", 16},
                     {"class_SharedFunctionInfo__name_or_scope_info__Object", 16},
                     {"class_SharedFunctionInfo__script_or_debug_info__HeapObject", 32},
                     {"class_SharedFunctionInfo__length__uint16_t", 40},
                     {"class_SharedFunctionInfo__flags__int", 48},
                     {"class_JSFunction__shared__SharedFunctionInfo", 24},
                     {"class_Map__instance_type__uint16_t", 12},
                     {"class_Script__name__Object", 16},
                     {"class_Script__line_ends__Object", 56}});
  file.machine = 62;  // EM_X86_64
  file.frame_types = {"", "EntryFrame"};
  file.bytecode_sizes.assign(3 * 190, 2);
  return file;
}

void CheckFrame(const runtime::NamedFrame& frame) {
  FLARE_CHECK(!frame.functions.empty() && frame.functions.size() <= 128);
  for (const runtime::NamedFunction& function : frame.functions) {
    FLARE_CHECK(!function.name.empty() && function.name.size() <= 1024);
    FLARE_CHECK(function.file.size() <= 1024);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const runtime::V8File file = MakeFile();
  static const bpf::v8_process process = *runtime::MakeV8Process(file);
  uint64_t head[kHeadWords] = {};
  std::memcpy(head, data, std::min(size, sizeof(head)));
  const std::string_view image(reinterpret_cast<const char*>(data) + std::min(size, sizeof(head)),
                               size - std::min(size, sizeof(head)));
  ImageMemory memory(image);
  const auto read = [&](uint64_t address, std::span<char> out) {
    return memory.Read(address, std::as_writable_bytes(out)) ? absl::OkStatus()
                                                             : absl::OutOfRangeError("beyond");
  };
  runtime::V8Names names(file, process);
  const auto name = [&](const runtime::V8Words& words) {
    for (int i = 0; i < 2; ++i) {  // the second time from the caches
      const auto frame = names.Name(words, {.read = read, .address_in_file = std::nullopt});
      if (frame.ok())
        CheckFrame(*frame);
    }
  };
  name({.frame = head[4], .operand = head[5]});
  name({.frame = head[6], .operand = head[7]});
  bpf::unwind_registers registers = {.pc = head[0], .has_all = 1};
  registers.regs[bpf::REG_SP] = head[1];
  registers.regs[bpf::REG_FP] = head[2];
  registers.regs[process.function_register] = head[3];
  const runtime::V8Step step = {.process = process, .memory = memory};
  for (int i = 0; i < 64; ++i) {
    runtime::V8Words words;
    const uint64_t before = registers.regs[bpf::REG_SP];
    if (step.Walk(&registers, (head[0] & 1) != 0, &words) != bpf::UNWIND_MORE)
      break;
    FLARE_CHECK(registers.regs[bpf::REG_SP] >= before);
    name(words);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_layout.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/status.h"

namespace flarestack::record::runtime {
namespace {

constexpr uint32_t kWordBytes = sizeof(uint64_t);

// Frames are objects; the thread state points to the innermost.
PythonLayout LayoutWithFrameObjects(uint8_t minor, uint8_t last_instruction, uint32_t key) {
  PythonLayout layout;
  layout.frames.minor = minor;
  layout.frames.entry_kind = bpf::PYTHON_ENTRY_EACH;
  layout.frames.instruction_kind = bpf::PYTHON_INSTRUCTION_INDEX;
  layout.frames.instruction_shift = minor >= 10 ? 1 : 0;
  layout.frames.frame_bytes = static_cast<uint8_t>(last_instruction + kWordBytes);
  layout.frames.frame_previous = 24;
  layout.frames.frame_code = 32;
  layout.frames.frame_instruction = last_instruction;
  layout.frames.state_frame = 24;
  layout.frames.code_identity = 16;
  layout.runtime_interpreters = 32;
  layout.runtime_key = key;
  layout.interpreter_next = 0;
  layout.interpreter_threads = 8;
  layout.state_next = 8;
  layout.state_thread_id = 176;
  layout.code_file = 104;
  layout.code_name = 112;
  layout.code_lines = 120;
  layout.code_first_line = 40;
  layout.text_ascii_data = 48;
  layout.text_data = 72;
  return layout;
}

// What 3.11 and 3.12 have in common: the thread state points to a struct on the native stack, which
// points to the innermost frame.
PythonLayout LayoutWithCFrames(uint8_t minor) {
  PythonLayout layout;
  layout.frames.minor = minor;
  layout.frames.instruction_kind = bpf::PYTHON_INSTRUCTION_POINTER;
  layout.frames.frame_bytes = 72;
  layout.frames.frame_instruction = 56;
  layout.frames.has_c_frame = 1;
  layout.frames.state_frame = 56;
  layout.runtime_interpreters = 40;
  layout.interpreter_next = 0;
  layout.state_next = 8;
  layout.code_file = 112;
  layout.code_name = 120;
  layout.code_qualified_name = 128;
  layout.code_lines = 136;
  return layout;
}

PythonLayout Layout311() {
  PythonLayout layout = LayoutWithCFrames(11);
  layout.frames.entry_kind = bpf::PYTHON_ENTRY_BYTE;
  layout.frames.frame_previous = 48;
  layout.frames.frame_code = 32;
  layout.frames.frame_entry = 68;
  layout.frames.c_frame_frame = 8;
  layout.frames.code_start = 184;
  layout.frames.code_identity = 56;
  layout.runtime_key = 592;
  layout.interpreter_threads = 16;
  layout.state_thread_id = 152;
  layout.code_first_line = 72;
  layout.code_first_traceable = 168;
  layout.text_ascii_data = 48;
  layout.text_data = 72;
  return layout;
}

PythonLayout Layout312() {
  PythonLayout layout = LayoutWithCFrames(12);
  layout.frames.entry_kind = bpf::PYTHON_ENTRY_SHIM;
  layout.frames.frame_previous = 8;
  layout.frames.frame_code = 0;
  layout.frames.frame_entry = 70;
  layout.frames.c_frame_frame = 0;
  layout.frames.code_start = 192;
  layout.frames.code_identity = 52;
  layout.runtime_key = 1544;
  layout.interpreter_threads = 72;
  layout.state_thread_id = 136;
  layout.code_first_line = 68;
  layout.code_first_traceable = 176;
  layout.text_ascii_data = 40;
  layout.text_data = 56;
  return layout;
}

// Indices of the words of a description, which differ per minor version.
struct DescriptionWords {
  int minor;
  uint8_t interpreters;
  uint8_t interpreter_next;
  uint8_t interpreter_threads;
  uint8_t state_next;
  uint8_t state_frame;
  uint8_t state_thread_id;
  uint8_t frame_previous;
  uint8_t frame_code;
  uint8_t frame_instruction;
  uint8_t frame_owner;
  uint8_t frame_copy;  // 0: none
  uint8_t code_file;
  uint8_t code_name;
  uint8_t code_qualified_name;
  uint8_t code_lines;
  uint8_t code_first_line;
  uint8_t code_arguments;
  uint8_t code_start;
  uint8_t code_copies;  // 0: none
  uint8_t object_type;
  uint8_t bytes_count;
  uint8_t bytes_data;
  uint8_t text_state;
  uint8_t text_length;
  uint8_t text_ascii_data;
  uint32_t runtime_key;  // an offset, not an index; 0: the thread state is a thread-local variable
};

constexpr DescriptionWords kDescriptions[] = {
    {
        .minor = 13,
        .interpreters = 5,
        .interpreter_next = 8,
        .interpreter_threads = 9,
        .state_next = 21,
        .state_frame = 23,
        .state_thread_id = 24,
        .frame_previous = 29,
        .frame_code = 30,
        .frame_instruction = 31,
        .frame_owner = 33,
        .frame_copy = 0,
        .code_file = 35,
        .code_name = 36,
        .code_qualified_name = 37,
        .code_lines = 38,
        .code_first_line = 39,
        .code_arguments = 40,
        .code_start = 43,
        .code_copies = 0,
        .object_type = 45,
        .bytes_count = 65,
        .bytes_data = 66,
        .text_state = 68,
        .text_length = 69,
        .text_ascii_data = 70,
        .runtime_key = 2160,
    },
    {
        .minor = 14,
        .interpreters = 5,
        .interpreter_next = 8,
        .interpreter_threads = 9,
        .state_next = 24,
        .state_frame = 26,
        .state_thread_id = 27,
        .frame_previous = 32,
        .frame_code = 33,
        .frame_instruction = 34,
        .frame_owner = 36,
        .frame_copy = 38,
        .code_file = 40,
        .code_name = 41,
        .code_qualified_name = 42,
        .code_lines = 43,
        .code_first_line = 44,
        .code_arguments = 45,
        .code_start = 48,
        .code_copies = 49,
        .object_type = 51,
        .bytes_count = 75,
        .bytes_data = 76,
        .text_state = 78,
        .text_length = 79,
        .text_ascii_data = 80,
        .runtime_key = 2336,
    },
    {
        .minor = 15,
        .interpreters = 5,
        .interpreter_next = 8,
        .interpreter_threads = 9,
        .state_next = 24,
        .state_frame = 26,
        .state_thread_id = 30,
        .frame_previous = 40,
        .frame_code = 41,
        .frame_instruction = 42,
        .frame_owner = 44,
        .frame_copy = 46,
        .code_file = 48,
        .code_name = 49,
        .code_qualified_name = 50,
        .code_lines = 51,
        .code_first_line = 52,
        .code_arguments = 53,
        .code_start = 56,
        .code_copies = 57,
        .object_type = 59,
        .bytes_count = 87,
        .bytes_data = 88,
        .text_state = 90,
        .text_length = 91,
        .text_ascii_data = 92,
        .runtime_key = 0,
    },
};

// Takes offsets from a description and checks each.
class DescriptionReader {
 public:
  explicit DescriptionReader(std::span<const char> bytes) {
    std::memcpy(words_.data(), bytes.data(), std::min(bytes.size(), kPythonDescriptionBytes));
  }

  uint64_t word(size_t index) const { return words_[index]; }
  bool ok() const { return ok_; }

  // An offset below `end`, in a struct whose fields are aligned to `alignment`.
  template <typename Offset = uint32_t>
  Offset Take(uint8_t index, uint64_t end, uint32_t alignment = kWordBytes) {
    const uint64_t offset = words_[index];
    if (offset >= end || offset % alignment != 0) {
      ok_ = false;
      return 0;
    }
    return static_cast<Offset>(offset);
  }

 private:
  std::array<uint64_t, kPythonDescriptionBytes / kWordBytes> words_ = {};
  bool ok_ = true;
};

constexpr uint64_t kRuntimeEnd = 1 << 20;
constexpr uint64_t kInterpreterEnd = 1 << 20;
constexpr uint64_t kStateEnd = 4096;
constexpr uint64_t kFrameEnd = bpf::PYTHON_FRAME_BYTES;
constexpr uint64_t kCodeEnd = 1024;
constexpr uint64_t kObjectEnd = 128;

bpf::python_process TakeFrames(const DescriptionWords& at, DescriptionReader* in) {
  bpf::python_process frames = {};
  frames.minor = static_cast<uint8_t>(at.minor);
  frames.entry_kind = bpf::PYTHON_ENTRY_SHIM;
  frames.instruction_kind = bpf::PYTHON_INSTRUCTION_POINTER;
  frames.frame_previous = in->Take<uint8_t>(at.frame_previous, kFrameEnd);
  frames.frame_code = in->Take<uint8_t>(at.frame_code, kFrameEnd);
  frames.frame_instruction = in->Take<uint8_t>(at.frame_instruction, kFrameEnd);
  frames.frame_entry = in->Take<uint8_t>(at.frame_owner, kFrameEnd, 1);
  if (at.frame_copy != 0) {  // zeros in a build with GIL
    frames.frame_copy = in->Take<uint8_t>(at.frame_copy, kFrameEnd, sizeof(uint32_t));
    frames.code_copies = in->Take<uint16_t>(at.code_copies, kCodeEnd);
  }
  const uint8_t last = std::max({frames.frame_previous, frames.frame_code, frames.frame_instruction,
                                 frames.frame_entry, frames.frame_copy});
  frames.frame_bytes = static_cast<uint8_t>((last / kWordBytes + 1) * kWordBytes);
  frames.state_frame = in->Take<uint16_t>(at.state_frame, kStateEnd);
  frames.code_start = in->Take<uint16_t>(at.code_start, kCodeEnd);
  frames.code_identity = in->Take<uint16_t>(at.code_arguments, kCodeEnd, sizeof(uint32_t));
  return frames;
}

void TakeObjects(const DescriptionWords& at, DescriptionReader* in, PythonLayout* layout) {
  layout->object_type = in->Take(at.object_type, kObjectEnd);
  layout->code_file = in->Take(at.code_file, kCodeEnd);
  layout->code_name = in->Take(at.code_name, kCodeEnd);
  layout->code_qualified_name = in->Take(at.code_qualified_name, kCodeEnd);
  layout->code_lines = in->Take(at.code_lines, kCodeEnd);
  layout->code_first_line = in->Take(at.code_first_line, kCodeEnd, sizeof(uint32_t));
  layout->bytes_count = in->Take(at.bytes_count, kObjectEnd);
  layout->bytes_data = in->Take(at.bytes_data, kObjectEnd);
  layout->text_state = in->Take(at.text_state, kObjectEnd, sizeof(uint32_t));
  layout->text_length = in->Take(at.text_length, kObjectEnd);
  layout->text_ascii_data = in->Take(at.text_ascii_data, kObjectEnd);
}

}  // namespace

absl::StatusOr<PythonLayout> KnownPythonLayout(int minor) {
  switch (minor) {
    case 8:
      return LayoutWithFrameObjects(8, 104, 1392);
    case 9:
      return LayoutWithFrameObjects(9, 104, 584);
    case 10:
      return LayoutWithFrameObjects(10, 96, 584);
    case 11:
      return Layout311();
    case 12:
      return Layout312();
    default:
      return absl::UnimplementedError(
          base::StrCat("the layout of CPython 3.", minor, " is not known"));
  }
}

absl::StatusOr<PythonLayout> ReadPythonLayout(int minor, std::span<const char> description) {
  const auto* const at =
      std::find_if(std::begin(kDescriptions), std::end(kDescriptions),
                   [&](const DescriptionWords& words) { return words.minor == minor; });
  if (at == std::end(kDescriptions))
    return absl::UnimplementedError(
        base::StrCat("the self-description of CPython 3.", minor, " is not known"));
  constexpr std::string_view kCookie = "xdebugpy";
  if (description.size() < kPythonDescriptionBytes ||
      std::string_view(description.data(), kCookie.size()) != kCookie)
    return absl::UnavailableError("_PyRuntime does not begin with a description");
  DescriptionReader in(description);
  const uint64_t version = in.word(1);  // 0x030d00f0 is 3.13.0
  if (version >> 16 != (uint64_t{3} << 8 | static_cast<uint64_t>(minor)))
    return absl::InvalidArgumentError(base::StrCat("the description of CPython 3.", minor,
                                                   " has the version ", base::Hex(version)));
  PythonLayout layout;
  layout.frames = TakeFrames(*at, &in);
  layout.runtime_interpreters = in.Take(at->interpreters, kRuntimeEnd);
  layout.runtime_key = at->runtime_key;
  layout.interpreter_next = in.Take(at->interpreter_next, kInterpreterEnd);
  layout.interpreter_threads = in.Take(at->interpreter_threads, kInterpreterEnd);
  layout.state_next = in.Take(at->state_next, kStateEnd);
  layout.state_thread_id = in.Take(at->state_thread_id, kStateEnd);
  TakeObjects(*at, &in, &layout);
  // An int and a pointer precede the code, or the list of its copies. The description does not
  // contain them.
  constexpr uint16_t kBeforeEnd = 2 * kWordBytes;
  const uint16_t end =
      layout.frames.code_copies != 0 ? layout.frames.code_copies : layout.frames.code_start;
  if (!in.ok() || end < kBeforeEnd)
    return absl::InvalidArgumentError(
        base::StrCat("the description of CPython 3.", minor, " has an offset out of range"));
  layout.code_first_traceable = end - kBeforeEnd;
  layout.text_data = layout.text_ascii_data + 2 * kWordBytes;
  return layout;
}

}  // namespace flarestack::record::runtime

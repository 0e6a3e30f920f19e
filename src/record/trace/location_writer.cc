// SPDX-License-Identifier: Apache-2.0
#include "record/trace/location_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "model/frame.h"

namespace flarestack::record::agent {
namespace {

// Frames of tracing and context switching that may lie above the blocking call.
constexpr size_t kSwitchFramesMax = 16;

std::string_view AttributeKey(symbol::IdKind kind) {
  switch (kind) {
    case symbol::IdKind::kGnu:
      return "process.executable.build_id.gnu";
    case symbol::IdKind::kGo:
      return "process.executable.build_id.go";
    case symbol::IdKind::kHtlHash:
      break;
  }
  return "process.executable.build_id.htlhash";
}

// The kernel is not a file whose bytes could be hashed. Other profilers use a 128-bit FNV-1a hash
// of its build id instead; using the same hash lets their data match ours.
std::string HashOfBuildId(std::string_view build_id) {
  __extension__ using Wide = unsigned __int128;
  Wide prime = 1;
  prime = (prime << 88) + 0x13b;
  Wide hash = 0x6c62272e07bb0142;
  hash = (hash << 64) + 0x62b821756295c58d;
  for (const char letter : build_id) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= prime;
  }
  return fmt::format("{:016x}{:016x}", static_cast<uint64_t>(hash >> 64),
                     static_cast<uint64_t>(hash));
}

}  // namespace

std::string_view ToText(bpf::unwind_end end) {
  switch (end) {
    case bpf::UNWIND_UNKNOWN_PROCESS:
      return "process gone";
    case bpf::UNWIND_NO_MAPPING:
      return "no mapping";
    case bpf::UNWIND_PAGE_ABSENT:
      return "unwind table not loaded";
    case bpf::UNWIND_NO_RULE:
      return "no unwind information";
    case bpf::UNWIND_BAD_RULE:
      return "unwind information not understood";
    case bpf::UNWIND_CFA_UNREADABLE:
      return "frame unreadable";
    case bpf::UNWIND_RETURN_ADDRESS_UNREADABLE:
      return "return address unreadable";
    case bpf::UNWIND_FRAME_POINTER_UNREADABLE:
      return "frame pointer unreadable";
    case bpf::UNWIND_BAD_PC:
      return "return address is not in code";
    case bpf::UNWIND_REGISTER_LOST:
      return "register not saved";
    case bpf::UNWIND_STACK_BACKWARDS:
      return "stack goes backwards";
    case bpf::UNWIND_TOO_DEEP:
      return "too deep";
    case bpf::UNWIND_COMPAT:
      return "32-bit process";
    case bpf::UNWIND_EXEC:
      return "exec";
    case bpf::UNWIND_MORE:
    case bpf::UNWIND_COMPLETE:
    case bpf::UNWIND_NO_USER_STACK:
    case bpf::UNWIND_END_COUNT:
      break;
  }
  return "";
}

LocationWriter::LocationWriter(const FrameSources& sources, model::DictionaryBuilder* dictionary)
    : files_(*sources.files),
      frames_(*sources.frames),
      kernel_names_(*sources.kernel_names),
      dictionary_(*dictionary) {}

model::StackIndex LocationWriter::Stack(const RecordedStack& stack, Leaf leaf) {
  locations_.clear();
  const std::vector<uint64_t>& kernel = stack.kernel();
  const size_t first = leaf == Leaf::kAtSchedule ? SkipSwitch(kernel) : 0;
  for (size_t i = first; i < kernel.size(); ++i)
    locations_.push_back(KernelFrame(kernel[i], /*is_return_address=*/i > 0));
  for (const uint64_t word : stack.user())
    locations_.push_back(UserFrame(word));
  if (stack.end() == bpf::UNWIND_EXEC)
    locations_.push_back(Note("[exec]"));
  else if (const std::string_view why = ToText(stack.end()); !why.empty())
    locations_.push_back(Note(base::StrCat("[truncated: ", why, "]")));
  return dictionary_.Stack(locations_);
}

size_t LocationWriter::SkipSwitch(const std::vector<uint64_t>& kernel) const {
  for (size_t i = 0; i < std::min(kernel.size(), kSwitchFramesMax); ++i) {
    const auto function = kernel_names_.Find(kernel[i] - (i > 0 ? 1 : 0));
    if (function && function->name == "__schedule")
      return i;
  }
  return 0;
}

model::LocationIndex LocationWriter::Note(std::string_view text) {
  const model::Line line = {.function = dictionary_.Function({.name = dictionary_.String(text)})};
  return dictionary_.Location({}, {&line, 1}, {});
}

model::LocationIndex LocationWriter::KernelFrame(uint64_t address, bool is_return_address) {
  const auto [place, is_new] =
      kernel_frames_.try_emplace(address * 2 + (is_return_address ? 1 : 0));
  if (!is_new)
    return place->second;
  const uint64_t call = address - (is_return_address ? 1 : 0);
  const model::AttributeIndex type = FrameType("kernel");
  const auto function = kernel_names_.Find(call);
  const model::Location location = {
      .mapping = MappingOfKernel(function ? function->module : std::string_view()),
      .address = call};
  std::vector<model::Line> lines;
  if (function) {
    lines.push_back({.function = dictionary_.Function(
                         {.name = dictionary_.String(base::ToValidUtf8(function->name))})});
  }
  place->second = dictionary_.Location(location, lines, {&type, 1});
  return place->second;
}

model::LocationIndex LocationWriter::UserFrame(uint64_t word) {
  const auto [place, is_new] = user_frames_.try_emplace(word);
  if (!is_new)
    return place->second;
  switch (word >> FRAME_KIND_SHIFT) {
    case bpf::FRAME_OMITTED:
      return place->second = Note("[frames omitted]");
    case bpf::FRAME_REST:
      return place->second = Note("[native frames missing]");
    case bpf::FRAME_NAMED:
      return place->second = NamedFrame(frames_.Get(word));
    default:
      return place->second = CodeFrame(word);
  }
}

model::LocationIndex LocationWriter::NamedFrame(const runtime::NamedFrame& frame) {
  const model::AttributeIndex type = FrameType(frame.type);
  std::vector<model::Line> lines;
  for (const runtime::NamedFunction& function : frame.functions) {
    const model::StringIndex name = dictionary_.String(function.name);
    lines.push_back(
        {.function = dictionary_.Function({.name = name,
                                           .system_name = name,
                                           .filename = dictionary_.String(function.file),
                                           .start_line = function.start_line}),
         .line = function.line,
         .column = function.column});
  }
  return dictionary_.Location({}, lines, {&type, 1});
}

// A frame of machine code.
model::LocationIndex LocationWriter::CodeFrame(uint64_t word) {
  const bool is_in_file = (word >> FRAME_KIND_SHIFT) == bpf::FRAME_IN_FILE;
  const uint64_t address = word & (is_in_file ? FRAME_FILE_ADDRESS_MASK : FRAME_ADDRESS_MASK);
  model::Location location = {.address = address - ((word & FRAME_RETURN_ADDRESS) != 0 ? 1 : 0)};
  std::string_view type = "native";
  if (is_in_file) {
    const auto slot = static_cast<uint32_t>((word >> FRAME_FILE_SHIFT) & FRAME_FILE_MASK);
    location.mapping = MappingOfFile(slot);
    if (files_.Has(slot) && files_.file(slot).is_go)
      type = "go";
  }
  std::vector<model::AttributeIndex> attributes = {FrameType(type)};
  if (is_in_file && (word & FRAME_INTERNAL) != 0)
    attributes.push_back(
        dictionary_.Attribute(model::kInternalFrameKey, model::AnyValue::Bool(true)));
  std::vector<model::Line> lines;
  if (!is_in_file)  // JIT-compiled code: its addresses mean nothing outside the process
    lines.push_back({.function = dictionary_.Function({.name = dictionary_.String("[jit]")})});
  return dictionary_.Location(location, lines, attributes);
}

model::MappingIndex LocationWriter::MappingOfFile(uint32_t slot) {
  const auto [place, is_new] = mappings_.try_emplace(slot);
  if (!is_new || !files_.Has(slot))
    return place->second;
  const CodeFile& file = files_.file(slot);
  std::vector<model::AttributeIndex> ids;
  for (const symbol::FileId& id : file.module.ids) {
    ids.push_back(dictionary_.Attribute(AttributeKey(id.kind), model::AnyValue::String(id.text)));
  }
  place->second = dictionary_.Mapping(
      {.memory_start = file.code_begin,
       .memory_limit = file.code_end,
       .file_offset = file.addresses.AddressToOffset(file.code_begin).value_or(0),
       .filename = dictionary_.String(base::ToValidUtf8(file.path))},
      ids);
  return place->second;
}

model::MappingIndex LocationWriter::MappingOfKernel(std::string_view module) {
  const std::string name = module.empty() ? "[kernel]" : base::StrCat("[", module, "]");
  std::vector<model::AttributeIndex> ids;
  if (const std::string& build_id = kernel_names_.build_id(); !build_id.empty()) {
    if (module.empty()) {
      ids.push_back(dictionary_.Attribute(AttributeKey(symbol::IdKind::kGnu),
                                          model::AnyValue::String(build_id)));
    }
    // Kernel modules and BPF programs have no file that we could hash, and every mapping needs an
    // id.
    ids.push_back(dictionary_.Attribute(
        AttributeKey(symbol::IdKind::kHtlHash),
        model::AnyValue::String(HashOfBuildId(base::StrCat(build_id, module)))));
  }
  return dictionary_.Mapping({.filename = dictionary_.String(name)}, ids);
}

model::AttributeIndex LocationWriter::FrameType(std::string_view type) {
  return dictionary_.Attribute("profile.frame.type", model::AnyValue::String(type));
}

}  // namespace flarestack::record::agent

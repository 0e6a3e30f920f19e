// SPDX-License-Identifier: Apache-2.0
#include "codec/perfscript/frame_collector.h"

#include <algorithm>
#include <array>

#include "base/text/encoding.h"
#include "codec/format/stack_table.h"

namespace flarestack::codec::perfscript {
namespace {

// The upper half of the address space belongs to the kernel on both x86-64 and arm64.
constexpr uint64_t kKernelAddressMin = 0xffff000000000000;

// Names in brackets are kernel modules, except for these.
constexpr std::array<std::string_view, 6> kUserAreas = {"[vdso]",  "[vsyscall]", "[heap]",
                                                        "[stack]", "[anon]",     "[uprobes]"};

bool IsKernelDso(std::string_view dso) {
  if (dso.starts_with('[')) {
    return std::ranges::find(kUserAreas, dso) == kUserAreas.end() && !dso.starts_with("[JIT]") &&
           !dso.starts_with("[anon:") && !dso.starts_with("[stack:");
  }
  const size_t dot = dso.rfind(".ko");
  return dso.starts_with("bpf_prog_") ||
         (dot != std::string_view::npos && (dot + 3 == dso.size() || dso[dot + 3] == '.'));
}

}  // namespace

std::string_view FrameTypeOf(const FrameLine& frame) {
  const bool is_user_area = std::ranges::find(kUserAreas, frame.dso) != kUserAreas.end();
  if (IsKernelDso(frame.dso) || (!is_user_area && frame.address.value_or(0) >= kKernelAddressMin)) {
    return "kernel";
  }
  if (frame.symbol.starts_with("py::")) {
    return "cpython";
  }
  // By convention, only symbols of a JIT map have these shapes.
  const bool is_jit =
      frame.dso.starts_with("[JIT]") ||
      (frame.dso.find("/perf-") != std::string_view::npos && frame.dso.ends_with(".map")) ||
      frame.dso.find("/jitted-") != std::string_view::npos;
  if (is_jit && (frame.symbol.starts_with("JS:") || frame.symbol.starts_with("LazyCompile:"))) {
    return "v8js";
  }
  if (is_jit && frame.symbol.starts_with('L') &&
      frame.symbol.find(";::") != std::string_view::npos) {
    return "jvm";
  }
  return "native";
}

FrameCollector::FrameCollector(model::DictionaryBuilder* dictionary, base::Warnings* warnings)
    : dictionary_(*dictionary), warnings_(*warnings) {}

bool FrameCollector::AddSource(const SourceLine& source) {
  if (frames_.empty()) {
    return false;
  }
  frames_.back().source = source;
  frames_.back().frame.is_inlined = frames_.back().frame.is_inlined || source.is_inlined;
  return true;
}

model::StringIndex FrameCollector::Text(std::string_view text) {
  if (base::IsValidUtf8(text)) {
    return dictionary_.String(text);
  }
  const std::string valid = base::ToValidUtf8(text);
  warnings_.Add("text that is not UTF-8", valid);
  return dictionary_.String(valid);
}

void FrameCollector::AppendLine(const Collected& collected) {
  model::Function function;
  const bool has_address = collected.frame.address.value_or(0) != 0;
  if (!collected.frame.symbol.empty()) {
    function.name = Text(collected.frame.symbol);
  } else if (!has_address) {
    function.name = dictionary_.String(kUnknownFrame);
  } else if (collected.source.file.empty() && lines_.empty()) {
    return;  // an address without a symbol has no line; a symbolizer can still find it
  }
  function.filename = Text(collected.source.file);
  lines_.push_back({.function = dictionary_.Function(function), .line = collected.source.line});
}

void FrameCollector::AppendLocation(const Collected& physical) {
  model::Mapping mapping;
  mapping.filename = Text(physical.frame.dso);
  model::Location location;
  location.mapping = dictionary_.Mapping(mapping, {});
  location.address = physical.frame.address.value_or(0);
  const model::AttributeIndex type = dictionary_.Attribute(
      "profile.frame.type", model::AnyValue::String(FrameTypeOf(physical.frame)));
  locations_.push_back(dictionary_.Location(location, lines_, {&type, 1}));
  lines_.clear();
}

// An inlined frame belongs to the physical frame printed after it. perf can also mark a frame whose
// caller it lost; then the addresses differ.
bool FrameCollector::IsInlinedInto(const Collected& collected, const Collected& next) const {
  return collected.frame.is_inlined && collected.frame.address == next.frame.address;
}

model::StackIndex FrameCollector::TakeStack() {
  locations_.clear();
  for (size_t i = 0; i < frames_.size(); ++i) {
    AppendLine(frames_[i]);
    if (i + 1 == frames_.size() || !IsInlinedInto(frames_[i], frames_[i + 1])) {
      AppendLocation(frames_[i]);
    }
  }
  frames_.clear();
  return dictionary_.Stack(locations_);
}

}  // namespace flarestack::codec::perfscript

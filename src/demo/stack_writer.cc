// SPDX-License-Identifier: Apache-2.0
#include "demo/stack_writer.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"

namespace flarestack::demo {
namespace {

constexpr uint64_t kExecutableStart = 0x400000;
constexpr uint64_t kKernelStart = 0xffffffff81000000;
constexpr uint64_t kMappingBytes = 0x800000;

model::MappingIndex AddMapping(uint64_t start, std::string_view file, const std::string& build_id,
                               model::DictionaryBuilder* dictionary) {
  const model::AttributeIndex id =
      dictionary->Attribute("process.executable.build_id.gnu", model::AnyValue::String(build_id));
  return dictionary->Mapping({.memory_start = start,
                              .memory_limit = start + kMappingBytes,
                              .filename = dictionary->String(file)},
                             {&id, 1});
}

// Code that a runtime makes lies in no file.
bool IsMadeAtRunTime(std::string_view type) { return type == "v8js" || type == "jvm"; }

}  // namespace

StackWriter::StackWriter(const Process& process, model::DictionaryBuilder* dictionary)
    : dictionary_(*dictionary),
      executable_(AddMapping(kExecutableStart, FactsOf(process.service).executable,
                             BuildIdOf(process), dictionary)),
      kernel_(AddMapping(kKernelStart, "[kernel.kallsyms]",
                         "c4d1a2b3e5f60718293a4b5c6d7e8f9001122334", dictionary)) {}

model::Line StackWriter::LineOf(const Frame& frame) {
  return {.function = dictionary_.Function({.name = dictionary_.String(frame.function),
                                            .filename = dictionary_.String(frame.file)}),
          .line = frame.line};
}

model::LocationIndex StackWriter::WriteLocation(std::span<const Frame> outermost_first) {
  const Frame& frame = outermost_first.front();
  std::vector<model::Line> lines;
  uint64_t place = 0;
  for (size_t i = outermost_first.size(); i-- > 0;) {
    lines.push_back(LineOf(outermost_first[i]));
    place = base::Hash64(base::StrCat(place, outermost_first[i].function, outermost_first[i].line));
  }
  model::Location location;
  if (!IsMadeAtRunTime(frame.type)) {
    const bool is_kernel = frame.type == "kernel";
    location.mapping = is_kernel ? kernel_ : executable_;
    location.address = (is_kernel ? kKernelStart : kExecutableStart) + place % kMappingBytes;
  }
  const model::AttributeIndex type =
      dictionary_.Attribute("profile.frame.type", model::AnyValue::String(frame.type));
  return dictionary_.Location(location, lines, {&type, 1});
}

model::StackIndex StackWriter::Write(const WeightedStack& stack) {
  const auto [entry, is_new] = written_.try_emplace(&stack);
  if (!is_new)
    return entry->second;
  std::vector<model::LocationIndex> locations;
  const std::span<const Frame> frames(stack.root_first);
  for (size_t begin = 0; begin < frames.size();) {
    size_t end = begin + 1;
    while (end < frames.size() && frames[end].is_inlined)
      ++end;
    locations.push_back(WriteLocation(frames.subspan(begin, end - begin)));
    begin = end;
  }
  std::ranges::reverse(locations);
  entry->second = dictionary_.Stack(locations);
  return entry->second;
}

}  // namespace flarestack::demo

// SPDX-License-Identifier: Apache-2.0
#include "demo/stack_writer.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text/text.h"

namespace flarestack::demo {
namespace {

constexpr uint64_t kExecutableStart = 0x400000;
constexpr uint64_t kLibrariesStart = 0x7f2a40000000;
constexpr uint64_t kKernelStart = 0xffffffff81000000;
constexpr uint64_t kMappingBytes = 0x800000;

model::MappingIndex AddMapping(uint64_t start, std::string_view file, const std::string& build_id,
                               model::DictionaryBuilder* dictionary) {
  const std::string hash = base::HashContent(build_id).ToHex();
  const model::AttributeIndex ids[] = {
      dictionary->Attribute("process.executable.build_id.gnu", model::AnyValue::String(build_id)),
      dictionary->Attribute("process.executable.build_id.htlhash", model::AnyValue::String(hash))};
  return dictionary->Mapping({.memory_start = start,
                              .memory_limit = start + kMappingBytes,
                              .filename = dictionary->String(file)},
                             ids);
}

// Maps a source file of native code to its library, by path prefix. All other files belong to the
// executable.
struct LibraryOf {
  std::string_view sources;
  std::string_view path;
};

constexpr std::string_view kKernel = "[kernel.kallsyms]";
constexpr std::string_view kLibc = "/usr/lib/x86_64-linux-gnu/libc.so.6";
constexpr std::string_view kBlas = "/usr/lib/x86_64-linux-gnu/libopenblas.so.0";
constexpr LibraryOf kLibraries[] = {
    {"sysdeps/", kLibc},
    {"malloc/", kLibc},
    {"nptl/", kLibc},
    {"csu/", kLibc},
    {"libstdc++-v3/", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"},
    {"libgcc/", "/usr/lib/x86_64-linux-gnu/libgcc_s.so.1"},
    {"fmt/", "/usr/lib/x86_64-linux-gnu/libfmt.so.9"},
    {"google/protobuf/", "/usr/lib/x86_64-linux-gnu/libprotobuf.so.32"},
    {"src/hotspot/", "/usr/lib/jvm/java-21-openjdk-amd64/lib/server/libjvm.so"},
    {"src/java.base/", "/usr/lib/jvm/java-21-openjdk-amd64/lib/libnio.so"},
    {"numpy/", "/usr/lib/python3/dist-packages/numpy/core/_multiarray_umath.so"},
    {"interface/", kBlas},
    {"driver/", kBlas},
    {"kernel/x86_64/", kBlas}};

// Returns an empty path for the executable.
std::string_view LibraryPath(const Frame& frame) {
  if (frame.type == "kernel")
    return kKernel;
  for (const LibraryOf& library : kLibraries) {
    if (frame.type == "native" && frame.file.starts_with(library.sources))
      return library.path;
  }
  return {};
}

// Code that a runtime compiles or interprets is not in a mapped file.
bool IsMadeAtRunTime(std::string_view type) {
  return type == "v8js" || type == "jvm" || type == "cpython";
}

}  // namespace

StackWriter::StackWriter(const Process& process, model::DictionaryBuilder* dictionary)
    : dictionary_(*dictionary),
      executable_{AddMapping(kExecutableStart, FactsOf(process.service).executable,
                             BuildIdOf(process), dictionary),
                  kExecutableStart} {}

const StackWriter::Module& StackWriter::ModuleOf(const Frame& frame) {
  const std::string_view path = LibraryPath(frame);
  if (path.empty())
    return executable_;
  const auto [entry, is_new] = libraries_.try_emplace(path);
  if (is_new) {
    const auto row = std::ranges::find(kLibraries, path, &LibraryOf::path) - std::begin(kLibraries);
    const uint64_t place = static_cast<uint64_t>(row) * kMappingBytes;
    const uint64_t start = path == kKernel ? kKernelStart : kLibrariesStart + place;
    entry->second = {AddMapping(start, path, base::HashContent(path).ToHex(), &dictionary_), start};
  }
  return entry->second;
}

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
    const Module& module = ModuleOf(frame);
    location.mapping = module.mapping;
    location.address = module.start + place % kMappingBytes;
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

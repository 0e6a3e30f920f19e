// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/perf_map/jit_names.h"

#include <algorithm>
#include <string_view>

#include "base/text/encoding.h"
#include "record/runtime/perf_map/jit_name.h"

namespace flarestack::record::runtime {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kReadPause{50};
// Between two searches for a file that does not exist.
constexpr milliseconds kMapPauseFirst{100};
constexpr milliseconds kMapPauseMax{10'000};
constexpr milliseconds kDumpPauseFirst{1000};
constexpr milliseconds kDumpPauseMax{60'000};

NamedFrame FrameOf(const elf::JitDump& dump, const elf::JitCode& code, uint64_t address) {
  NamedFrame frame = NameJitFrame(code.function->name);
  const elf::JitLine* const line = dump.FindLine(code, address);
  if (line == nullptr || line->line == 0)
    return frame;
  NamedFunction& function = frame.functions.front();
  // Lines of inlined functions are in other files, and the function's own name would be wrong
  // there.
  const bool is_same_file = function.file.empty() || *line->file == function.file;
  if (!is_same_file)
    return frame;
  function.file = base::ToValidUtf8(*line->file);
  function.line = line->line;
  function.column = line->column;
  return frame;
}

}  // namespace

std::optional<NamedFrame> JitNames::Find(const Query& query) {
  if (query.time_ns >= read_at_ns_ && query.now >= next_read_)
    Refresh(query.now);
  if (const elf::JitCode* const code = dump_.Find(query.address, query.time_ns); code != nullptr)
    return FrameOf(dump_.dump(), *code, query.address);
  if (const std::string_view name = map_.Find(query.address); !name.empty())
    return NameJitFrame(name);
  return std::nullopt;
}

void JitNames::Refresh(Time now) {
  next_read_ = now + kReadPause;
  read_at_ns_ = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count());
  RefreshDump(now);
  RefreshMap(now);
}

void JitNames::RefreshDump(Time now) {
  if (!dump_.is_found() && now < next_dump_)
    return;
  if ((dump_.is_found() || dump_.Look().ok()) && dump_.Refresh().ok()) {
    dump_pause_ = milliseconds(0);
    return;
  }
  dump_pause_ = std::clamp(dump_pause_ * 2, kDumpPauseFirst, kDumpPauseMax);
  next_dump_ = now + dump_pause_;
}

void JitNames::RefreshMap(Time now) {
  if (now < next_map_)
    return;
  if (map_.Refresh().ok()) {
    map_pause_ = milliseconds(0);
    return;
  }
  map_pause_ = std::clamp(map_pause_ * 2, kMapPauseFirst, kMapPauseMax);
  next_map_ = now + map_pause_;
}

}  // namespace flarestack::record::runtime

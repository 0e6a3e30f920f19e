// SPDX-License-Identifier: Apache-2.0
#include "elf/jit/jitdump.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "base/status.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

using base::StrCat;

constexpr uint32_t kMagic = 0x4A695444;
constexpr uint32_t kMagicSwapped = 0x4454694A;
constexpr uint32_t kVersion = 1;
constexpr uint64_t kHeaderBytesMin = 40;
constexpr uint32_t kRecordHeaderBytes = 16;
constexpr std::string_view kSameFile = "\xff";

enum RecordId : uint32_t { kLoad = 0, kMove = 1, kDebugInfo = 2, kClose = 3 };

struct Lines {
  uint32_t begin = 0;
  uint32_t end = 0;
};

absl::Status Bad(uint64_t offset, std::string_view what) {
  return absl::InvalidArgumentError(StrCat("jitdump record at byte ", offset, ": ", what));
}

}  // namespace

// Collects loads and moves in file order, then replays them in time order.
class JitDumpReader {
 public:
  absl::StatusOr<JitDump> Read(std::string_view bytes) {
    ByteCursor in(bytes);
    FLARE_RETURN_IF_ERROR(ReadHeader(in));
    while (!in.AtEnd()) {
      const uint64_t offset = in.position();
      const uint32_t id = in.U32();
      const uint32_t size = in.U32();
      const uint64_t time = in.U64();
      if (in.ok() && size < kRecordHeaderBytes)
        return Bad(offset, StrCat("a size of ", size, " bytes"));
      const std::string_view body = in.Take(size - kRecordHeaderBytes);
      if (!in.ok()) {
        dump_.is_cut_short_ = true;
        break;
      }
      if (id == kClose)
        break;
      FLARE_RETURN_IF_ERROR(ReadRecord({.id = id, .time = time, .offset = offset, .body = body}));
    }
    Play();
    return std::move(dump_);
  }

 private:
  struct Record {
    uint32_t id = 0;
    uint64_t time = 0;
    uint64_t offset = 0;
    std::string_view body;
  };

  // A load, or a move of the code with this index.
  struct Event {
    JitCode code;
    bool is_move = false;
  };

  absl::Status ReadHeader(ByteCursor& in) {
    const uint32_t magic = in.U32();
    if (in.ok() && magic == kMagicSwapped)
      return absl::UnimplementedError("a big-endian jitdump; only little-endian files are read");
    if (!in.ok() || magic != kMagic)
      return absl::InvalidArgumentError("not a jitdump");
    const uint32_t version = in.U32();
    const uint32_t header_bytes = in.U32();
    dump_.elf_machine_ = in.U32();
    in.U32();  // padding
    dump_.process_id_ = in.U32();
    in.U64();  // creation time
    dump_.has_counter_times_ = (in.U64() & 1) != 0;
    if (in.ok() && version != kVersion)
      return absl::UnimplementedError(
          StrCat("a jitdump of version ", version, ", only 1 is known"));
    if (!in.ok() || header_bytes < kHeaderBytesMin)
      return absl::InvalidArgumentError("the header of the jitdump is cut short");
    in.SeekTo(header_bytes);
    if (!in.ok())
      return absl::InvalidArgumentError("the header of the jitdump is cut short");
    return absl::OkStatus();
  }

  absl::Status ReadRecord(const Record& record) {
    switch (record.id) {
      case kLoad:
        return ReadLoad(record);
      case kMove:
        return ReadMove(record);
      case kDebugInfo:
        return ReadDebugInfo(record);
      default:
        return absl::OkStatus();  // unwind information, and future record types
    }
  }

  absl::Status ReadLoad(const Record& record) {
    ByteCursor in(record.body);
    in.U32();  // process
    in.U32();  // thread
    in.U64();  // virtual address, same as the code's
    Event event;
    JitCode& code = event.code;
    code.begin = in.U64();
    const uint64_t size_bytes = in.U64();
    code.code_index = in.U64();
    code.name = in.Text();
    code.code = in.Take(size_bytes);
    code.loaded_at = record.time;
    if (!in.ok() || __builtin_add_overflow(code.begin, size_bytes, &code.end))
      return Bad(record.offset, "a load that is damaged");
    // Line records precede the code they describe.
    if (const auto found = pending_lines_.find(code.begin); found != pending_lines_.end()) {
      code.lines_begin = found->second.begin;
      code.lines_end = found->second.end;
      pending_lines_.erase(found);
    }
    return AddEvent(event, record);
  }

  absl::Status ReadMove(const Record& record) {
    ByteCursor in(record.body);
    in.U32();  // process
    in.U32();  // thread
    in.U64();  // virtual address
    in.U64();  // old address; the index identifies the code
    Event event = {.is_move = true};
    event.code.begin = in.U64();
    const uint64_t size_bytes = in.U64();
    event.code.code_index = in.U64();
    event.code.loaded_at = record.time;
    if (!in.ok() || __builtin_add_overflow(event.code.begin, size_bytes, &event.code.end))
      return Bad(record.offset, "a move that is damaged");
    return AddEvent(event, record);
  }

  absl::Status AddEvent(const Event& event, const Record& record) {
    if (event.code.begin == event.code.end)
      return absl::OkStatus();  // ignore empty code
    if (events_.size() == JitDump::kCodesMax) {
      return absl::ResourceExhaustedError(StrCat("jitdump record at byte ", record.offset,
                                                 ": more than ", JitDump::kCodesMax, " functions"));
    }
    events_.push_back(event);
    return absl::OkStatus();
  }

  absl::Status ReadDebugInfo(const Record& record) {
    ByteCursor in(record.body);
    const uint64_t code_address = in.U64();
    const uint64_t count = in.U64();
    Lines lines = {.begin = static_cast<uint32_t>(dump_.lines_.size())};
    std::string_view file;
    for (uint64_t i = 0; i < count && in.ok(); ++i) {
      JitLine line;
      line.offset = in.U64() - code_address;
      line.line = static_cast<uint32_t>(std::max(in.Number<int32_t>(), 0));
      line.discriminator = in.U32();
      line.file = in.Text();
      if (line.file == kSameFile)
        line.file = file;
      file = line.file;
      if (!in.ok())
        break;
      if (dump_.lines_.size() == JitDump::kLinesMax) {
        return absl::ResourceExhaustedError(StrCat("jitdump record at byte ", record.offset,
                                                   ": more than ", JitDump::kLinesMax, " lines"));
      }
      dump_.lines_.push_back(line);
    }
    if (!in.ok())
      return Bad(record.offset, "debug information that is damaged");
    lines.end = static_cast<uint32_t>(dump_.lines_.size());
    std::stable_sort(dump_.lines_.begin() + lines.begin, dump_.lines_.end(),
                     [](const JitLine& a, const JitLine& b) { return a.offset < b.offset; });
    pending_lines_[code_address] = lines;
    return absl::OkStatus();
  }

  // Threads write their records with some delay, so the file is only nearly in order.
  void Play() {
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return a.code.loaded_at < b.code.loaded_at;
    });
    for (Event& event : events_) {
      JitCode code = event.code;
      if (event.is_move && !TakeFromBefore(&code))
        continue;
      EndOverlapping(code);
      code.replaced_at = UINT64_MAX;
      by_address_[code.begin] = dump_.codes_.size();
      by_index_[code.code_index] = dump_.codes_.size();
      dump_.codes_.push_back(code);
    }
    Sort();
  }

  // Ends the moved code at its old address and copies the fields that a move record does not
  // repeat.
  bool TakeFromBefore(JitCode* moved) {
    const auto found = by_index_.find(moved->code_index);
    if (found == by_index_.end())
      return false;
    JitCode& before = dump_.codes_[found->second];
    moved->name = before.name;
    moved->code = before.code.substr(0, moved->end - moved->begin);
    moved->lines_begin = before.lines_begin;
    moved->lines_end = before.lines_end;
    if (before.replaced_at == UINT64_MAX)
      End(before.begin, moved->loaded_at);
    return true;
  }

  void End(uint64_t begin, uint64_t time) {
    const auto found = by_address_.find(begin);
    dump_.codes_[found->second].replaced_at = time;
    by_address_.erase(found);
  }

  // New code ends all code that it overlaps, even partly.
  void EndOverlapping(const JitCode& code) {
    auto at = by_address_.lower_bound(code.begin);
    if (at != by_address_.begin() && dump_.codes_[std::prev(at)->second].end > code.begin)
      --at;
    while (at != by_address_.end() && at->first < code.end) {
      dump_.codes_[at->second].replaced_at = code.loaded_at;
      at = by_address_.erase(at);
    }
  }

  void Sort() {
    std::vector<JitCode>& codes = dump_.codes_;
    // Replaced within the same tick: no sample can refer to it.
    std::erase_if(codes, [](const JitCode& c) { return c.replaced_at <= c.loaded_at; });
    std::sort(codes.begin(), codes.end(), [](const JitCode& a, const JitCode& b) {
      return std::tie(a.begin, a.loaded_at) < std::tie(b.begin, b.loaded_at);
    });
    uint64_t end_max = 0;
    for (const JitCode& code : codes) {
      end_max = std::max(end_max, code.end);
      dump_.ends_max_.push_back(end_max);
    }
  }

  JitDump dump_;
  std::vector<Event> events_;
  absl::flat_hash_map<uint64_t, Lines> pending_lines_;  // by the address of the code
  std::map<uint64_t, size_t> by_address_;               // the current code
  absl::flat_hash_map<uint64_t, size_t> by_index_;      // the latest location of each
};

absl::StatusOr<JitDump> JitDump::Parse(std::string_view bytes) {
  return JitDumpReader().Read(bytes);
}

const JitCode* JitDump::Find(uint64_t address, uint64_t time) const {
  auto at = static_cast<size_t>(
      std::upper_bound(codes_.begin(), codes_.end(), address,
                       [](uint64_t a, const JitCode& c) { return a < c.begin; }) -
      codes_.begin());
  while (at > 0 && ends_max_[at - 1] > address) {
    const JitCode& code = codes_[--at];
    if (address < code.end && time >= code.loaded_at && time < code.replaced_at)
      return &code;
  }
  return nullptr;
}

absl::Status JitDump::VisitLines(const JitCode& code, CodeRangeVisitor visit) const {
  const uint64_t code_bytes = code.end - code.begin;
  SourceFrame frame = {.function = code.name};
  uint64_t cursor = 0;
  const auto emit = [&](uint64_t end) {
    const uint64_t begin = std::exchange(cursor, std::max(cursor, end));
    if (begin >= end)
      return absl::OkStatus();
    return visit(
        {.begin = code.begin + begin, .end = code.begin + end, .frames = std::span(&frame, 1)});
  };
  for (uint32_t i = code.lines_begin; i < code.lines_end; ++i) {
    const JitLine& line = lines_[i];
    if (line.offset >= code_bytes)
      break;
    FLARE_RETURN_IF_ERROR(emit(line.offset));
    frame.file = line.file;
    frame.line = line.line;
  }
  return emit(code_bytes);
}

}  // namespace flarestack::elf

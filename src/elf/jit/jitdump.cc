// SPDX-License-Identifier: Apache-2.0
#include "elf/jit/jitdump.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status.h"
#include "base/text/encoding.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

using base::StrCat;

constexpr uint32_t kMagic = 0x4A695444;
constexpr uint32_t kMagicSwapped = 0x4454694A;
constexpr uint32_t kVersion = 1;
constexpr uint64_t kHeaderBytesMin = 40;
constexpr uint64_t kHeaderBytesMax = 4096;
constexpr uint32_t kRecordHeaderBytes = 16;
constexpr std::string_view kSameFile = "\xff";
constexpr size_t kPendingLinesMax = 1 << 18;  // and at most as many functions
constexpr size_t kLinesMax = 1 << 16;         // of one function
constexpr size_t kFilesMax = 1 << 12;
// Some compilers add the size of the ELF header that perf puts before the code to all addresses of
// lines.
constexpr uint64_t kElfHeaderBytes = 0x40;

enum RecordId : uint32_t { kLoad = 0, kMove = 1, kDebugInfo = 2, kClose = 3 };

absl::Status Bad(uint64_t offset, std::string_view what) {
  return absl::InvalidArgumentError(StrCat("jitdump record at byte ", offset, ": ", what));
}

size_t BytesOf(const JitCode& code) {
  return sizeof(JitCode) + sizeof(JitFunction) + code.function->name.size() +
         code.function->lines.size() * sizeof(JitLine);
}

bool Contains(const JitCode& code, uint64_t address) {
  return address >= code.begin && address < code.end;
}

bool IsFileName(std::string_view file) {
  return std::ranges::none_of(
             file, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }) &&
         base::IsValidUtf8(file);
}

}  // namespace

absl::StatusOr<JitDump> JitDump::Parse(std::string_view bytes) {
  JitDump dump;
  FLARE_RETURN_IF_ERROR(dump.Append(bytes).status());
  if (!dump.has_header())
    return absl::InvalidArgumentError("the header of the jitdump is truncated");
  return dump;
}

absl::StatusOr<uint64_t> JitDump::Append(std::string_view bytes) {
  uint64_t consumed = 0;
  if (!has_header_) {
    FLARE_ASSIGN(consumed, ReadHeader(bytes));
    if (!has_header_)
      return uint64_t{0};
  }
  const uint64_t offset_before = offset_;
  while (!is_closed_ && consumed <= bytes.size() && bytes.size() - consumed >= kRecordHeaderBytes) {
    ByteCursor in(bytes, consumed);
    const uint32_t id = in.U32();
    const uint32_t size = in.U32();
    const uint64_t time = in.U64();
    const uint64_t offset = offset_before + consumed;
    if (size < kRecordHeaderBytes)
      return Bad(offset, StrCat("a size of ", size, " bytes"));
    if (size <= kRecordBytesMax) {
      const std::string_view body = in.Take(size - kRecordHeaderBytes);
      if (!in.ok())
        break;
      FLARE_RETURN_IF_ERROR(ReadRecord({.id = id, .time = time, .offset = offset, .body = body}));
    } else if (id == kLoad) {
      ++dropped_code_count_;
    }
    consumed += size;
  }
  offset_ = offset_before + consumed;
  return consumed;
}

absl::StatusOr<uint64_t> JitDump::ReadHeader(std::string_view bytes) {
  ByteCursor in(bytes);
  const uint32_t magic = in.U32();
  if (in.ok() && magic == kMagicSwapped)
    return absl::UnimplementedError("a big-endian jitdump; only little-endian files are read");
  if (in.ok() && magic != kMagic)
    return absl::InvalidArgumentError("not a jitdump");
  const uint32_t version = in.U32();
  if (in.ok() && version != kVersion)
    return absl::UnimplementedError(
        StrCat("a jitdump of version ", version, ", only version 1 is supported"));
  const uint32_t header_bytes = in.U32();
  elf_machine_ = in.U32();
  in.U32();  // padding
  process_id_ = in.U32();
  in.U64();  // creation time
  has_counter_times_ = (in.U64() & 1) != 0;
  if (in.ok() && (header_bytes < kHeaderBytesMin || header_bytes > kHeaderBytesMax))
    return absl::InvalidArgumentError(StrCat("a jitdump header of ", header_bytes, " bytes"));
  has_header_ = in.ok() && bytes.size() >= header_bytes;
  return has_header_ ? header_bytes : uint64_t{0};
}

absl::Status JitDump::ReadRecord(const Record& record) {
  switch (record.id) {
    case kLoad:
      return ReadLoad(record);
    case kMove:
      return ReadMove(record);
    case kDebugInfo:
      ReadDebugInfo(record);
      return absl::OkStatus();
    case kClose:
      is_closed_ = true;
      return absl::OkStatus();
    default:
      return absl::OkStatus();  // unwind information, and future record types
  }
}

absl::Status JitDump::ReadLoad(const Record& record) {
  ByteCursor in(record.body);
  in.U32();  // process
  in.U32();  // thread
  in.U64();  // virtual address, same as the code's
  JitCode code;
  code.begin = in.U64();
  const uint64_t size_bytes = in.U64();
  code.code_index = in.U64();
  auto function = std::make_shared<JitFunction>();
  function->name = in.Text().substr(0, kNameBytesMax);
  in.Take(size_bytes);  // the instructions
  code.loaded_at = record.time;
  if (!in.ok() || __builtin_add_overflow(code.begin, size_bytes, &code.end))
    return Bad(record.offset, "a load that is damaged");
  // Line records precede the code they describe.
  if (const auto found = pending_lines_.find(code.begin); found != pending_lines_.end()) {
    if (found->second.empty() || found->second.back().offset < size_bytes + kElfHeaderBytes)
      function->lines = std::move(found->second);
    else
      ++damaged_lines_count_;
    pending_lines_.erase(found);
    if (pending_lines_.empty())
      pending_line_count_ = 0;
  }
  if (!function->lines.empty() && function->lines.front().offset < kElfHeaderBytes)
    has_line_at_begin_ = true;
  code.function = std::move(function);
  Add(std::move(code));
  return absl::OkStatus();
}

absl::Status JitDump::ReadMove(const Record& record) {
  ByteCursor in(record.body);
  in.U32();  // process
  in.U32();  // thread
  in.U64();  // virtual address
  in.U64();  // old address; the index identifies the code
  JitCode code;
  code.begin = in.U64();
  const uint64_t size_bytes = in.U64();
  code.code_index = in.U64();
  code.loaded_at = record.time;
  if (!in.ok() || __builtin_add_overflow(code.begin, size_bytes, &code.end))
    return Bad(record.offset, "a move that is damaged");
  const auto before = by_index_.find(code.code_index);
  if (before == by_index_.end())
    return absl::OkStatus();
  code.function = before->second.function;
  const auto old = codes_.find(before->second.begin);
  if (old != codes_.end() && old->second.code_index == code.code_index)
    Replace(old, code.loaded_at);
  Add(std::move(code));
  return absl::OkStatus();
}

void JitDump::ReadDebugInfo(const Record& record) {
  std::vector<JitLine> lines;
  if (!ReadLines(record.body, &lines)) {
    ++damaged_lines_count_;
    return;
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const JitLine& a, const JitLine& b) { return a.offset < b.offset; });
  pending_line_count_ += lines.size() + 1;
  if (pending_line_count_ > kPendingLinesMax) {
    pending_lines_.clear();
    pending_line_count_ = lines.size() + 1;
  }
  pending_lines_[ByteCursor(record.body).U64()] = std::move(lines);
}

// Node.js 20 writes freed memory as names of files, with bytes that look like the end of a name.
// Returns false if anything in the record is implausible, because then all of it is.
bool JitDump::ReadLines(std::string_view body, std::vector<JitLine>* lines) {
  ByteCursor in(body);
  const uint64_t code_address = in.U64();
  const uint64_t count = in.U64();
  if (count > kLinesMax)
    return false;
  std::shared_ptr<const std::string> file = Intern("");
  for (uint64_t i = 0; i < count; ++i) {
    JitLine line;
    const uint64_t address = in.U64();
    line.line = static_cast<uint32_t>(std::max(in.Number<int32_t>(), 0));
    line.column = static_cast<uint32_t>(std::max(in.Number<int32_t>(), 0));
    const std::string_view name = in.Text();
    if (!in.ok() || address < code_address || (name != kSameFile && !IsFileName(name)))
      return false;
    if (name != kSameFile)
      file = Intern(name.substr(0, kNameBytesMax));
    line.offset = address - code_address;
    line.file = file;
    lines->push_back(std::move(line));
  }
  constexpr size_t kPaddingMax = 7;
  return in.ok() && in.rest().size() <= kPaddingMax;
}

std::shared_ptr<const std::string> JitDump::Intern(std::string_view file) {
  if (const auto found = files_.find(std::string(file)); found != files_.end())
    return found->second;
  if (files_.size() == kFilesMax)
    absl::erase_if(files_, [](const auto& entry) { return entry.second.use_count() == 1; });
  if (files_.size() == kFilesMax)
    file = "";
  std::shared_ptr<const std::string>& text = files_[std::string(file)];
  if (text == nullptr)
    text = std::make_shared<const std::string>(file);
  return text;
}

// New code ends all code that it overlaps, even partly.
void JitDump::Add(JitCode code) {
  if (code.begin == code.end)
    return;
  auto at = codes_.lower_bound(code.begin);
  if (at != codes_.begin() && std::prev(at)->second.end > code.begin)
    --at;
  // Threads write their records with some delay, so the file is only nearly in order.
  for (; at != codes_.end() && at->first < code.end; ++at) {
    if (at->second.loaded_at > code.loaded_at)
      code.replaced_at = std::min(code.replaced_at, at->second.loaded_at);
  }
  if (code.replaced_at != UINT64_MAX) {
    Remember(std::move(code));
    return;
  }
  for (at = codes_.lower_bound(code.begin);
       at != codes_.begin() && std::prev(at)->second.end > code.begin;)
    --at;
  while (at != codes_.end() && at->first < code.end) {
    const uint64_t next = at->second.end;
    Replace(at, code.loaded_at);
    at = codes_.lower_bound(next);
  }
  const size_t bytes = BytesOf(code);
  if (codes_.size() >= limits_.codes_max ||
      bytes > limits_.bytes_max - std::min(limits_.bytes_max, bytes_)) {
    ++dropped_code_count_;
    by_index_.erase(code.code_index);
    return;
  }
  bytes_ += bytes;
  by_index_[code.code_index] = {
      .begin = code.begin, .loaded_at = code.loaded_at, .function = code.function};
  codes_[code.begin] = std::move(code);
}

void JitDump::Replace(absl::btree_map<uint64_t, JitCode>::iterator at, uint64_t time) {
  JitCode code = std::move(at->second);
  codes_.erase(at);
  bytes_ -= BytesOf(code);
  code.replaced_at = time;
  Remember(std::move(code));
}

void JitDump::Remember(JitCode code) {
  auto place = replaced_.end();
  while (place != replaced_.begin() && std::prev(place)->replaced_at > code.replaced_at)
    --place;
  replaced_bytes_ += BytesOf(code);
  replaced_.insert(place, std::move(code));
  while (replaced_.size() > kReplacedMax || replaced_bytes_ > limits_.bytes_max / 4) {
    const JitCode& oldest = replaced_.front();
    const auto found = by_index_.find(oldest.code_index);
    if (found != by_index_.end() && found->second.begin == oldest.begin &&
        found->second.loaded_at == oldest.loaded_at)
      by_index_.erase(found);
    replaced_bytes_ -= BytesOf(oldest);
    replaced_.pop_front();
  }
}

const JitCode* JitDump::Find(uint64_t address, uint64_t time) const {
  const auto after = codes_.upper_bound(address);
  if (after != codes_.begin()) {
    const JitCode& code = std::prev(after)->second;
    if (Contains(code, address) && time >= code.loaded_at)
      return &code;
  }
  const JitCode* latest = nullptr;
  for (auto at = replaced_.rbegin(); at != replaced_.rend() && at->replaced_at > time; ++at) {
    if (Contains(*at, address) && time >= at->loaded_at &&
        (latest == nullptr || at->loaded_at > latest->loaded_at))
      latest = &*at;
  }
  return latest;
}

const JitLine* JitDump::FindLine(const JitCode& code, uint64_t address) const {
  const std::vector<JitLine>& lines = code.function->lines;
  // A compiler that never describes the first bytes of any code is one that adds the header.
  const uint64_t offset = address - code.begin + (has_line_at_begin_ ? 0 : kElfHeaderBytes);
  const auto after =
      std::upper_bound(lines.begin(), lines.end(), offset,
                       [](uint64_t wanted, const JitLine& line) { return wanted < line.offset; });
  return after == lines.begin() ? nullptr : &*std::prev(after);
}

}  // namespace flarestack::elf

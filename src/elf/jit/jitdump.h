// SPDX-License-Identifier: Apache-2.0
//
// jit-<pid>.dump, the binary file in which JIT compilers report to perf what code they generated,
// when, and from which source lines. Memory is reused, so one address may have had several
// functions: a lookup needs the time as well.
//
// The file grows while the program runs, so the dump is built from pieces. It keeps all current
// code and the last code that was replaced, since samples are looked up soon after they are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flarestack::elf {

struct JitLine {
  uint64_t offset = 0;                      // from the start of the code
  uint32_t line = 0;                        // 0 when unknown
  uint32_t column = 0;                      // "discriminator" in the format; 0 when unknown
  std::shared_ptr<const std::string> file;  // not null
};

struct JitFunction {
  std::string name;            // may be invalid UTF-8
  std::vector<JitLine> lines;  // by offset
};

// A function at one address for a period of time. A moved function has two of these.
struct JitCode {
  uint64_t begin = 0;
  uint64_t end = 0;                   // excluded
  uint64_t loaded_at = 0;             // on the clock of the file, usually CLOCK_MONOTONIC in ns
  uint64_t replaced_at = UINT64_MAX;  // excluded
  uint64_t code_index = 0;
  std::shared_ptr<const JitFunction> function;  // not null
};

class JitDump {
 public:
  static constexpr size_t kNameBytesMax = 1024;  // longer names are cut
  static constexpr size_t kReplacedMax = 1024;   // code that is remembered after it was replaced
  static constexpr size_t kRecordBytesMax = 1 << 24;  // larger records are skipped

  struct Limits {
    size_t codes_max = 1 << 20;
    size_t bytes_max = size_t{64} << 20;  // of current code, its names and lines
  };

  explicit JitDump(const Limits& limits) : limits_(limits) {}
  JitDump() : JitDump(Limits()) {}

  // Reads complete records that follow those of earlier calls. Returns how many bytes of the file
  // to advance, which may be more than `bytes` has. Returns 0 if more bytes are needed: at most
  // kRecordBytesMax. At a limit, new code gets no name, but still removes the code that it
  // replaces.
  //
  // Returns kInvalidArgument if the bytes are not a jitdump or a record is corrupt, with its
  // offset, and kUnimplemented for another byte order or version. Call it no more after an error.
  absl::StatusOr<uint64_t> Append(std::string_view bytes);

  // Reads a whole file. A truncated record at the end is not an error.
  static absl::StatusOr<JitDump> Parse(std::string_view bytes);

  bool has_header() const { return has_header_; }
  uint32_t elf_machine() const { return elf_machine_; }
  uint32_t process_id() const { return process_id_; }
  // True if times come from the processor's counter and not from a clock.
  bool has_counter_times() const { return has_counter_times_; }
  bool is_closed() const { return is_closed_; }

  const absl::btree_map<uint64_t, JitCode>& codes() const { return codes_; }  // current, by begin
  size_t bytes() const { return bytes_ + replaced_bytes_; }
  uint64_t dropped_code_count() const { return dropped_code_count_; }    // at a limit
  uint64_t damaged_lines_count() const { return damaged_lines_count_; }  // functions without lines

  // Returns the code at an address at a time, or null if there was none. Valid until the next
  // Append.
  const JitCode* Find(uint64_t address, uint64_t time) const;

  // Returns the line of an address in `code`, or null if it is unknown.
  const JitLine* FindLine(const JitCode& code, uint64_t address) const;

 private:
  struct Record {
    uint32_t id = 0;
    uint64_t time = 0;
    uint64_t offset = 0;  // in the file
    std::string_view body;
  };

  struct Place {
    uint64_t begin = 0;
    uint64_t loaded_at = 0;
    std::shared_ptr<const JitFunction> function;
  };

  absl::StatusOr<uint64_t> ReadHeader(std::string_view bytes);
  absl::Status ReadRecord(const Record& record);
  absl::Status ReadLoad(const Record& record);
  absl::Status ReadMove(const Record& record);
  void ReadDebugInfo(const Record& record);
  bool ReadLines(std::string_view body, std::vector<JitLine>* lines);
  std::shared_ptr<const std::string> Intern(std::string_view file);
  void Add(JitCode code);
  void Replace(absl::btree_map<uint64_t, JitCode>::iterator at, uint64_t time);
  void Remember(JitCode code);

  Limits limits_;
  uint64_t offset_ = 0;  // of the next record in the file
  bool has_header_ = false;
  bool is_closed_ = false;
  uint32_t elf_machine_ = 0;
  uint32_t process_id_ = 0;
  bool has_counter_times_ = false;
  bool has_line_at_begin_ = false;
  absl::btree_map<uint64_t, JitCode> codes_;
  std::deque<JitCode> replaced_;                   // by replaced_at
  absl::flat_hash_map<uint64_t, Place> by_index_;  // the latest place of each code
  absl::flat_hash_map<uint64_t, std::vector<JitLine>> pending_lines_;  // by the address of the code
  absl::flat_hash_map<std::string, std::shared_ptr<const std::string>> files_;
  size_t pending_line_count_ = 0;  // an upper bound
  size_t bytes_ = 0;               // of codes_
  size_t replaced_bytes_ = 0;
  uint64_t dropped_code_count_ = 0;
  uint64_t damaged_lines_count_ = 0;
};

}  // namespace flarestack::elf

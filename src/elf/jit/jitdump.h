// SPDX-License-Identifier: Apache-2.0
//
// jit-<pid>.dump, the binary file in which JIT compilers report to perf what code they generated,
// when, and from which source lines. Memory is reused, so one address may have had several
// functions: a lookup needs the time as well.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/code_range.h"

namespace flarestack::elf {

struct JitLine {
  uint64_t offset = 0;  // from the start of the code
  uint32_t line = 0;    // 0 when unknown
  uint32_t discriminator = 0;
  std::string_view file;
};

// A function at one address for a period of time. A moved function has two of these.
struct JitCode {
  uint64_t begin = 0;
  uint64_t end = 0;          // excluded
  uint64_t loaded_at = 0;    // on the clock of the file, usually CLOCK_MONOTONIC in ns
  uint64_t replaced_at = 0;  // exclusive; UINT64_MAX if never replaced
  uint64_t code_index = 0;
  std::string_view name;
  std::string_view code;     // its instructions
  uint32_t lines_begin = 0;  // in JitDump::lines()
  uint32_t lines_end = 0;
};

// Views point into the given bytes, which must outlive it.
class JitDump {
 public:
  static constexpr uint64_t kCodesMax = 1 << 22;
  static constexpr uint64_t kLinesMax = 1 << 26;

  // Returns kInvalidArgument if the bytes are not a jitdump or a record is corrupt, with its
  // offset, and kUnimplemented for another byte order or version. A truncated record at the end is
  // not an error, since the file may still be growing.
  static absl::StatusOr<JitDump> Parse(std::string_view bytes);

  uint32_t elf_machine() const { return elf_machine_; }
  uint32_t process_id() const { return process_id_; }
  // True if times come from the processor's counter and not from a clock.
  bool has_counter_times() const { return has_counter_times_; }
  bool is_cut_short() const { return is_cut_short_; }

  const std::vector<JitCode>& codes() const { return codes_; }  // by address, then time
  const std::vector<JitLine>& lines() const { return lines_; }

  // Returns the code at an address at a time, or null if there was none. The cost grows with the
  // number of different codes at the address.
  const JitCode* Find(uint64_t address, uint64_t time) const;

  // Visits the code of each source line, including the gap before the first line. Without lines,
  // visits the whole code.
  absl::Status VisitLines(const JitCode& code, CodeRangeVisitor visit) const;

 private:
  friend class JitDumpReader;

  uint32_t elf_machine_ = 0;
  uint32_t process_id_ = 0;
  bool has_counter_times_ = false;
  bool is_cut_short_ = false;
  std::vector<JitCode> codes_;
  std::vector<uint64_t> ends_max_;  // the largest end of codes_[0..i], to stop a search early
  std::vector<JitLine> lines_;
};

}  // namespace flarestack::elf

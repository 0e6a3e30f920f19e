// SPDX-License-Identifier: Apache-2.0
//
// jit-<pid>.dump, the binary file in which JIT compilers tell perf what code they made, when, and
// of which source lines. Memory is used again, so one address may have had several functions: a
// lookup needs the time as well.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/code_range.h"

namespace flarestack::elf {

struct JitLine {
  uint64_t offset = 0;  // from the beginning of the code
  uint32_t line = 0;    // 0 when unknown
  uint32_t discriminator = 0;
  std::string_view file;
};

// A function at one place for some time. A function that is moved is two of them.
struct JitCode {
  uint64_t begin = 0;
  uint64_t end = 0;          // excluded
  uint64_t loaded_at = 0;    // on the clock of the file, mostly CLOCK_MONOTONIC in ns
  uint64_t replaced_at = 0;  // excluded; UINT64_MAX when it was there to the end
  uint64_t code_index = 0;
  std::string_view name;
  std::string_view code;     // its instructions
  uint32_t lines_begin = 0;  // in JitDump::lines()
  uint32_t lines_end = 0;
};

// Views point into the bytes given, which must outlive it.
class JitDump {
 public:
  static constexpr uint64_t kCodesMax = 1 << 22;
  static constexpr uint64_t kLinesMax = 1 << 26;

  // kInvalidArgument when the bytes are no jitdump or a record is damaged, with its offset;
  // kUnimplemented for another byte order or version. A record cut off at the end is no error,
  // since the file may still be written to.
  static absl::StatusOr<JitDump> Parse(std::string_view bytes);

  uint32_t elf_machine() const { return elf_machine_; }
  uint32_t process_id() const { return process_id_; }
  // Whether times are of the processor's counter and not of a clock.
  bool has_counter_times() const { return has_counter_times_; }
  bool is_cut_short() const { return is_cut_short_; }

  const std::vector<JitCode>& codes() const { return codes_; }  // by address, then time
  const std::vector<JitLine>& lines() const { return lines_; }

  // What was at an address at a time; null when nothing was. Takes as long as the address has had
  // different code.
  const JitCode* Find(uint64_t address, uint64_t time) const;

  // The code of each line of source, with the gap in front of the first line; without lines the
  // whole of it.
  absl::Status VisitLines(const JitCode& code, CodeRangeVisitor visit) const;

 private:
  friend class JitDumpReader;

  uint32_t elf_machine_ = 0;
  uint32_t process_id_ = 0;
  bool has_counter_times_ = false;
  bool is_cut_short_ = false;
  std::vector<JitCode> codes_;
  std::vector<uint64_t> ends_max_;  // the largest end of codes_[0..i], to end a search early
  std::vector<JitLine> lines_;
};

}  // namespace flarestack::elf

// SPDX-License-Identifier: Apache-2.0
//
// The heap profile of jemalloc, which google/pprof does not read (jemalloc ships a separate script
// for it):
//
//   heap_v2/524288
//     t*: 28: 114688 [0: 0]
//     t0: 28: 114688 [0: 0] main
//   @ 0x55d0 0x7f12 0x7f34
//     t*: 8: 65536 [0: 0]
//     t0: 8: 65536 [0: 0]
//
//   MAPPED_LIBRARIES:
//
// t* is the sum of all threads. The rows of single threads are skipped: the numbers of one stack
// can be unsampled only together, because the estimate is not linear. jemalloc biases its numbers
// so that this estimate is correct.
#include <optional>
#include <vector>

#include "base/status.h"
#include "codec/pprof/legacy/legacy_heap.h"
#include "codec/pprof/legacy/legacy_mappings.h"
#include "codec/pprof/legacy/legacy_readers.h"

namespace flarestack::codec::pprof::legacy {
namespace {

constexpr std::string_view kHeaderStart = "heap_v2/";
constexpr std::string_view kTotalStart = "t*:";

absl::StatusOr<HeapRow> ReadTotal(std::string_view line) {
  Cursor in(line.substr(kTotalStart.size()));
  const std::optional<HeapRow> row = ReadHeapRow(in);
  if (!row) {
    return absl::InvalidArgumentError("expected a row \"t*: count: bytes [count: bytes]\"");
  }
  return *row;
}

class JemallocReader {
 public:
  JemallocReader(int64_t period, Builder& builder) : period_(period), builder_(builder) {}

  // Handles one line before the memory map.
  absl::Status Take(const Lines& lines) {
    const std::string_view line = lines.line();
    if (line.starts_with('@')) {
      return TakeStack(lines);
    }
    if (line.starts_with(kTotalStart)) {
      return TakeTotal(line);
    }
    if (line.starts_with('t')) {
      return absl::OkStatus();  // a single thread
    }
    return absl::InvalidArgumentError("neither a stack nor a row of numbers");
  }

  absl::Status Finish() {
    if (!has_types_) {
      return absl::InvalidArgumentError(
          "expected a row of totals \"t*: ...\" before the first stack");
    }
    return absl::OkStatus();
  }

 private:
  absl::Status TakeStack(const Lines& lines) {
    FLARE_RETURN_IF_ERROR(Finish());
    Cursor in(lines.line().substr(1));
    FLARE_ASSIGN(stack_, ReadAddresses(in));
    WarnOfRest(in, lines, &builder_.warnings());
    MoveIntoCalls(Leaf::kReturnAddress, stack_);
    has_stack_ = true;
    return absl::OkStatus();
  }

  // The first total belongs to the profile and shows which columns are used.
  absl::Status TakeTotal(std::string_view line) {
    FLARE_ASSIGN(const HeapRow row, ReadTotal(line));
    if (!has_types_) {
      layout_ = {.has_alloc = HasAlloc(row), .is_sampled = true};
      SetHeapTypes(layout_, period_, &builder_.profile());
      has_types_ = true;
      return absl::OkStatus();
    }
    if (!has_stack_) {
      return absl::InvalidArgumentError("a second total of one stack");
    }
    has_stack_ = false;
    return AddHeapSample(row, layout_, stack_, builder_);
  }

  int64_t period_;
  Builder& builder_;
  HeapLayout layout_;
  bool has_types_ = false;
  bool has_stack_ = false;
  std::vector<uint64_t> stack_;
};

}  // namespace

bool IsJemallocHeader(std::string_view line) {
  return line.starts_with(kHeaderStart) &&
         ParseInteger(line.substr(kHeaderStart.size())).value_or(0) > 0;
}

absl::Status ReadJemallocProfile(std::string_view bytes, Builder& builder) {
  Lines lines(bytes);
  lines.NextMeaningful();
  const int64_t period = ParseInteger(lines.line().substr(kHeaderStart.size())).value_or(0);
  JemallocReader reader(period, builder);
  while (lines.NextMeaningful() && !StartsMemoryMap(lines.line())) {
    if (absl::Status taken = reader.Take(lines); !taken.ok()) {
      return lines.Error(base::Message(taken));
    }
  }
  if (absl::Status complete = reader.Finish(); !complete.ok()) {
    return lines.Error(base::Message(complete));
  }
  ReadMemoryMap(lines, &builder.profile(), &builder.warnings());
  return absl::OkStatus();
}

}  // namespace flarestack::codec::pprof::legacy

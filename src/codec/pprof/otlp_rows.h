// SPDX-License-Identifier: Apache-2.0
//
// Builds the rows of a pprof profile from the samples of an OTLP message: which observations form a
// row, and which values it has. Private to from_otlp.cc.
//
// A pprof row has a value per column; OTLP instead has a sample in each of several profiles.
// Messages that came from pprof have the same samples in the same order in all profiles, and such
// rows need no storage. Other rows are joined by content.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "base/warnings.h"
#include "codec/pprof/bundles.h"
#include "codec/pprof/from_otlp.h"
#include "model/batch.h"
#include "model/builder/intern_table.h"

namespace flarestack::codec::pprof {

struct RowView {
  uint32_t group = 0;                     // the bundle
  const model::Sample* sample = nullptr;  // its stack, link and attributes
  bool has_time = false;
  bool is_event = false;
  uint64_t time_unix_nano = 0;
  bool has_all_columns = false;  // of its bundle
};

class OtlpRows {
 public:
  // All must outlive this object. `adds_up` treats all bundles as one.
  OtlpRows(const model::Batch& batch, const Bundles& bundles, bool adds_up)
      : batch_(batch), bundles_(bundles), adds_up_(adds_up) {}

  // Call it once. Returns kInvalidArgument for a sample with several values and no timestamps.
  absl::Status Collect(const FromOtlpOptions& options, base::Warnings* warnings);

  // Thread-safe after Collect().
  size_t size() const { return size_; }
  RowView At(size_t row) const;

  // Sets the value of each column, 0 if the row has none. Marks the columns it has in `has_column`,
  // unless that is null.
  void Values(size_t row, std::vector<int64_t>* values, std::vector<bool>* has_column) const;

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  struct Value {
    int64_t value = 0;
    uint32_t column = 0;
    uint32_t next = kNone;  // next value of the same row
  };
  // A row that was joined or has a time.
  struct Row {
    const model::Sample* sample = nullptr;
    uint64_t time_unix_nano = 0;
    uint32_t group = 0;
    uint32_t values = kNone;     // the last one
    uint32_t next_same = kNone;  // the next identical row
    bool has_time = false;
    bool is_event = false;
  };
  // Identical rows. The n-th of them gets the n-th such sample of each profile.
  struct SameRows {
    uint32_t first = 0;
    uint32_t last_taken = 0;  // by profile `profile_number`
    uint32_t profile_number = 0;
  };
  // Contiguous rows: of one bundle that needs no joining, or joined rows.
  struct Run {
    size_t begin = 0;  // position among all rows
    bool is_aligned = false;
    uint32_t group = 0;      // if aligned
    uint32_t first_row = 0;  // in rows_, if not aligned
  };

  const Run& RunOf(size_t row) const;
  const Row& Joined(const Run& run, size_t row) const {
    return rows_[run.first_row + (row - run.begin)];
  }
  bool IsAligned(const Bundle& bundle) const;
  uint32_t FirstProfile(uint32_t group) const;
  void AddAligned(uint32_t group);
  void EndJoined();
  absl::Status CollectProfile(uint32_t profile, const Row& kind, uint32_t column, bool joins);
  void AddRow(const Row& row, int64_t value, uint32_t column, bool joins);
  uint32_t PlaceOf(const Row& row);
  uint64_t HashOf(const Row& row) const;
  bool IsSame(const Row& a, const Row& b) const;

  const model::Batch& batch_;
  const Bundles& bundles_;
  const bool adds_up_;
  bool aggregates_ = false;
  base::Warnings* warnings_ = nullptr;
  size_t size_ = 0;
  std::vector<Run> runs_;
  std::vector<Row> rows_;
  std::vector<Value> values_;
  // Used while rows are joined.
  size_t run_begin_ = 0;  // in rows_
  uint32_t profile_number_ = 0;
  std::vector<SameRows> same_rows_;
  model::InternTable known_rows_;
};

}  // namespace flarestack::codec::pprof

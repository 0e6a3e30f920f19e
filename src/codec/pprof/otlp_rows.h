// SPDX-License-Identifier: Apache-2.0
//
// The rows of a pprof profile out of the samples of an OTLP message: which observations are one
// row, and which values it has. Private to from_otlp.cc.
//
// pprof has a row with a value per column where OTLP has a sample in each of several profiles. What
// came from pprof has the same samples in the same order in all of them, and such rows need nothing
// to be stored. Others are joined by what they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "base/warnings.h"
#include "codec/pprof/bundles.h"
#include "codec/pprof/from_otlp.h"
#include "model/batch.h"
#include "model/intern_table.h"

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
  // All must outlive this. `adds_up`: all bundles are one.
  OtlpRows(const model::Batch& batch, const Bundles& bundles, bool adds_up)
      : batch_(batch), bundles_(bundles), adds_up_(adds_up) {}

  // Once. kInvalidArgument for a sample with several values and no timestamps.
  absl::Status Collect(const FromOtlpOptions& options, base::Warnings* warnings);

  // Thread-safe from here on.
  size_t size() const { return size_; }
  RowView At(size_t row) const;

  // The value of each column, 0 where the row has none. Columns that it has are set in `has_column`
  // where that is not null.
  void Values(size_t row, std::vector<int64_t>* values, std::vector<bool>* has_column) const;

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  struct Value {
    int64_t value = 0;
    uint32_t column = 0;
    uint32_t next = kNone;  // of the same row
  };
  // A row that was joined, or has a time.
  struct Row {
    const model::Sample* sample = nullptr;
    uint64_t time_unix_nano = 0;
    uint32_t group = 0;
    uint32_t values = kNone;     // the last one
    uint32_t next_same = kNone;  // the next row that differs in nothing
    bool has_time = false;
    bool is_event = false;
  };
  // Rows that differ in nothing. The n-th of them takes the n-th such sample of each profile.
  struct SameRows {
    uint32_t first = 0;
    uint32_t last_taken = 0;  // by the profile with the number
    uint32_t profile_number = 0;
  };
  // Rows side by side: of one bundle that needs no joining, or joined ones.
  struct Run {
    size_t begin = 0;  // of its rows among all
    bool is_aligned = false;
    uint32_t group = 0;      // when aligned
    uint32_t first_row = 0;  // in rows_, when not
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
  // While rows are joined.
  size_t run_begin_ = 0;  // in rows_
  uint32_t profile_number_ = 0;
  std::vector<SameRows> same_rows_;
  model::InternTable known_rows_;
};

}  // namespace flarestack::codec::pprof

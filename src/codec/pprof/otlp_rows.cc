// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/otlp_rows.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/saturating.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::codec::pprof {

using base::Mix64;
using base::StrCat;

absl::Status OtlpRows::Collect(const FromOtlpOptions& options, base::Warnings* warnings) {
  aggregates_ = options.aggregate;
  warnings_ = warnings;
  for (uint32_t b = 0; b < bundles_.bundles.size(); ++b) {
    const Bundle& bundle = bundles_.bundles[b];
    if (!adds_up_ && !aggregates_ && IsAligned(bundle)) {
      AddAligned(b);
      continue;
    }
    const auto profile_count =
        std::ranges::count_if(bundle.profile_columns, [](uint32_t p) { return p != kNoProfile; });
    const bool joins = profile_count > 1 || adds_up_ || aggregates_;
    const Row kind = {.group = adds_up_ ? 0 : b};
    for (uint32_t column = 0; column < bundle.profile_columns.size(); ++column) {
      if (bundle.profile_columns[column] == kNoProfile)
        continue;
      ++profile_number_;
      FLARE_RETURN_IF_ERROR(CollectProfile(bundle.profile_columns[column], kind, column, joins));
    }
    // Rows of different bundles must not be joined.
    if (!adds_up_)
      EndJoined();
  }
  EndJoined();
  return absl::OkStatus();
}

// Whether all profiles of a bundle have the same samples in the same order, with one value each.
// Our conversion from pprof produces this, and most messages with several columns are like this.
bool OtlpRows::IsAligned(const Bundle& bundle) const {
  const model::Profile* first = nullptr;
  for (const uint32_t index : bundle.profile_columns) {
    if (index == kNoProfile)
      continue;
    const model::Profile& profile = batch_.profiles[index];
    if (first == nullptr)
      first = &profile;
    if (profile.samples.count != first->samples.count)
      return false;
    const std::vector<model::AttributeIndex>& attributes = batch_.dictionary.attribute_indices;
    for (uint32_t i = 0; i < profile.samples.count; ++i) {
      const model::Sample& sample = batch_.samples[profile.samples.begin + i];
      const model::Sample& other = batch_.samples[first->samples.begin + i];
      if (sample.values.count != 1 || !sample.timestamps.empty() || sample.stack != other.stack ||
          sample.link != other.link ||
          !std::ranges::equal(model::In(attributes, sample.attributes),
                              model::In(attributes, other.attributes))) {
        return false;
      }
    }
  }
  return first != nullptr;
}

uint32_t OtlpRows::FirstProfile(uint32_t group) const {
  return *std::ranges::find_if(bundles_.bundles[group].profile_columns,
                               [](uint32_t p) { return p != kNoProfile; });
}

void OtlpRows::AddAligned(uint32_t group) {
  runs_.push_back({.begin = size_, .is_aligned = true, .group = group});
  size_ += batch_.profiles[FirstProfile(group)].samples.count;
}

void OtlpRows::EndJoined() {
  same_rows_ = {};
  known_rows_ = {};
  if (rows_.size() == run_begin_)
    return;
  runs_.push_back({.begin = size_, .first_row = static_cast<uint32_t>(run_begin_)});
  size_ += rows_.size() - run_begin_;
  run_begin_ = rows_.size();
}

absl::Status OtlpRows::CollectProfile(uint32_t profile, const Row& kind, uint32_t column,
                                      bool joins) {
  const model::Slice samples = batch_.profiles[profile].samples;
  for (uint32_t i = samples.begin; i < samples.end(); ++i) {
    const model::Sample& sample = batch_.samples[i];
    const auto values = model::In(batch_.values, sample.values);
    const auto times = model::In(batch_.timestamps, sample.timestamps);
    if ((times.empty() && values.size() > 1) ||
        (!times.empty() && !values.empty() && times.size() != values.size())) {
      return absl::InvalidArgumentError(StrCat(
          "profile ", profile, ", sample ", i - samples.begin, ": ", values.size(), " values and ",
          times.size(), " timestamps; OTLP requires one value, or one per timestamp"));
    }
    if (times.empty() && values.empty()) {
      warnings_->Add("a sample without value and timestamp; read as 0",
                     StrCat("profile ", profile, ", sample ", i - samples.begin));
    }
    Row row = kind;
    row.sample = &sample;
    if (times.empty() || aggregates_) {
      AddRow(row, model::Weight(batch_, sample), column, joins);
      continue;
    }
    row.has_time = true;
    row.is_event = values.empty();
    for (size_t k = 0; k < times.size(); ++k) {
      row.time_unix_nano = times[k];
      AddRow(row, values.empty() ? 1 : values[k], column, joins);
    }
  }
  return absl::OkStatus();
}

// Joins a row with the row of another column or input that differs only in its value. Two equal
// samples of one profile stay separate.
void OtlpRows::AddRow(const Row& row, int64_t value, uint32_t column, bool joins) {
  uint32_t at = static_cast<uint32_t>(rows_.size());
  if (joins) {
    at = PlaceOf(row);
  } else {
    rows_.push_back(row);
  }
  for (uint32_t i = rows_[at].values; i != kNone; i = values_[i].next) {
    if (values_[i].column != column)
      continue;
    values_[i].value = base::SaturatingAdd(values_[i].value, value);
    return;
  }
  values_.push_back({.value = value, .column = column, .next = rows_[at].values});
  rows_[at].values = static_cast<uint32_t>(values_.size() - 1);
}

// Returns the position of the row to join with; adds the row if there is none.
uint32_t OtlpRows::PlaceOf(const Row& row) {
  const auto next_row = static_cast<uint32_t>(rows_.size());
  const auto next = static_cast<uint32_t>(same_rows_.size());
  const uint32_t found = known_rows_.FindOrAdd(
      HashOf(row), next, [&](uint32_t same) { return IsSame(rows_[same_rows_[same].first], row); });
  if (found == next) {
    same_rows_.push_back(
        {.first = next_row, .last_taken = next_row, .profile_number = profile_number_});
    rows_.push_back(row);
    return next_row;
  }
  SameRows& same = same_rows_[found];
  if (aggregates_ || same.profile_number != profile_number_) {
    same.profile_number = profile_number_;
    same.last_taken = same.first;
    return same.first;
  }
  uint32_t& following = rows_[same.last_taken].next_same;
  if (following == kNone) {
    following = next_row;
    same.last_taken = next_row;
    rows_.push_back(row);
    return next_row;
  }
  same.last_taken = following;
  return same.last_taken;
}

// The order of attributes does not matter.
uint64_t OtlpRows::HashOf(const Row& row) const {
  uint64_t attributes = row.sample->attributes.count;
  for (const model::AttributeIndex index :
       model::In(batch_.dictionary.attribute_indices, row.sample->attributes)) {
    attributes += Mix64(index.value, 1);
  }
  const uint64_t kind =
      uint64_t{row.group} << 2 | (row.has_time ? 2U : 0U) | (row.is_event ? 1U : 0U);
  return Mix64(Mix64(row.sample->stack.value, row.sample->link.value),
               Mix64(attributes, row.time_unix_nano)) +
         Mix64(kind, 2);
}

bool OtlpRows::IsSame(const Row& a, const Row& b) const {
  if (a.group != b.group || a.has_time != b.has_time || a.is_event != b.is_event ||
      a.time_unix_nano != b.time_unix_nano || a.sample->stack != b.sample->stack ||
      a.sample->link != b.sample->link ||
      a.sample->attributes.count != b.sample->attributes.count) {
    return false;
  }
  const std::vector<model::AttributeIndex>& pool = batch_.dictionary.attribute_indices;
  const auto of_a = model::In(pool, a.sample->attributes);
  const auto of_b = model::In(pool, b.sample->attributes);
  if (std::ranges::equal(of_a, of_b))
    return true;
  std::vector<model::AttributeIndex> sorted_a(of_a.begin(), of_a.end());
  std::vector<model::AttributeIndex> sorted_b(of_b.begin(), of_b.end());
  std::ranges::sort(sorted_a);
  std::ranges::sort(sorted_b);
  return sorted_a == sorted_b;
}

const OtlpRows::Run& OtlpRows::RunOf(size_t row) const {
  const auto behind =
      std::ranges::upper_bound(runs_, row, {}, [](const Run& run) { return run.begin; });
  return *std::prev(behind);
}

RowView OtlpRows::At(size_t row) const {
  const Run& run = RunOf(row);
  if (run.is_aligned) {
    const model::Slice samples = batch_.profiles[FirstProfile(run.group)].samples;
    return {.group = run.group,
            .sample = &batch_.samples[samples.begin + (row - run.begin)],
            .has_all_columns = true};
  }
  const Row& joined = Joined(run, row);
  return {.group = joined.group,
          .sample = joined.sample,
          .has_time = joined.has_time,
          .is_event = joined.is_event,
          .time_unix_nano = joined.time_unix_nano};
}

void OtlpRows::Values(size_t row, std::vector<int64_t>* values,
                      std::vector<bool>* has_column) const {
  values->assign(bundles_.columns.size(), 0);
  if (has_column != nullptr)
    has_column->assign(bundles_.columns.size(), false);
  const auto set = [&](uint32_t column, int64_t value) {
    (*values)[column] = value;
    if (has_column != nullptr)
      (*has_column)[column] = true;
  };
  const Run& run = RunOf(row);
  if (!run.is_aligned) {
    for (uint32_t i = Joined(run, row).values; i != kNone; i = values_[i].next)
      set(values_[i].column, values_[i].value);
    return;
  }
  const std::vector<uint32_t>& profiles = bundles_.bundles[run.group].profile_columns;
  for (uint32_t column = 0; column < profiles.size(); ++column) {
    if (profiles[column] == kNoProfile)
      continue;
    const size_t at = batch_.profiles[profiles[column]].samples.begin + (row - run.begin);
    set(column, batch_.values[batch_.samples[at].values.begin]);
  }
}

}  // namespace flarestack::codec::pprof

// SPDX-License-Identifier: Apache-2.0
//
// Produces the samples of a pprof profile from an OTLP message on request. Links, timestamps and
// attributes become labels. Private to from_otlp.cc.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "base/memory/arena.h"
#include "base/warnings.h"
#include "codec/pprof/bundles.h"
#include "codec/pprof/from_otlp.h"
#include "codec/pprof/from_otlp_tables.h"
#include "codec/pprof/message/sample_source.h"
#include "codec/pprof/otlp_rows.h"
#include "model/batch.h"

namespace flarestack::codec::pprof {

class OtlpSamples : public SampleSource {
 public:
  // `batch` and `bundles` must outlive this object. `adds_up` treats all bundles as one.
  OtlpSamples(const model::Batch& batch, const Bundles& bundles, bool adds_up)
      : batch_(batch),
        dictionary_(batch.dictionary),
        bundles_(bundles),
        rows_(batch, bundles, adds_up),
        adds_up_(adds_up) {}

  // Call it once, before any other function. Adds the empty location to the tables if a stack
  // contains it.
  absl::Status Collect(const FromOtlpOptions& options, TableWriter* tables,
                       base::Warnings* warnings);

  size_t size() const override { return rows_.size(); }
  uint64_t location_count() const override { return location_count_; }
  std::span<const Label> LabelsOf(size_t sample, SampleRoom* room) const override;
  SampleView At(size_t sample, SampleRoom* room) const override;

 private:
  // The labels of a link.
  struct LinkText {
    bool is_known = false;
    bool is_whole = false;
    std::string_view trace_id;  // in hex
    std::string_view span_id;
    std::string_view both;
  };

  void PrepareLabels(const RowView& row, base::Warnings* warnings);
  void PrepareLink(model::LinkIndex link, base::Warnings* warnings);
  bool AppendAttributeLabels(const model::Sample& sample, std::vector<Label>* out) const;
  void AppendLink(model::LinkIndex link, bool keys_are_taken, std::vector<Label>* out) const;
  void AppendAbsentColumns(size_t sample, const RowView& row, SampleRoom* room) const;

  const model::Batch& batch_;
  const model::Dictionary& dictionary_;
  const Bundles& bundles_;
  OtlpRows rows_;
  const bool adds_up_;
  bool is_plain_ = false;
  uint64_t location_count_ = 0;
  std::vector<uint32_t> location_positions_;  // by location index of the dictionary

  base::Arena arena_;
  std::vector<std::vector<Label>> labels_of_attribute_;  // empty until needed
  std::vector<LinkText> link_texts_;                     // by link
  absl::flat_hash_map<std::string_view, std::string_view> escaped_;
};

}  // namespace flarestack::codec::pprof

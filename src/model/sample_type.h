// SPDX-License-Identifier: Apache-2.0
//
// Selects the profiles of one sample type from a batch, and reduces them to (stack, weight) pairs
// for the formats that store nothing more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "model/batch.h"

namespace flarestack::model {

struct SampleTypeView {
  std::string_view type;
  std::string_view unit;
  std::vector<uint32_t> profiles;  // in Batch::profiles
};

// Each (type, unit) once, in the order of first appearance.
std::vector<SampleTypeView> ListSampleTypes(const Batch& batch);

// Whether two names mean the same sample type: they are equal, or both are spellings of off_cpu,
// which people and profilers also write as offcpu and off-cpu.
bool SameSampleType(std::string_view a, std::string_view b);

// `wanted` is "type", "type/unit" or "type:unit", in any spelling. If it is empty, selects the type
// that pprof.scope.default_sample_type names, else the first. A kNotFound error lists the available
// types.
absl::StatusOr<SampleTypeView> SelectSampleType(const Batch& batch, std::string_view wanted);

struct StackWeight {
  StackIndex stack;
  int64_t weight = 0;
};

// Each stack of those profiles once, with the saturating sum of its samples' weights, in the order
// of first appearance. Gauges (gauge_type.h) are averaged over the snapshots of an instance.
std::vector<StackWeight> SumByStack(const Batch& batch, const SampleTypeView& type);

}  // namespace flarestack::model

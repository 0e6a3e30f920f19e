// SPDX-License-Identifier: Apache-2.0
//
// Converts a window of samples to OTLP profiles: one resource per group of processes, one profile
// per profile type, and frames as locations with the ids of their files, for later symbolization.
// Kernel frames are already symbolized.
//
// If a stack could not be unwound completely, its outermost frame says why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "record/code/code_files.h"
#include "record/kernel/kernel_names.h"
#include "record/process/service/otel_variables.h"
#include "record/trace/location_writer.h"
#include "record/trace/sample_collector.h"
#include "record/trace/sample_groups.h"

namespace flarestack::record::agent {

struct ProfileTypes {
  bool cpu = true;       // cpu/nanoseconds and samples/count
  bool off_cpu = false;  // off_cpu/nanoseconds
  bool wall = false;     // wall/nanoseconds: both
  // page-faults/count and others, by name; Trace::event is an index into this list.
  std::vector<std::string> counted = {};
};

struct ProfileWriterOptions {
  ProfileTypes types;
  uint64_t period_ns = 0;       // of on-CPU samples
  uint64_t counted_period = 0;  // of counted events; 0: it varies
  int64_t clock_offset_ns = 0;  // from CLOCK_MONOTONIC to Unix time
  bool has_timestamps = true;   // false: samples are aggregated
  Grouping grouping = Grouping::kProcess;
  std::vector<TextAttribute> host;  // attributes of every resource
};

// Lost samples, reported as samples of the recorder itself.
struct Losses {
  uint64_t samples = 0;
};

struct WrittenProfiles {
  model::Batch batch;
  uint64_t process_count = 0;   // that have samples
  uint64_t resource_count = 0;  // into which they were grouped
  uint64_t merged_count = 0;    // processes that share a resource with others for lack of space
};

// Returns kResourceExhausted if a table overflows.
absl::StatusOr<WrittenProfiles> WriteProfiles(const SampleWindow& window,
                                              const FrameSources& sources, const Losses& losses,
                                              const ProfileWriterOptions& options);

}  // namespace flarestack::record::agent

// SPDX-License-Identifier: Apache-2.0
//
// A window of samples as OTLP has it: for each group of processes a resource, for each type of
// profile one profile, and frames as locations with the ids of their files, so that whoever has
// symbols can name them. Frames of the kernel have their names already.
//
// Where a stack was not walked to its end, its outermost frame says why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "record/code/code_files.h"
#include "record/kernel/kernel_names.h"
#include "record/process/otel_variables.h"
#include "record/trace/sample_collector.h"
#include "record/trace/sample_groups.h"

namespace flarestack::record::agent {

struct ProfileTypes {
  bool cpu = true;       // cpu/nanoseconds and samples/count
  bool off_cpu = false;  // off_cpu/nanoseconds
  bool wall = false;     // wall/nanoseconds: both
  // page-faults/count and others, by name; Trace::event is a place here.
  std::vector<std::string> counted = {};
};

struct ProfileWriterOptions {
  ProfileTypes types;
  uint64_t period_ns = 0;       // of samples on the processor
  uint64_t counted_period = 0;  // of counted events; 0: it changes
  int64_t clock_offset_ns = 0;  // from CLOCK_MONOTONIC to the time of day
  bool has_timestamps = true;   // else samples are added up
  Grouping grouping = Grouping::kProcess;
  std::vector<TextAttribute> host;  // attributes of every resource
};

// What was lost on the way, shown as samples of the recorder itself.
struct Losses {
  uint64_t samples = 0;
};

struct WrittenProfiles {
  model::Batch batch;
  uint64_t process_count = 0;   // that have samples
  uint64_t resource_count = 0;  // into which they were grouped
  uint64_t merged_count = 0;    // processes that share a resource with others for want of room
};

// Both must live as long as the call. kResourceExhausted when a table overflows.
absl::StatusOr<WrittenProfiles> WriteProfiles(const SampleWindow& window, const CodeFiles& files,
                                              KernelNames* kernel_names, const Losses& losses,
                                              const ProfileWriterOptions& options);

}  // namespace flarestack::record::agent

// SPDX-License-Identifier: Apache-2.0
#include "check/checks.h"

#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/helper_pool.h"
#include "model/validation/validate.h"

namespace flarestack::check {
namespace {

uint64_t Now(const CheckOptions& options) {
  if (options.now_unix_nano != 0)
    return options.now_unix_nano;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// A conversion from pprof leaves traces: the original payload, or attributes for data that has no
// OTLP field.
bool IsFromPprof(const Context& in) {
  for (const model::Profile& profile : in.batch.profiles) {
    if (profile.original_payload_format == "pprof")
      return true;
  }
  constexpr std::string_view kPrefix = "pprof.";
  for (const model::Attribute& attribute : in.tables.attributes) {
    if (in.Text(attribute.key).starts_with(kPrefix))
      return true;
  }
  for (const model::Scope& scope : in.batch.scopes) {
    for (const model::KeyValue& node : model::In(in.tables.nodes, scope.attributes)) {
      if (in.Key(node).starts_with(kPrefix))
        return true;
    }
  }
  return false;
}

// A group of rules that can run in parallel with the others. No two parts add findings for the same
// rule, so their order does not affect the result. The slowest parts come first.
using Part = void (*)(Context* in);
constexpr Part kParts[] = {
    [](Context* in) {
      CheckDuplicates(in);
      CheckAttributes(*in);
    },
    [](Context* in) { CheckSamples(*in); },
    [](Context* in) { CheckOrphans(*in); },
    [](Context* in) { CheckIndices(*in); },
    [](Context* in) {
      CheckStructure(*in);
      CheckProfiles(*in);
      CheckTables(*in);
      CheckConventions(*in);
    },
};

Context WithFindings(const Context& in, Collector* findings) {
  return {.batch = in.batch,
          .tables = in.tables,
          .findings = *findings,
          .root = in.root,
          .index_fault = in.index_fault,
          .is_from_pprof = in.is_from_pprof,
          .is_converted = in.is_converted,
          .now_unix_nano = in.now_unix_nano};
}

void CheckInParallel(const Context& in, uint64_t findings_per_rule) {
  std::vector<Collector> found(std::size(kParts), Collector(findings_per_rule));
  const absl::Status done = base::ParallelFor(found.size(), [&](size_t part) {
    Context context = WithFindings(in, &found[part]);
    kParts[part](&context);
    return absl::OkStatus();
  });
  FLARE_CHECK(done.ok());
  for (Collector& part : found)
    in.findings.Append(std::move(part));
}

bool IsLarge(const model::Batch& batch) {
  constexpr size_t kLargeEntries = 50'000;
  return batch.samples.size() + batch.dictionary.stacks.size() +
             batch.dictionary.locations.size() >=
         kLargeEntries;
}

}  // namespace

void CheckBatch(const model::Batch& batch, const CheckOptions& options, const Path& root,
                Collector* findings, Origin origin, Work work) {
  Context in = {.batch = batch,
                .tables = batch.dictionary,
                .findings = *findings,
                .root = root,
                .index_fault = model::ValidateIndices(batch),
                .is_converted = origin == Origin::kConverted,
                .now_unix_nano = Now(options)};
  in.is_from_pprof = options.is_from_pprof || IsFromPprof(in);
  if (work == Work::kParallel || (work == Work::kBySize && IsLarge(batch))) {
    CheckInParallel(in, options.findings_per_rule);
    return;
  }
  for (const Part part : kParts)
    part(&in);
}

}  // namespace flarestack::check

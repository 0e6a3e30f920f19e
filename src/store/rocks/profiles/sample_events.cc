// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/sample_events.h"

#include <utility>

#include "base/status.h"
#include "store/rocks/profiles/chunk_scan.h"

namespace flarestack::store::rocks {
namespace {

absl::Status AddRow(const Chunk& chunk, const ChunkRow& row, ReadControl* control,
                    SamplesByProfile* profiles) {
  SampleIdentity identity = {
      .stack = row.stack, .attributes = chunk.attribute_sets[row.attributes], .link = {}};
  if (row.link != 0)
    identity.link = chunk.links[row.link - 1];
  SampleEvents& events = (*profiles)[chunk.profiles[row.profile]][std::move(identity)];
  const bool is_new = events.times.empty();
  FLARE_RETURN_IF_ERROR(control->Hold(ReadControl::kEvent + (is_new ? ReadControl::kSample : 0)));
  events.times.push_back(row.time);
  events.values.push_back(row.value);
  return absl::OkStatus();
}

}  // namespace

absl::Status AddEvents(const Chunk& chunk, TimeRange range, const RowFilter& filter,
                       ReadControl* control, SamplesByProfile* profiles) {
  absl::Status status;
  ForEachRowNear(chunk, range, [&](const ChunkRow& row) {
    if (status.ok() && filter.Accepts(row, range))
      status = AddRow(chunk, row, control, profiles);
  });
  return status;
}

}  // namespace flarestack::store::rocks

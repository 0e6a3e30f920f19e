// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: no crash and bounded memory. A valid decoded batch means the same after it is written
// and read again.
#include <string>

#include "base/check.h"
#include "base/warnings.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "model/builder/batch_builder.h"
#include "model/builder/content_ids.h"
#include "model/dump/dump.h"
#include "model/validation/validate.h"

namespace otlp = flarestack::codec::otlp;
namespace model = flarestack::model;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const otlp::Limits limits = {
      .table_entries_max = 1 << 16, .samples_max = 1 << 16, .list_elements_max = 1 << 18};
  model::Batch batch;
  if (!otlp::DecodeProtobuf(bytes, limits, &batch).ok() || !model::ValidateIndices(batch).ok()) {
    return 0;
  }
  flarestack::base::Warnings warnings;
  model::RepairText(&batch, &warnings);
  model::ComputeContentIds(batch.dictionary);
  flarestack::codec::wire::ReverseWriter out(otlp::EstimateProtobufBytes(batch));
  otlp::EncodeProtobuf(batch, &out);

  // Shapes that OTLP forbids may be read as an older layout the second time, so require the current
  // layout.
  model::Batch again;
  const auto layout = otlp::DecodeProtobuf(out.view(), limits, &again);
  FLARE_CHECK(layout.ok() || layout.status().code() == absl::StatusCode::kInvalidArgument,
              layout.status().ToString());
  if (!layout.ok() || *layout != otlp::Layout::k110) {
    return 0;
  }
  FLARE_CHECK(model::ValidateIndices(again).ok());
  FLARE_CHECK(model::Dump(batch) == model::Dump(again));

  model::BatchBuilder builder(model::Grouping::kNone);
  builder.Merge(batch);
  const auto merged = std::move(builder).Finish();
  FLARE_CHECK(merged.ok() && model::ValidateIndices(*merged).ok());
  return 0;
}

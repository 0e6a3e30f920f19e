// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: DecodeJson returns a batch or an error. A batch with valid indices means the same
// after it is written and read again.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/status.h"
#include "codec/otlp/profiles/json_reader.h"
#include "codec/otlp/profiles/json_writer.h"
#include "model/dump/dump.h"
#include "model/validation/validate.h"

namespace flarestack::codec::otlp {
namespace {

void Check(std::string_view json) {
  model::Batch batch;
  base::Warnings warnings;
  const absl::Status status = DecodeJson(json, &batch, &warnings);
  if (!status.ok()) {
    FLARE_CHECK(absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status),
                base::Message(status));
    return;
  }
  std::string written;
  const absl::Status write_status = EncodeJson(batch, [&](std::string_view piece) {
    written.append(piece);
    return absl::OkStatus();
  });
  FLARE_CHECK(write_status.ok(), base::Message(write_status));
  model::Batch again;
  const absl::Status read_status = DecodeJson(written, &again, &warnings);
  FLARE_CHECK(read_status.ok(), base::Message(read_status), " in ", written);
  if (model::ValidateIndices(batch).ok()) {
    FLARE_CHECK(model::Dump(batch) == model::Dump(again), written);
  }
}

}  // namespace
}  // namespace flarestack::codec::otlp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  flarestack::codec::otlp::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// Runs any bytes through the whole path of `convert`: readable input has valid indices, every
// writer writes it or returns a reason, and the output of the OTLP writer means the same when read
// back.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/status.h"
#include "codec/input_collector.h"
#include "codec/registry.h"
#include "model/dump/dump.h"
#include "model/validation/validate.h"

namespace flarestack::codec {
namespace {

constexpr InputLimits kLimits = {.bytes_max = 16 << 20};
constexpr size_t kOutputBytesMax = 4 << 20;

// Stops a writer that turns a few bytes into megabytes. Returns whether it wrote everything.
bool Write(const Writer& writer, const model::Batch& batch, std::string* out) {
  base::Warnings warnings;
  const absl::Status status =
      writer.write(batch, {.warnings = &warnings}, [&](std::string_view piece) -> absl::Status {
        if (out->size() + piece.size() > kOutputBytesMax)
          return absl::ResourceExhaustedError("enough");
        out->append(piece);
        return absl::OkStatus();
      });
  FLARE_CHECK(status.ok() || !base::Message(status).empty(), writer.name);
  return status.ok();
}

void ExpectReadBack(const Writer& writer, const model::Batch& batch, const std::string& written) {
  base::Warnings warnings;
  InputCollector again(kLimits, &warnings);
  const auto info = again.Add(written);
  FLARE_CHECK(info.ok(), writer.name, ": ", info.status().ToString());
  const auto copy = again.Finish();
  FLARE_CHECK(copy.ok(), writer.name, ": ", copy.status().ToString());
  const std::string before = model::Dump(batch);
  const std::string after = model::Dump(**copy);
  FLARE_CHECK(before == after, writer.name, "\n", before, "---\n", after);
}

}  // namespace
}  // namespace flarestack::codec

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flarestack;  // NOLINT(google-build-using-namespace): a program of one function
  base::Warnings warnings;
  codec::InputCollector collector(codec::kLimits, &warnings);
  const auto info = collector.Add(std::string(reinterpret_cast<const char*>(data), size));
  if (!info.ok())
    return 0;
  const auto batch = collector.Finish();
  if (!batch.ok())
    return 0;
  FLARE_CHECK(model::ValidateIndices(**batch).ok());
  for (const codec::Writer* writer : codec::Writers()) {
    std::string out;
    if (codec::Write(*writer, **batch, &out) && writer->name == "otlp")
      codec::ExpectReadBack(*writer, **batch, out);
  }
  return 0;
}

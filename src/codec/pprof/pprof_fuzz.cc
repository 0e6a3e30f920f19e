// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: no crash. A decoded profile survives writing and reading, means the same after
// conversion to OTLP and back, and in plain form is valid and not larger.
#include <string>

#include "base/check.h"
#include "base/warnings.h"
#include "codec/pprof/from_otlp.h"
#include "codec/pprof/message/reader.h"
#include "codec/pprof/message/writer.h"
#include "codec/pprof/to_otlp.h"
#include "model/dump/dump.h"
#include "model/validation/validate.h"

namespace pprof = flarestack::codec::pprof;
namespace model = flarestack::model;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  flarestack::base::Warnings warnings;
  const auto profile = pprof::DecodeProfile(bytes, &warnings);
  if (!profile.ok()) {
    return 0;
  }
  const std::string written(pprof::EncodeProfile(*profile).view());
  const auto again = pprof::DecodeProfile(written, &warnings);
  FLARE_CHECK(again.ok(), again.status().ToString());
  FLARE_CHECK(pprof::EncodeProfile(*again).view() == written);

  const auto batch = pprof::ToOtlp(*profile, &warnings);
  if (!batch.ok()) {
    return 0;
  }
  FLARE_CHECK(model::ValidateIndices(*batch).ok());
  const auto back = pprof::FromOtlp(*batch, {}, &warnings);
  FLARE_CHECK(back.ok(), back.status().ToString());
  const auto batch_again = pprof::ToOtlp(*back, &warnings);
  FLARE_CHECK(batch_again.ok(), batch_again.status().ToString());
  FLARE_CHECK(model::Dump(*batch) == model::Dump(*batch_again));

  const auto plain = pprof::FromOtlp(*batch, {.plain = true}, &warnings);
  FLARE_CHECK(plain.ok(), plain.status().ToString());
  FLARE_CHECK(plain->samples.size() <= back->samples.size());
  FLARE_CHECK(plain->locations.size() <= back->locations.size());
  FLARE_CHECK(plain->functions.size() <= back->functions.size());
  const std::string plainly(pprof::EncodeProfile(*plain).view());
  const auto plain_again = pprof::DecodeProfile(plainly, &warnings);
  FLARE_CHECK(plain_again.ok(), plain_again.status().ToString());
  FLARE_CHECK(pprof::EncodeProfile(*plain_again).view() == plainly);
  return 0;
}

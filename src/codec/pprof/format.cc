// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/format.h"

#include <utility>

#include "base/compress.h"
#include "base/status.h"
#include "codec/pprof/from_otlp.h"
#include "codec/pprof/legacy.h"
#include "codec/pprof/reader.h"
#include "codec/pprof/to_otlp.h"
#include "codec/pprof/writer.h"

namespace flarestack::codec::pprof {
namespace {

absl::Status ReadPprof(std::string_view bytes, const ReadOptions& options, EmitBatch emit) {
  SampleTotals totals;
  FLARE_ASSIGN(const Profile tables, DecodeTables(bytes, options.warnings, &totals));
  FLARE_ASSIGN(
      model::Batch batch,
      ToOtlp(
          tables, totals, [&](VisitSample visit) { return DecodeSamples(bytes, tables, visit); },
          options.warnings));
  return emit(std::move(batch));
}

absl::Status ReadLegacyPprof(std::string_view bytes, const ReadOptions& options, EmitBatch emit) {
  FLARE_ASSIGN(const Profile profile, ReadLegacy(bytes, options.warnings));
  FLARE_ASSIGN(model::Batch batch, ToOtlp(profile, options.warnings));
  return emit(std::move(batch));
}

absl::Status WritePprof(const model::Batch& batch, const WriteOptions& options, WriteBytes write) {
  FLARE_ASSIGN(
      Profile profile,
      FromOtlp(batch, {.aggregate = options.aggregate, .plain = options.plain}, options.warnings));
  const wire::ReverseWriter encoded = EncodeProfile(profile);
  profile = {};  // a large one leaves before its compressed form comes
  return write(options.compresses_quickly ? base::GzipQuickly(encoded.view())
                                          : base::Gzip(encoded.view()));
}

constexpr std::string_view kExtensions[] = {".pb.gz", ".pprof", ".pb", ".pprof.gz", ".prof"};

}  // namespace

const Reader kPprofReader = {.name = "pprof",
                             .summary = "pprof's profile.proto",
                             .recognises = LooksLikePprof,
                             .batches_own_text = true,
                             .read = ReadPprof};

const Reader kLegacyPprofReader = {
    .name = "pprof-legacy",
    .summary = "gperftools, jemalloc, Go and Java profiles from before profile.proto",
    .recognises = LooksLikeLegacy,
    .batches_own_text = true,
    .read = ReadLegacyPprof};

const Writer kPprofWriter = {.name = "pprof",
                             .summary = "pprof's profile.proto, gzip",
                             .extensions = kExtensions,
                             .holds_one_sample_type = false,
                             .takes_sample_type = false,
                             .takes_aggregate = true,
                             .is_binary = true,
                             .compresses_itself = true,
                             .write = WritePprof};

}  // namespace flarestack::codec::pprof

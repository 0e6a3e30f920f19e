// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/format.h"

#include <utility>

#include "base/compress/compress.h"
#include "base/status.h"
#include "codec/pprof/from_otlp.h"
#include "codec/pprof/legacy/legacy.h"
#include "codec/pprof/message/reader.h"
#include "codec/pprof/message/writer.h"
#include "codec/pprof/to_otlp.h"

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
  FLARE_ASSIGN(const OtlpProfile profile,
               ViewAsPprof(batch, {.aggregate = options.aggregate, .plain = options.plain},
                           options.warnings));
  const ProfilePieces pieces(profile.tables(), profile.samples(), base::kGzipPieceBytes);
  const base::GzipLevel level =
      options.compresses_quickly ? base::GzipLevel::kQuick : base::GzipLevel::kNormal;
  if (pieces.count() == 1) {
    const wire::ReverseWriter encoded = pieces.Encode(0);
    return write(level == base::GzipLevel::kQuick ? base::GzipQuickly(encoded.view())
                                                  : base::Gzip(encoded.view()));
  }
  return base::GzipPieces(
      {.piece_count = pieces.count(),
       .make = [&](size_t piece, base::TakeBytes take) { take(pieces.Encode(piece).view()); }},
      level, write);
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

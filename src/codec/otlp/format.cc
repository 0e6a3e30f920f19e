// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/format.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/text.h"
#include "codec/otlp/json_reader.h"
#include "codec/otlp/json_writer.h"
#include "codec/otlp/protobuf_reader.h"
#include "codec/otlp/protobuf_writer.h"
#include "codec/otlp/split.h"
#include "codec/wire/reader.h"
#include "model/validate.h"

namespace flarestack::codec::otlp {
namespace {

using base::StrCat;
using wire::kBytes;
using wire::Reader;

constexpr int kFieldsLookedAt = 64;

// ResourceProfiles reserves this number for good; a message that has it all the same is OTLP.
constexpr uint32_t kReservedField = 1000;

// Whether the fields of a message are all bytes with numbers up to `field_max`. A message that ends
// too early is taken when its start was right: the reader will say where it is cut.
bool HoldsOnlyMessages(std::string_view bytes, uint32_t field_max) {
  wire::Fault fault;
  int fields = 0;
  for (Reader in(bytes, &fault); fields < kFieldsLookedAt && in.Next(); ++fields) {
    if (in.type() != kBytes || (in.field() > field_max && in.field() != kReservedField))
      return false;
    in.Skip();
  }
  return !fault.is_set() || fields > 0;
}

// The message holds resources (1) and a dictionary (2), and in 1.6 tables up to field 8. pprof has
// the same numbers, but its first field is a pair of numbers where a resource has messages.
bool LooksLikeOtlp(std::string_view bytes) {
  constexpr uint32_t kFieldMax = 8;
  constexpr uint32_t kResourceFieldMax = 3;
  if (bytes.empty() || !HoldsOnlyMessages(bytes, kFieldMax))
    return false;
  wire::Fault fault;
  bool has_resources_or_dictionary = false;
  bool has_resource_content = false;
  bool has_tables = false;  // of 1.6, or of a pprof
  int fields = 0;
  for (Reader in(bytes, &fault); fields < kFieldsLookedAt && in.Next(); ++fields) {
    const uint32_t field = in.field();
    const std::string_view content = in.Bytes();
    if (fault.is_set())
      break;
    if (field == 1 && !HoldsOnlyMessages(content, kResourceFieldMax))
      return false;
    if (field == 2 && !HoldsOnlyMessages(content, kFieldMax))
      continue;  // a mapping of 1.6
    has_resources_or_dictionary = has_resources_or_dictionary || field <= 2;
    has_resource_content = has_resource_content || (field == 1 && !content.empty());
    has_tables = has_tables || field > 2;
  }
  // A pprof whose sample type has no name begins with an empty field 1, too.
  if (has_tables && !has_resource_content)
    return false;
  return has_resources_or_dictionary || fault.is_set();
}

absl::Status ReadMessage(std::string_view bytes, const ReadOptions& options, EmitBatch emit) {
  model::Batch batch;
  FLARE_ASSIGN(const Layout layout, DecodeProtobuf(bytes, {}, &batch));
  if (layout < Layout::k110) {
    options.warnings->Add("an older OTLP layout was read and brought to today's",
                          StrCat("opentelemetry-proto ", LayoutName(layout)));
  }
  FLARE_RETURN_IF_ERROR(model::ValidateIndices(batch));
  model::RepairText(&batch, options.warnings);
  return emit(std::move(batch));
}

// A length, and that many bytes of a message. A bare message begins with a field tag of 0x0a or
// 0x12, which as the first byte of a length would announce at least 160 MiB. What follows its first
// four bytes can look like a message too, so the bare one is asked first.
bool LooksFramed(std::string_view bytes) {
  if (bytes.size() < kFrameHeaderBytes || LooksLikeOtlp(bytes))
    return false;
  const uint32_t length = FrameLength(bytes);
  const std::string_view rest = bytes.substr(kFrameHeaderBytes);
  return length > 0 && LooksLikeOtlp(rest.substr(0, std::min<size_t>(length, rest.size())));
}

// A writer that was killed leaves the last message cut short; those before it are good.
absl::Status ReadFrames(std::string_view bytes, const ReadOptions& options, EmitBatch emit) {
  const std::string_view complete = CompleteFrames(bytes);
  if (!complete.empty() && complete.size() < bytes.size()) {
    options.warnings->Add(
        "the last message is cut short and was left out",
        StrCat(bytes.size() - complete.size(), " bytes at byte ", complete.size()));
    bytes = complete;
  }
  return ForEachFrame(
      bytes, [&](std::string_view message) { return ReadMessage(message, options, emit); });
}

bool LooksLikeJson(std::string_view bytes) { return SkipJsonSpace(bytes).starts_with("{"); }

absl::Status ReadJson(std::string_view bytes, const ReadOptions& options, EmitBatch emit) {
  return ForEachJsonObject(bytes, [&](std::string_view object) {
    model::Batch batch;
    FLARE_RETURN_IF_ERROR(DecodeJson(object, &batch, options.warnings));
    FLARE_RETURN_IF_ERROR(model::ValidateIndices(batch));
    model::RepairText(&batch, options.warnings);
    return emit(std::move(batch));
  });
}

absl::Status WriteProtobuf(const model::Batch& batch, const WriteOptions&, WriteBytes write) {
  wire::ReverseWriter out(EstimateProtobufBytes(batch));
  EncodeProtobuf(batch, &out);
  return write(out.view());
}

absl::Status WriteJson(const model::Batch& batch, const WriteOptions&, WriteBytes write) {
  FLARE_RETURN_IF_ERROR(EncodeJson(batch, write));
  return write("\n");
}

constexpr std::string_view kOtlpExtensions[] = {".otlp", ".binpb", ".bin"};
constexpr std::string_view kJsonExtensions[] = {".json", ".jsonl", ".ndjson"};

}  // namespace

const codec::Reader kOtlpReader = {.name = "otlp",
                                   .summary = "OTLP profiles, protobuf (versions 1.4 to 1.11)",
                                   .recognises = LooksLikeOtlp,
                                   .batches_own_text = false,
                                   .read = ReadMessage};

const codec::Reader kFramedOtlpReader = {
    .name = "otlp-framed",
    .summary = "OTLP protobuf messages, each behind a 4-byte length",
    .recognises = LooksFramed,
    .batches_own_text = false,
    .read = ReadFrames};

const codec::Reader kOtlpJsonReader = {.name = "otlp-json",
                                       .summary = "OTLP/JSON, one object or one per line",
                                       .recognises = LooksLikeJson,
                                       .batches_own_text = true,
                                       .read = ReadJson};

const Writer kOtlpWriter = {.name = "otlp",
                            .summary = "OTLP profiles, protobuf",
                            .extensions = kOtlpExtensions,
                            .holds_one_sample_type = false,
                            .takes_sample_type = false,
                            .holds_events = true,
                            .is_binary = true,
                            .write = WriteProtobuf};

const Writer kOtlpJsonWriter = {.name = "otlp-json",
                                .summary = "OTLP/JSON, one object on one line",
                                .extensions = kJsonExtensions,
                                .holds_one_sample_type = false,
                                .takes_sample_type = false,
                                .holds_events = true,
                                .write = WriteJson};

}  // namespace flarestack::codec::otlp

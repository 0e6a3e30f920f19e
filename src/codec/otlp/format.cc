// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/format.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/json_reader.h"
#include "codec/otlp/profiles/json_writer.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "codec/otlp/recognise.h"
#include "codec/otlp/split.h"
#include "model/signal.h"
#include "model/validation/validate.h"

namespace flarestack::codec::otlp {
namespace {

using base::StrCat;

absl::Status ReadMessage(std::string_view bytes, const ReadOptions& options, EmitBatch emit) {
  if (const model::Signal signal = SignalOf(bytes); signal != model::Signal::kProfiles)
    return OtherSignalError(signal);
  model::Batch batch;
  FLARE_ASSIGN(const Layout layout, DecodeProtobuf(bytes, {}, &batch));
  if (layout < Layout::k110) {
    options.warnings->Add("an older OTLP layout was converted to the current one",
                          StrCat("opentelemetry-proto ", LayoutName(layout)));
  }
  FLARE_RETURN_IF_ERROR(model::ValidateIndices(batch));
  model::RepairText(&batch, options.warnings);
  return emit(std::move(batch));
}

// A frame is a length followed by that many bytes of a message, protobuf or JSON. A bare message
// begins with a field tag of 0x0a or 0x12, which as the first byte of a length would mean at least
// 160 MiB. The bytes after its first four can look like a message too, so check for a bare message
// first.
bool LooksFramed(std::string_view bytes) {
  if (bytes.size() < kFrameHeaderBytes || LooksLikeOtlp(bytes))
    return false;
  const uint32_t length = FrameLength(bytes);
  const std::string_view rest = bytes.substr(kFrameHeaderBytes);
  const std::string_view message = rest.substr(0, std::min<size_t>(length, rest.size()));
  // Neither text nor a protobuf message begins with such a byte.
  constexpr uint32_t kJsonBytesMax = 0x07ff'ffff;
  return length > 0 &&
         (LooksLikeOtlp(message) || (length <= kJsonBytesMax && LooksLikeJson(message)));
}

absl::Status ReadJson(std::string_view bytes, const ReadOptions& options, EmitBatch emit) {
  const auto take = [&](std::string_view object) {
    model::Batch batch;
    FLARE_RETURN_IF_ERROR(DecodeJson(object, &batch, options.warnings));
    FLARE_RETURN_IF_ERROR(model::ValidateIndices(batch));
    model::RepairText(&batch, options.warnings);
    return emit(std::move(batch));
  };
  return ForEachJsonObject(bytes, take, [&](model::Signal other) {
    options.warnings->Add("objects of other signals were skipped",
                          std::string(model::SignalName(other)));
  });
}

// A killed writer leaves the last message truncated; the messages before it are good.
absl::Status ReadFrames(std::string_view bytes, const ReadOptions& options, EmitBatch emit) {
  const std::string_view complete = CompleteFrames(bytes);
  if (!complete.empty() && complete.size() < bytes.size()) {
    options.warnings->Add(
        "the last message is truncated and was skipped",
        StrCat(bytes.size() - complete.size(), " bytes at byte ", complete.size()));
    bytes = complete;
  }
  return ForEachFrame(bytes, [&](std::string_view message) {
    return LooksLikeJson(message) ? ReadJson(message, options, emit)
                                  : ReadMessage(message, options, emit);
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
    .summary = "OTLP messages, protobuf or JSON, each with a 4-byte length prefix",
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

// SPDX-License-Identifier: Apache-2.0
#include "check/check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/helper_pool.h"
#include "base/status.h"
#include "base/text/text.h"
#include "base/warnings.h"
#include "check/checks.h"
#include "check/json_findings.h"
#include "codec/otlp/format.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/json_reader.h"
#include "codec/otlp/split.h"
#include "codec/registry.h"
#include "model/validation/validate.h"

namespace flarestack::check {
namespace {

namespace otlp = codec::otlp;
using base::StrCat;

// Checks one file, message by message.
class FileChecker {
 public:
  FileChecker(std::string_view bytes, const CheckOptions& options)
      : bytes_(bytes), options_(options), findings_(options.findings_per_rule) {}

  absl::Status CheckProtobuf() { return CheckMessage(bytes_, Path()); }

  absl::Status CheckFrames() {
    return otlp::ForEachFrame(bytes_, [&](std::string_view message) {
      const Path file;
      const Path at = file.Item("message", message_count_);
      return otlp::LooksLikeJson(message) ? CheckJsonObject(message, at)
                                          : CheckMessage(message, at);
    });
  }

  absl::Status CheckJson() {
    // A single object needs no number in its path, so count the objects first.
    size_t object_count = 0;
    const absl::Status counted = otlp::ForEachJsonObject(bytes_, [&](std::string_view) {
      ++object_count;
      return absl::OkStatus();
    });
    FLARE_RETURN_IF_ERROR(counted);
    return otlp::ForEachJsonObject(bytes_, [&](std::string_view object) {
      const Path file;
      return CheckJsonObject(object,
                             object_count > 1 ? file.Item("message", message_count_) : Path());
    });
  }

  absl::Status CheckConverted(const codec::Reader& reader) {
    CheckOptions options = options_;
    options.is_from_pprof = options.is_from_pprof || reader.name.starts_with("pprof");
    base::Warnings warnings;
    return reader.read(bytes_, {.warnings = &warnings}, [&](const model::Batch& batch) {
      ++message_count_;
      CheckBatch(batch, options, Path(), &findings_, Origin::kConverted);
      return absl::OkStatus();
    });
  }

  FileReport Finish() && {
    FileReport file;
    file.message_count = message_count_;
    for (const otlp::Layout layout : layouts_)
      file.layout += StrCat(file.layout.empty() ? "" : ", ", otlp::LayoutName(layout));
    file.report = std::move(findings_).Finish();
    return file;
  }

 private:
  absl::Status CheckMessage(std::string_view message, const Path& at) {
    // The wire check does not depend on the decoder, so a large message runs both in parallel.
    constexpr size_t kLargeBytes = size_t{1} << 20;
    const bool is_large = message.size() >= kLargeBytes;
    Collector wire_findings(options_.findings_per_rule);
    absl::StatusOr<otlp::Layout> decoded;
    if (is_large) {
      FLARE_RETURN_IF_ERROR(base::ParallelFor(2, [&](size_t part) {
        if (part == 0) {
          decoded = Decode(message);
        } else {
          CheckWire(message, at, &wire_findings);
        }
        return absl::OkStatus();
      }));
    } else {
      decoded = Decode(message);
    }
    FLARE_RETURN_IF_ERROR(decoded.status());
    const otlp::Layout layout = *decoded;
    ++message_count_;
    if (std::ranges::find(layouts_, layout) == layouts_.end())
      layouts_.push_back(layout);
    if (layout != otlp::Layout::k110) {
      findings_.Add(Rule::kOldLayout, at, [&] {
        return StrCat("the message has the layout of opentelemetry-proto ",
                      otlp::LayoutName(layout), "; send the layout of 1.10 or later");
      });
    } else if (is_large) {
      findings_.Append(std::move(wire_findings));
    } else {
      CheckWire(message, at, &findings_);
    }
    CheckBatch(batch_, options_, at, &findings_);
    return absl::OkStatus();
  }

  absl::Status CheckJsonObject(std::string_view object, const Path& at) {
    base::Warnings warnings;
    JsonFindings observer(at, &findings_);
    FLARE_RETURN_IF_ERROR(otlp::DecodeJsonObserved(object, &batch_, &warnings, &observer));
    ++message_count_;
    for (const auto& [kind, entry] : warnings.kinds())
      AddJsonForm(kind, entry, at);
    CheckBatch(batch_, options_, at, &findings_);
    return absl::OkStatus();
  }

  absl::StatusOr<otlp::Layout> Decode(std::string_view message) {
    return otlp::DecodeProtobuf(message, {}, &batch_, otlp::ReservedEntries::kAsSent);
  }

  void AddJsonForm(std::string_view kind, const base::Warnings::Kind& entry, const Path& at) {
    findings_.Add(Rule::kJsonForm, at, [&] {
      std::string message(kind);
      if (!entry.examples.empty() && !entry.examples.front().empty())
        base::StrAppend(&message, ": ", Quote(entry.examples.front()));
      if (entry.count > 1)
        base::StrAppend(&message, " (", entry.count, " times)");
      return message;
    });
  }

  std::string_view bytes_;
  const CheckOptions& options_;
  Collector findings_;
  model::Batch batch_;
  uint64_t message_count_ = 0;
  std::vector<otlp::Layout> layouts_;
};

// A resource with fields unknown to every version keeps a message from being recognized. The
// message is still OTLP if it decodes and has resources.
bool DecodesAsOtlp(std::string_view bytes) {
  model::Batch batch;
  const auto layout = otlp::DecodeProtobuf(bytes, {}, &batch);
  return layout.ok() && *layout == otlp::Layout::k110 && !batch.scopes.empty();
}

}  // namespace

Report Check(const model::Batch& batch, const CheckOptions& options) {
  Collector findings(options.findings_per_rule);
  CheckBatch(batch, options, Path(), &findings);
  return std::move(findings).Finish();
}

absl::StatusOr<FileReport> CheckBytes(std::string_view bytes, const CheckOptions& options) {
  std::string_view content = bytes;
  codec::UnpackedInput input;
  if (codec::LooksCompressed(bytes)) {
    FLARE_ASSIGN(input, codec::Unpack(std::string(bytes), options.limits.bytes_max));
    content = input.bytes;
  }
  const codec::Reader* reader = options.limits.reader;
  if (reader == nullptr)
    reader = codec::FindReader(content);
  if (reader == nullptr && DecodesAsOtlp(content))
    reader = &otlp::kOtlpReader;
  if (reader == nullptr)
    return codec::UnknownFormat(content);
  FileChecker checker(content, options);
  absl::Status status;
  if (reader == &otlp::kOtlpReader) {
    status = checker.CheckProtobuf();
  } else if (reader == &otlp::kFramedOtlpReader) {
    status = checker.CheckFrames();
  } else if (reader == &otlp::kOtlpJsonReader) {
    status = checker.CheckJson();
  } else {
    status = checker.CheckConverted(*reader);
  }
  if (!status.ok())
    return base::WithContext(reader->name, status);
  FileReport file = std::move(checker).Finish();
  file.format = reader->name;
  file.compression = input.compression;
  return file;
}

}  // namespace flarestack::check

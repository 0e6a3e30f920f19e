// SPDX-License-Identifier: Apache-2.0
#include "codec/perfscript/perf_script_reader.h"

#include <optional>

#include "base/status.h"
#include "base/text/encoding.h"
#include "codec/perfscript/event_collector.h"
#include "codec/perfscript/frame_collector.h"
#include "codec/perfscript/perf_script_line.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec::perfscript {
namespace {

constexpr size_t kJudgedBytes = size_t{64} << 10;
constexpr size_t kExcerptBytesMax = 80;
constexpr std::string_view kPerfEventsPrefix = "PERF_RECORD_";

std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

std::string Excerpt(std::string_view text) {
  return base::ToValidUtf8(text.substr(0, kExcerptBytesMax));
}

bool Recognises(std::string_view bytes) {
  std::string_view rest = bytes.substr(0, kJudgedBytes);
  if (rest.find('\0') != std::string_view::npos) {
    return false;
  }
  while (!rest.empty()) {
    const std::string_view line = TakeLine(&rest);
    if (IsBlank(line) || line.front() == '#') {
      continue;
    }
    // A word with a colon alone is not enough to identify perf's text.
    const std::optional<Header> header = ParseHeader(line);
    return header.has_value() && (header->tid.has_value() || !header->event.empty()) &&
           (header->tid.has_value() || header->time_ns.has_value());
  }
  return false;
}

class PerfScriptReading {
 public:
  explicit PerfScriptReading(const ReadOptions& options)
      : warnings_(*options.warnings),
        frames_(&builder_.dictionary(), options.warnings),
        events_(&builder_, options.warnings) {}

  absl::Status AddLine(std::string_view line) {
    if (IsBlank(line)) {
      EndSample();
      return absl::OkStatus();
    }
    if (line.front() == '#') {
      return absl::OkStatus();
    }
    if (const std::optional<Header> header = ParseHeader(line); header.has_value()) {
      EndSample();
      BeginSample(*header);
      return absl::OkStatus();
    }
    if (is_side_band_) {
      return absl::OkStatus();  // some of these records have more lines
    }
    const std::optional<SourceLine> source = ParseSourceLine(line);
    if (source.has_value() && frames_.AddSource(*source)) {
      return absl::OkStatus();
    }
    const bool is_indented = line.front() == '\t' || line.front() == ' ';
    const std::optional<FrameLine> frame = is_indented ? ParseFrame(line) : std::nullopt;
    if (!frame.has_value()) {
      return absl::InvalidArgumentError(
          base::StrCat("neither a sample nor a frame: \"", Excerpt(line), "\""));
    }
    frames_.Add(*frame);
    return absl::OkStatus();
  }

  absl::StatusOr<model::Batch> Finish() && {
    EndSample();
    events_.AddProfiles(builder_.AddScope(builder_.AddResource({}), {}));
    return std::move(builder_).Finish();
  }

 private:
  void BeginSample(const Header& header) {
    is_side_band_ = header.event.starts_with(kPerfEventsPrefix);
    if (is_side_band_) {
      warnings_.Add("perf event skipped", Excerpt(header.event));
      return;
    }
    header_ = header;
    if (const std::optional<FrameLine> frame = ParseHeaderFrame(header.rest); frame.has_value()) {
      frames_.Add(*frame);
    } else if (!IsBlank(header.rest)) {
      warnings_.Add("text after an event skipped", Excerpt(header.rest));
    }
  }

  // Frames without a header are also a sample: -F ip,sym prints only frames.
  void EndSample() {
    is_side_band_ = false;
    if (header_.has_value() || !frames_.empty()) {
      events_.Add(header_.value_or(Header()), frames_.TakeStack());
      header_.reset();
    }
  }

  base::Warnings& warnings_;
  model::BatchBuilder builder_;
  FrameCollector frames_;
  EventCollector events_;
  std::optional<Header> header_;  // of the current sample
  bool is_side_band_ = false;
};

absl::Status Read(std::string_view bytes, const ReadOptions& options, EmitBatch emit) {
  PerfScriptReading reading(options);
  for (uint64_t number = 1; !bytes.empty(); ++number) {
    const std::string_view line = TakeLine(&bytes);
    FLARE_RETURN_IF_ERROR(base::WithContext(base::StrCat("line ", number), reading.AddLine(line)));
  }
  FLARE_ASSIGN(model::Batch batch, std::move(reading).Finish());
  return emit(std::move(batch));
}

}  // namespace

const Reader kPerfScriptReader = {
    .name = "perf-script",
    .summary = "the text of `perf script`",
    .recognises = Recognises,
    .read = Read,
};

}  // namespace flarestack::codec::perfscript

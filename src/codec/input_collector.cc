// SPDX-License-Identifier: Apache-2.0
#include "codec/input_collector.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "codec/registry.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec {

struct InputCollector::State {
  std::deque<std::string> buffers;            // `first` points into these; a deque never moves them
  std::optional<model::Batch> first;          // set while there is only one
  std::optional<model::BatchBuilder> merged;  // set once there are several
  bool is_empty = true;
};

namespace {

constexpr size_t kExcerptBytes = 16;

}  // namespace

absl::Status UnknownFormat(std::string_view bytes) {
  if (bytes.empty()) {
    return absl::InvalidArgumentError("the input is empty");
  }
  if (LooksCompressed(bytes)) {
    return absl::InvalidArgumentError("compressed twice; one layer is removed");
  }
  if (bytes.starts_with("PERFILE2")) {
    return absl::InvalidArgumentError(
        "a perf.data file, which only perf can read; convert the output of perf script instead");
  }
  const std::string_view start = bytes.substr(0, kExcerptBytes);
  const bool is_text = std::ranges::all_of(start, [](char c) { return c >= ' ' && c <= '~'; });
  return absl::InvalidArgumentError(
      base::StrCat("unknown profile format; it starts with ",
                   is_text ? base::StrCat("\"", start, "\"") : base::HexEncode(start)));
}

absl::StatusOr<InputInfo> ReadInput(std::string* bytes, const InputLimits& limits,
                                    base::Warnings* warnings, EmitBatch emit) {
  FLARE_ASSIGN(UnpackedInput input, Unpack(std::move(*bytes), limits.bytes_max));
  *bytes = std::move(input.bytes);
  InputInfo info;
  info.compression = input.compression;
  info.bytes = bytes->size();
  const Reader* reader = limits.reader != nullptr ? limits.reader : FindReader(*bytes);
  if (reader == nullptr)
    return UnknownFormat(*bytes);
  info.format = reader->name;
  info.batches_own_text = reader->batches_own_text;
  const absl::Status status = reader->read(*bytes, {.warnings = warnings}, emit);
  if (!status.ok())
    return base::WithContext(reader->name, status);
  return info;
}

InputCollector::InputCollector(const InputLimits& limits, base::Warnings* warnings)
    : limits_(limits), warnings_(warnings), state_(std::make_unique<State>()) {}

InputCollector::~InputCollector() = default;

absl::StatusOr<InputInfo> InputCollector::Add(std::string bytes) {
  std::string& buffer = state_->buffers.emplace_back(std::move(bytes));
  FLARE_ASSIGN(const InputInfo info,
               ReadInput(&buffer, limits_, warnings_,
                         [&](model::Batch batch) { return Take(std::move(batch)); }));
  if (info.batches_own_text)
    state_->buffers.pop_back();
  return info;
}

absl::Status InputCollector::Take(model::Batch batch) {
  State& state = *state_;
  if (state.is_empty) {
    state.is_empty = false;
    state.first = std::move(batch);
    return absl::OkStatus();
  }
  if (!state.merged.has_value()) {
    state.merged.emplace();
    state.merged->Merge(*state.first);
    state.first.reset();
  }
  state.merged->Merge(batch);
  return state.merged->dictionary().status();
}

absl::StatusOr<model::Batch*> InputCollector::Finish() {
  State& state = *state_;
  if (state.merged.has_value()) {
    FLARE_ASSIGN(state.first, std::move(*state.merged).Finish());
    state.merged.reset();
  }
  if (!state.first.has_value())
    return absl::InvalidArgumentError("the input has no profile");
  return &*state.first;
}

}  // namespace flarestack::codec

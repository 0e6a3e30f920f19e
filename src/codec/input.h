// SPDX-License-Identifier: Apache-2.0
//
// From the bytes of a file to batches: compression and format are recognised by content, never by
// name. The user may say which format it is instead.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/format/format.h"
#include "codec/unpack.h"
#include "model/batch.h"

namespace flarestack::codec {

struct InputLimits {
  uint64_t bytes_max = uint64_t{1} << 30;  // of one input, after decompression
  const Reader* reader = nullptr;          // reads whatever comes; null: recognised by content
};

// What an input turned out to be, for people.
struct InputInfo {
  std::string_view format;       // name of its reader
  std::string_view compression;  // "gzip", "zstd" or empty
  bool batches_own_text = true;
  uint64_t bytes = 0;  // after decompression
};

// Says what bytes are that FindReader has no reader for.
absl::Status UnknownFormat(std::string_view bytes);

// Decompresses `bytes` in place, recognises the format and hands on each message. Batches may point
// into `bytes` (see Reader::batches_own_text). kInvalidArgument when no reader knows the bytes or
// they are bad, kResourceExhausted when a limit is met.
absl::StatusOr<InputInfo> ReadInput(std::string* bytes, const InputLimits& limits,
                                    base::Warnings* warnings, EmitBatch emit);

// Collects any number of inputs into one batch. A single message is handed on as it is; several are
// merged, with equal resources and table entries becoming one.
class InputCollector {
 public:
  InputCollector(const InputLimits& limits, base::Warnings* warnings);
  ~InputCollector();
  InputCollector(const InputCollector&) = delete;
  InputCollector& operator=(const InputCollector&) = delete;

  // Errors are those of ReadInput.
  absl::StatusOr<InputInfo> Add(std::string bytes);

  // The batch, which may point into bytes that the collector holds, is the caller's to complete.
  absl::StatusOr<model::Batch*> Finish();

 private:
  absl::Status Take(model::Batch batch);

  struct State;
  InputLimits limits_;
  base::Warnings* warnings_;
  std::unique_ptr<State> state_;
};

}  // namespace flarestack::codec

// SPDX-License-Identifier: Apache-2.0
//
// Turns the bytes of a file into batches. Compression and format are detected from the content,
// never from the name. The user may specify the format instead.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/compress/compress.h"
#include "base/warnings.h"
#include "codec/format/format.h"
#include "model/batch.h"

namespace flarestack::codec {

struct InputLimits {
  uint64_t bytes_max = uint64_t{1} << 30;  // per input, after decompression
  const Reader* reader = nullptr;          // forces this reader; null detects the format
};

// The properties of an input, to show to users.
struct InputInfo {
  std::string_view format;       // name of its reader
  std::string_view compression;  // "gzip", "zstd" or empty
  bool batches_own_text = true;
  uint64_t bytes = 0;  // after decompression
};

// Returns an error that describes bytes for which FindReader has no reader.
absl::Status UnknownFormat(std::string_view bytes);

// Decompresses `bytes` in place, detects the format and passes on each message. Batches may point
// into `bytes` (see Reader::batches_own_text). Returns kInvalidArgument if no reader recognizes the
// bytes or they are malformed, kResourceExhausted if a limit is reached.
absl::StatusOr<InputInfo> ReadInput(std::string* bytes, const InputLimits& limits,
                                    base::Warnings* warnings, EmitBatch emit);

// Collects any number of inputs into one batch. A single message is passed on unchanged; several
// are merged, which merges equal resources and table entries.
class InputCollector {
 public:
  InputCollector(const InputLimits& limits, base::Warnings* warnings);
  ~InputCollector();
  InputCollector(const InputCollector&) = delete;
  InputCollector& operator=(const InputCollector&) = delete;

  // Returns the errors of ReadInput.
  absl::StatusOr<InputInfo> Add(std::string bytes);

  // Returns the batch, which the caller may modify. It may point into bytes that the collector
  // owns.
  absl::StatusOr<model::Batch*> Finish();

 private:
  absl::Status Take(model::Batch batch);

  struct State;
  InputLimits limits_;
  base::Warnings* warnings_;
  std::unique_ptr<State> state_;
};

// Removes the compression of an input. An input is either a whole file in gzip or zstd, or a file
// of the Collector's file exporter, which compresses each message separately and writes its length
// before it.
struct UnpackedInput {
  std::string bytes;
  std::string_view compression;  // "gzip", "zstd" or empty
};

bool LooksCompressed(std::string_view bytes);

// Removes one layer of compression; returns uncompressed bytes unchanged. Messages that were
// compressed separately keep their framing, with the decompressed length. Returns kInvalidArgument
// if the compressed bytes are malformed, kResourceExhausted if the output exceeds the limit.
absl::StatusOr<UnpackedInput> Unpack(std::string bytes, const base::ExpandLimits& limits);
absl::StatusOr<UnpackedInput> Unpack(std::string bytes, uint64_t bytes_max);

}  // namespace flarestack::codec

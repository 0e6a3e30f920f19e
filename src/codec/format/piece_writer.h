// SPDX-License-Identifier: Apache-2.0
//
// Buffers text and passes it on in pieces, so that a writer never keeps its whole output in memory.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/text/text.h"
#include "codec/format/format.h"

namespace flarestack::codec {

class PieceWriter {
 public:
  // The callable behind `write` must outlive this object.
  explicit PieceWriter(WriteBytes write) : write_(write) {}

  template <typename... Args>
  absl::Status Append(const Args&... args) {
    base::StrAppend(&piece_, args...);
    return piece_.size() < kPieceBytes ? absl::OkStatus() : Flush();
  }

  // Must also be called at the end.
  absl::Status Flush() {
    if (!piece_.empty()) {
      FLARE_RETURN_IF_ERROR(write_(piece_));
      piece_.clear();
    }
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kPieceBytes = size_t{64} << 10;
  WriteBytes write_;
  std::string piece_;
};

}  // namespace flarestack::codec

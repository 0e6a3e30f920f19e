// SPDX-License-Identifier: Apache-2.0
//
// Collects text and hands it on in pieces, so that a writer holds a piece of its output and not the
// whole.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/text.h"
#include "codec/format/format.h"

namespace flarestack::codec {

class PieceWriter {
 public:
  // What `write` refers to must outlive this.
  explicit PieceWriter(WriteBytes write) : write_(write) {}

  template <typename... Args>
  absl::Status Append(const Args&... args) {
    base::StrAppend(&piece_, args...);
    return piece_.size() < kPieceBytes ? absl::OkStatus() : Flush();
  }

  // Call once more at the end.
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

// SPDX-License-Identifier: Apache-2.0
//
// A file next to the output with the data recorded so far, in case the recorder is killed before it
// writes the output. Each window is appended as one length-prefixed OTLP message (the format
// otlp-framed), so that every command can read the complete windows.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "base/file/descriptor.h"
#include "model/batch.h"

namespace flarestack::cli {

class RecordCheckpoint {
 public:
  // Creates no file before the first Append.
  explicit RecordCheckpoint(const std::string& output_path) : path_(output_path + ".partial") {}
  ~RecordCheckpoint() = default;  // keeps the file
  RecordCheckpoint(const RecordCheckpoint&) = delete;
  RecordCheckpoint& operator=(const RecordCheckpoint&) = delete;

  // The first call replaces the file of an earlier recording. After an error, nothing more is
  // written and the file keeps all complete windows.
  absl::Status Append(const model::Batch& window);

  // Call when the output is complete.
  void Remove();

  const std::string& path() const { return path_; }
  bool exists() const { return file_.is_open(); }

 private:
  absl::Status Create();

  std::string path_;
  base::Descriptor file_;
  bool has_failed_ = false;
};

}  // namespace flarestack::cli

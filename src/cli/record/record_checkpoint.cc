// SPDX-License-Identifier: Apache-2.0
#include "cli/record/record_checkpoint.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/file/write_all.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "codec/otlp/split.h"

namespace flarestack::cli {
namespace {}  // namespace

// Private, because the output may replace a private file. Does not follow a symlink placed by
// someone else.
absl::Status RecordCheckpoint::Create() {
  unlink(path_.c_str());
  file_ = base::Descriptor(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return file_.is_open() ? absl::OkStatus() : absl::ErrnoToStatus(errno, "cannot create");
}

absl::Status RecordCheckpoint::Append(const model::Batch& window) {
  if (has_failed_ || window.samples.empty())
    return absl::OkStatus();
  absl::Status status = file_.is_open() ? absl::OkStatus() : Create();
  if (status.ok()) {
    codec::wire::ReverseWriter message(codec::otlp::EstimateProtobufBytes(window));
    codec::otlp::EncodeProtobuf(window, &message);
    std::string frame;
    frame.reserve(codec::otlp::kFrameHeaderBytes + message.view().size());
    codec::otlp::AppendFrame(message.view(), &frame);
    const off_t end = lseek(file_.get(), 0, SEEK_CUR);
    status = base::WriteAll(file_.get(), frame);
    // A full disk leaves a partial frame; remove it.
    if (!status.ok() && ftruncate(file_.get(), end) != 0)
      status = absl::ErrnoToStatus(errno, "cannot cut");
  }
  has_failed_ = !status.ok();
  return status;
}

void RecordCheckpoint::Remove() {
  if (!file_.is_open())
    return;
  file_.Close();
  unlink(path_.c_str());
}

}  // namespace flarestack::cli

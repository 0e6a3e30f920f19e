// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/warnings.h"
#include "cli/command/command.h"
#include "cli/input/symbolize.h"
#include "cli/record/record_checkpoint.h"
#include "cli/record/record_target.h"
#include "cli/terminal/child_command.h"
#include "cli/terminal/stop_request.h"
#include "codec/format/format.h"
#include "model/batch.h"
#include "model/batch_builder.h"
#include "record/agent/recorder.h"

namespace flarestack::cli {

class RecordCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int CheckFlags();
  int CheckEvents();
  // Whether --open can show what is written; reports it where not.
  int CheckOpen(const codec::Writer& writer, const std::string& path) const;
  int OpenRecorded(const codec::Writer& writer, const std::string& path) const;
  std::string OutputPath() const;
  record::agent::RecorderOptions Options() const;
  // What is reported when all was recorded must not be found out only then.
  int CheckDestination(const codec::Writer& writer, const std::string& path);
  bool writes_file() const { return send_.empty() || !out_.empty(); }
  int Record(const codec::Writer& writer, const std::string& path);
  int Start(record::agent::Recorder* recorder, const StopRequest& stop);
  // Lets the command run unrecorded for the time of --delay.
  void WaitForBegin(record::agent::Recorder* recorder, const StopRequest& stop);
  absl::Status RunUntilDone(record::agent::Recorder* recorder, const StopRequest& stop);
  absl::Status TakePiece(record::agent::Recorder* recorder);
  void Checkpoint(const model::Batch& piece);
  int Save(record::agent::Recorder* recorder, const codec::Writer& writer, const std::string& path);
  int ExitStatus(int saved, const StopRequest& stop) const;
  void PrintSummary(const model::Batch& batch, const record::agent::RecorderStats& stats,
                    const std::string& path) const;

  RecordTarget target_;
  std::string duration_;
  std::string delay_;
  uint32_t frequency_hz_ = 99;
  uint64_t count_ = 0;  // events for each sample; 0: by the frequency
  std::vector<std::string> events_;
  std::string out_;
  std::string to_;
  std::string send_;
  bool opens_ = false;
  bool has_written_ = false;  // the file
  size_t rows_max_ = 10;
  std::string exit_code_ = "command";
  SymbolizeFlags symbolize_;
  base::Warnings warnings_;

  record::agent::ProfileTypes types_;
  std::optional<std::chrono::nanoseconds> duration_max_;
  std::chrono::nanoseconds delay_time_{0};
  std::optional<ChildCommand> child_;
  model::BatchBuilder pieces_;                  // what was taken so far
  std::optional<RecordCheckpoint> checkpoint_;  // the same, in a file
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::duration took_{0};
};

}  // namespace flarestack::cli

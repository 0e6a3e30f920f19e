// SPDX-License-Identifier: Apache-2.0
#include "cli/record.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/status.h"
#include "cli/agent_flags.h"
#include "cli/batch_output.h"
#include "cli/browser.h"
#include "cli/failure.h"
#include "cli/file_viewer.h"
#include "cli/progress.h"
#include "cli/record_send.h"
#include "cli/record_summary.h"
#include "cli/terminal.h"
#include "codec/registry.h"
#include "model/batch_builder.h"
#include "query/time_expression.h"
#include "record/agent/recorded_files.h"
#include "server/formats.h"
#include "server/html_writer.h"

namespace flarestack::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kStep{100};
constexpr milliseconds kRedraw{500};
// What was recorded is taken out and checkpointed after this long, which doubles up to the largest:
// a recorder that is killed loses at most half of a short recording and little of a long one.
constexpr std::chrono::seconds kTakeIntervalMin{1};
constexpr std::chrono::seconds kTakeIntervalMax{8};

constexpr uint32_t kFrequencyMax = 10'000;

ExitCode CodeOf(const absl::Status& status) {
  return absl::IsPermissionDenied(status) ? kNoPrivilege : kFailed;
}

// The line that is drawn anew while it records.
class LiveLine {
 public:
  LiveLine() : is_on_(isatty(STDERR_FILENO) != 0) {}
  ~LiveLine() {
    if (is_drawn_)
      fmt::print(stderr, "\r\x1b[K");
  }

  void Draw(const std::string& text) {
    const auto now = steady_clock::now();
    if (!is_on_ || now - last_ < kRedraw)
      return;
    last_ = now;
    fmt::print(stderr, "\r\x1b[K{}", text);
    std::fflush(stderr);
    is_drawn_ = true;
  }

 private:
  bool is_on_;
  bool is_drawn_ = false;
  steady_clock::time_point last_{};
};

// A picture or a page is looked at in whatever shows such files.
std::string HowToLook(const std::string& path) {
  const codec::Writer* const writer = server::FindWriterForPath(path);
  if (writer == server::FindWriter("svg") || writer == &server::kHtmlWriter)
    return "";
  return fmt::format("   look: flarestack flame {}", path);
}

}  // namespace

void RecordCommand::Define(CLI::App* app) {
  app->add_option("COMMAND", words_, "the command to run and record, after --");
  app->add_option("-p,--pid", pids_,
                  "a process to record, with those that it starts; again for more")
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber);
  app->add_flag("-a,--all", whole_host_, "every process of this host");
  app->add_option("-d,--duration", duration_, "stop after this long, such as 30s or 5m");
  app->add_option("-F,--frequency", frequency_hz_, "samples per second and processor (default 99)")
      ->check(CLI::Range(1u, kFrequencyMax));
  app->add_option("-e,--events", events_,
                  "cpu, off_cpu and wall, with commas between (default cpu)")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(CLI::IsMember({"cpu", "off_cpu", "wall"}));
  app->add_option("-o,--output", out_, "where to; the extension says the format");
  app->add_option("--to", to_, "output format: " + server::WriterNames());
  app->add_option("--send", send_,
                  "a server of OTLP that gets it, such as http://127.0.0.1:4318; a file is then "
                  "written only with -o");
  app->add_flag("--open", opens_, "then show it in a browser, as flarestack open does");
  app->add_option("-n", rows_max_, "functions in the summary; 0 is none (default 10)");
  app->add_option("--exit-code", exit_code_, "command: that of the command; tool: our own")
      ->check(CLI::IsMember({"command", "tool"}));
  symbolize_.Define(app, SymbolizeFlags::Default::kOn);
  app->footer(
      "Records on-CPU and off-CPU time of native code and the kernel by eBPF, which needs root or\n"
      "the capabilities CAP_BPF and CAP_PERFMON. Interrupting it saves what was recorded.\n"
      "\nExamples:\n"
      "  flarestack record -- make -j8                       a command and all that it starts\n"
      "  flarestack record -p 1234 -d 30s -o cpu.pb.gz       a process, as pprof\n"
      "  flarestack record -a -d 10s -o host.svg             this host, as a flame graph\n"
      "  flarestack record -a -d 10s -o host.html            a page that needs no server\n"
      "  flarestack record --open -- ./bench                 and look at it in a browser\n"
      "  flarestack record -e cpu,off_cpu -F 999 -- ./server where it computes and where it waits");
}

int RecordCommand::CheckFlags() {
  const int modes = (words_.empty() ? 0 : 1) + (pids_.empty() ? 0 : 1) + (whole_host_ ? 1 : 0);
  if (modes != 1) {
    return Report({modes == 0 ? "nothing to record" : "more than one thing to record",
                   "it records a command, processes (-p), or the whole host (-a)",
                   "flarestack record -- COMMAND"},
                  kUsage);
  }
  if (!duration_.empty()) {
    const auto duration = query::ParseDuration(duration_);
    if (!duration.ok() || *duration == 0) {
      return Report({fmt::format("not a duration: \"{}\"", duration_), "a number and a unit",
                     "--duration 30s"},
                    kUsage);
    }
    duration_max_ = std::chrono::nanoseconds(*duration);
  }
  return kSuccess;
}

std::string RecordCommand::OutputPath() const {
  if (!out_.empty())
    return out_;
  if (!words_.empty())
    return std::filesystem::path(words_[0]).filename().string() + ".otlp.zst";
  return whole_host_ ? "host.otlp.zst" : fmt::format("{}.otlp.zst", pids_[0]);
}

std::optional<record::agent::RecorderOptions> RecordCommand::Options() const {
  record::agent::RecorderOptions options;
  options.frequency_hz = frequency_hz_;
  options.keeps_files = symbolize_.is_on();
  if (!events_.empty())
    options.types = ProfileTypesOf(events_);
  for (const int pid : pids_)
    options.choice.processes.push_back(pid);
  if (child_.has_value()) {
    options.choice.processes.push_back(child_->pid());
    options.own_process = child_->pid();
  }
  return options;
}

int RecordCommand::Run() {
  if (const int code = CheckFlags(); code != kSuccess)
    return code;
  const std::string path = OutputPath();
  const codec::Writer* const writer = ChooseWriter(to_, path);
  if (writer == nullptr)
    return kUsage;
  for (const int pid : pids_) {
    if (!std::filesystem::exists(fmt::format("/proc/{}", pid))) {
      return Report(
          {fmt::format("there is no process {}", pid), "it may have ended", "pgrep -a NAME"},
          kNothingFound);
    }
  }
  if (const int code = CheckDestination(*writer, path); code != kSuccess)
    return code;
  const int code = Record(*writer, path);
  if (!opens_ || !has_written_)
    return code;
  const int opened = OpenRecorded(*writer, path);
  return code != kSuccess ? code : opened;
}

int RecordCommand::CheckDestination(const codec::Writer& writer, const std::string& path) {
  if (const int code = CheckOpen(writer, path); code != kSuccess)
    return code;
  if (!send_.empty()) {
    if (const int code = CheckEndpoint(send_); code != kSuccess)
      return code;
  }
  if (!writes_file())
    return kSuccess;
  if (const int code = CheckOutput(path); code != kSuccess)
    return code;
  // Behind a pipe or a device there is nothing to leave a file next to.
  std::error_code error;
  if (path != base::kStandardStream &&
      (!std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error)))
    checkpoint_.emplace(path);
  return kSuccess;
}

int RecordCommand::CheckOpen(const codec::Writer& writer, const std::string& path) const {
  if (!opens_)
    return kSuccess;
  const bool is_file = path != base::kStandardStream && writes_file();
  const bool is_readable = &writer == &server::kHtmlWriter ||
                           std::ranges::any_of(codec::Readers(), [&](const codec::Reader* reader) {
                             return reader->name == writer.name;
                           });
  if (is_file && is_readable)
    return HasPages() ? kSuccess : kFailed;
  return Report({"cannot open what is recorded",
                 is_file ? fmt::format("{} is a format that is written and not read", writer.name)
                         : "no file is written",
                 "--open with -o FILE.otlp.zst, .pb.gz or .html"},
                kUsage);
}

// A page of its own needs no server.
int RecordCommand::OpenRecorded(const codec::Writer& writer, const std::string& path) const {
  if (&writer != &server::kHtmlWriter)
    return ViewFiles({path}, {});
  const std::string url = "file://" + std::filesystem::absolute(path).string();
  if (const absl::Status status = OpenBrowser(url); !status.ok())
    fmt::print(stderr, "no browser is opened: {}\n", Printable(base::Message(status)));
  return kSuccess;
}

int RecordCommand::Record(const codec::Writer& writer, const std::string& path) {
  if (!words_.empty()) {
    auto child = ChildCommand::Start(words_);
    if (!child.ok()) {
      return Report({"cannot start " + words_[0], std::string(base::Message(child.status())), ""},
                    kFailed);
    }
    child_.emplace(*std::move(child));
  }
  auto recorder = record::agent::Recorder::Create(*Options());
  absl::Status status = recorder.status();
  const StopRequest stop;
  if (status.ok())
    status = (*recorder)->Begin();
  if (!status.ok()) {
    return Report({"cannot record", std::string(base::Message(status)), "flarestack doctor"},
                  CodeOf(status));
  }
  if (const std::string& limits = (*recorder)->limits(); !limits.empty()) {
    if (!(*Options()).types.cpu)
      return Report({"cannot record waits without privileges", limits, "flarestack doctor"},
                    kNoPrivilege);
    fmt::print(stderr, "warning: {}\n", Printable(limits));
  }
  if (child_.has_value()) {
    if (const absl::Status started = child_->LetGo(); !started.ok()) {
      return Report({"cannot run " + words_[0], std::string(base::Message(started)), ""}, kFailed);
    }
  }
  if (const absl::Status ran = RunUntilDone(recorder->get(), stop); !ran.ok())
    return Report({"cannot go on recording", std::string(base::Message(ran)), ""}, kFailed);
  return ExitStatus(Save(recorder->get(), writer, path), stop);
}

std::string RecordCommand::What() const {
  if (!words_.empty())
    return words_[0];
  if (whole_host_)
    return "this host";
  return fmt::format("process {}", fmt::join(pids_, ", "));
}

absl::Status RecordCommand::RunUntilDone(record::agent::Recorder* recorder,
                                         const StopRequest& stop) {
  LiveLine line;
  began_ = steady_clock::now();
  steady_clock::duration take_interval = kTakeIntervalMin;
  auto next_take = began_ + take_interval;
  const std::string what = What();
  const auto is_any_left = [&] {
    return std::any_of(pids_.begin(), pids_.end(), [](int pid) {
      return std::filesystem::exists(fmt::format("/proc/{}", pid));
    });
  };
  while (stop.signal() == 0) {
    recorder->Step(kStep);
    const auto elapsed = steady_clock::now() - began_;
    line.Draw(fmt::format(
        "recording  {}   {}{}   {} samples", Printable(what), SecondsText(elapsed),
        duration_max_ ? "/" + SecondsText(*duration_max_) : "", recorder->sample_count()));
    if (steady_clock::now() >= next_take) {
      take_interval = std::min<steady_clock::duration>(2 * take_interval, kTakeIntervalMax);
      FLARE_RETURN_IF_ERROR(TakePiece(recorder));
      next_take = steady_clock::now() + take_interval;
    }
    if (child_.has_value() && child_->Ended().has_value())
      break;
    if (duration_max_ && elapsed >= *duration_max_)
      break;
    if (!pids_.empty() && !is_any_left())
      break;
  }
  took_ = steady_clock::now() - began_;
  recorder->End();
  // A command that was not asked to end goes on without us.
  return absl::OkStatus();
}

absl::Status RecordCommand::TakePiece(record::agent::Recorder* recorder) {
  FLARE_ASSIGN(const model::Batch piece, recorder->Take());
  Checkpoint(piece);
  pieces_.Merge(piece);
  return absl::OkStatus();
}

void RecordCommand::Checkpoint(const model::Batch& piece) {
  if (!checkpoint_.has_value())
    return;
  if (const absl::Status status = checkpoint_->Append(piece); !status.ok()) {
    fmt::print(stderr, "warning: no checkpoint is kept in {}: {}\n", Printable(checkpoint_->path()),
               base::Message(status));
  }
}

int RecordCommand::Save(record::agent::Recorder* recorder, const codec::Writer& writer,
                        const std::string& path) {
  const absl::Status taken = TakePiece(recorder);
  auto batch = std::move(pieces_).Finish();
  if (const absl::Status status = taken.ok() ? batch.status() : taken; !status.ok()) {
    return Report({"cannot save what was recorded", std::string(base::Message(status)), ""},
                  kFailed);
  }
  const record::agent::RecorderStats stats = recorder->stats();
  if (batch->samples.empty()) {
    return Report({"nothing was recorded", "none of the processes ran while we looked",
                   "a longer --duration, or -e cpu,off_cpu to see them wait"},
                  kNothingFound);
  }
  {
    Progress progress(ProgressModeFrom("auto"));
    if (symbolize_.is_on()) {
      auto files = std::make_unique<record::agent::RecordedFiles>();
      files->Tell(recorder->OpenFiles());
      symbolize_.Apply(&*batch, &progress, &warnings_, std::move(files));
    }
    const auto write = [&] {
      progress.Step("writing " + path);
      return WriteBatch(*batch, writer, {.title = What(), .warnings = &warnings_}, path);
    };
    if (writes_file()) {
      if (const int code = write(); code != kSuccess) {
        if (checkpoint_.has_value() && checkpoint_->exists())
          fmt::print(stderr, "what was recorded is in {}\n", Printable(checkpoint_->path()));
        return code;
      }
      has_written_ = true;
      if (checkpoint_.has_value())
        checkpoint_->Remove();
    }
    if (!send_.empty()) {
      progress.Step("sending to " + send_);
      if (const int code = SendBatch(*batch, send_); code != kSuccess) {
        // What was recorded is not lost with the server.
        if (out_.empty() && write() == kSuccess)
          fmt::print(stderr, "kept in {}\n", path);
        return code;
      }
    }
  }
  PrintSummary(*batch, stats, path);
  return kSuccess;
}

void RecordCommand::PrintSummary(const model::Batch& batch,
                                 const record::agent::RecorderStats& stats,
                                 const std::string& path) const {
  fmt::print(stderr, "{}\n", RecordedText(What(), took_, stats));
  if (rows_max_ > 0)
    Show(RecordedTables(batch, rows_max_));
  if (!send_.empty())
    fmt::print(stderr, "sent to {}\n", Printable(send_));
  if (writes_file())
    fmt::print(stderr, "wrote {}{}\n", path, HowToLook(path));
}

int RecordCommand::ExitStatus(int saved, const StopRequest& stop) const {
  if (saved != kSuccess && saved != kNothingFound)
    return saved;
  if (child_.has_value() && exit_code_ == "command") {
    std::optional<int> ended = const_cast<std::optional<ChildCommand>&>(child_)->Ended();
    if (ended.has_value())
      return *ended;
  }
  return stop.signal() != 0 ? static_cast<int>(kInterrupted) : saved;
}

}  // namespace flarestack::cli

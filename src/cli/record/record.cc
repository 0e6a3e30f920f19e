// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file/file.h"
#include "base/status.h"
#include "base/warnings.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"
#include "cli/flags/event_list.h"
#include "cli/flags/seconds.h"
#include "cli/input/symbolize_flags.h"
#include "cli/open/file_viewer.h"
#include "cli/output/batch_output.h"
#include "cli/record/in_process_recording.h"
#include "cli/record/record_checkpoint.h"
#include "cli/record/record_send.h"
#include "cli/record/record_summary.h"
#include "cli/record/record_target.h"
#include "cli/terminal/browser.h"
#include "cli/terminal/child_command.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/stop_signals.h"
#include "cli/terminal/terminal.h"
#include "codec/format/format.h"
#include "codec/registry.h"
#include "model/batch.h"
#include "model/builder/batch_builder.h"
#include "query/scope/time_expression.h"
#include "record/agent/recorder.h"
#include "record/code/recorded_files.h"
#include "record/kernel/counted_event.h"
#include "server/ui/formats.h"
#include "server/ui/html_writer.h"

namespace flarestack::cli {
namespace {

class RecordCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int CheckFlags();
  int CheckEvents();
  int CheckInProcess();
  // Checks that --open can show the output, and reports an error if not.
  int CheckOpen(const codec::Writer& writer, const std::string& path) const;
  int OpenRecorded(const codec::Writer& writer, const std::string& path) const;
  std::string OutputPath() const;
  record::agent::RecorderOptions Options() const;
  // Finds errors of the output before recording starts.
  int CheckDestination(const codec::Writer& writer, const std::string& path);
  bool writes_file() const { return send_.empty() || !out_.empty(); }
  int Record(const codec::Writer& writer, const std::string& path);
  int RecordInProcess(const codec::Writer& writer, const std::string& path);
  int Start(record::agent::Recorder* recorder, const StopRequest& stop);
  // Runs the command unrecorded for the duration of --delay.
  void WaitForBegin(record::agent::Recorder* recorder, const StopRequest& stop);
  absl::Status RunUntilDone(record::agent::Recorder* recorder, const StopRequest& stop);
  absl::Status TakePiece(record::agent::Recorder* recorder);
  void Checkpoint(const model::Batch& piece);
  int Save(record::agent::Recorder* recorder, const codec::Writer& writer, const std::string& path);
  // Symbolizes, writes and sends. `files` may be null.
  int Deliver(model::Batch* batch, std::unique_ptr<symbol::SymbolSource> files,
              const codec::Writer& writer, const std::string& path);
  void PrintResult(const model::Batch& batch, const std::string& path) const;
  int ExitStatus(int saved, const StopRequest& stop) const;
  void PrintSummary(const model::Batch& batch, const record::agent::RecorderStats& stats,
                    const std::string& path) const;

  RecordTarget target_;
  std::string duration_;
  std::string delay_;
  uint32_t frequency_hz_ = 99;
  bool is_in_process_ = false;
  bool reads_goroutine_ids_ = false;
  uint64_t count_ = 0;  // events per sample; 0: use the frequency
  std::vector<std::string> events_;
  std::string out_;
  std::string to_;
  std::string send_;
  bool opens_ = false;
  bool has_written_ = false;  // the output file
  size_t rows_max_ = 10;
  std::string exit_code_ = "command";
  SymbolizeFlags symbolize_;
  std::string source_maps_;
  base::Warnings warnings_;

  record::agent::ProfileTypes types_;
  std::optional<std::chrono::nanoseconds> duration_max_;
  std::chrono::nanoseconds delay_time_{0};
  std::optional<ChildCommand> child_;
  model::BatchBuilder pieces_;                  // recorded so far
  std::optional<RecordCheckpoint> checkpoint_;  // the same, in a file
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::duration took_{0};
};

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kStep{100};
constexpr milliseconds kRedraw{500};
// Interval for draining the recorder and writing a checkpoint. It doubles up to the maximum: a
// killed recorder loses at most half of a short recording and little of a long one.
constexpr std::chrono::seconds kTakeIntervalMin{1};
constexpr std::chrono::seconds kTakeIntervalMax{8};

constexpr uint32_t kFrequencyMax = 10'000;
constexpr uint64_t kCountMax = UINT32_MAX;

int CannotRecord(const absl::Status& status) {
  return Report({"cannot record", std::string(base::Message(status)), "flarestack doctor"},
                absl::IsPermissionDenied(status) ? kNoPrivilege : kFailed);
}

// Returns nullopt for invalid text and for 0.
std::optional<std::chrono::nanoseconds> ParsePositiveSeconds(const std::string& text) {
  const auto duration = ParseSeconds(text);
  return duration == std::chrono::nanoseconds(0) ? std::nullopt : duration;
}

// The status line, redrawn while recording.
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

// Images and pages need no hint: other programs show them.
std::string HowToLook(const std::string& path) {
  const codec::Writer* const writer = server::FindWriterForPath(path);
  if (writer == server::FindWriter("svg") || writer == &server::kHtmlWriter)
    return "";
  return fmt::format("   view: flarestack flame {}", path);
}

}  // namespace

void RecordCommand::Define(CLI::App* app) {
  target_.Define(app);
  app->add_option("-d,--duration", duration_, "stop after this long, such as 30s or 5m; 30 is 30s");
  app->add_option("-D,--delay", delay_, "delay before recording starts, such as 2s");
  app->add_option("-F,--frequency", frequency_hz_, "samples per second and CPU (default 99)")
      ->check(CLI::Range(1u, kFrequencyMax));
  app->add_option("-c,--count", count_,
                  "take a sample every N counted events (default: approximates the frequency)")
      ->check(CLI::Range(uint64_t{1}, kCountMax));
  app->add_flag("--in-process", is_in_process_,
                "load a library into the command instead: needs no privileges, and records cpu, "
                "alloc and heap");
  app->add_flag("--goroutines", reads_goroutine_ids_,
                "add goroutine.id to samples of Go programs: one sample per goroutine and stack");
  app->add_option("-e,--events", events_,
                  "comma-separated: cpu, off_cpu, wall, and counted events: " +
                      record::agent::CountedEventNames() + " (default cpu)")
      ->allow_extra_args(false)
      ->delimiter(',');
  app->add_option("-o,--output", out_, "output file; the extension sets the format");
  app->add_option("--to", to_, "output format: " + server::WriterNames());
  app->add_option("--send", send_,
                  "send to this OTLP server, such as http://127.0.0.1:4318; a file is then written "
                  "only with -o");
  app->add_flag("--open", opens_, "then open the recording in a browser, as flarestack open does");
  app->add_option("-n", rows_max_, "functions in the summary; 0 is none (default 10)");
  app->add_option("--exit-code", exit_code_,
                  "exit code to return: command (of the command) or tool (of flarestack)")
      ->check(OneOf({"command", "tool"}));
  symbolize_.Define(app, SymbolizeFlags::Default::kOn);
  app->add_option("--source-maps", source_maps_,
                  "directory with source maps of JavaScript, such as app.js.map")
      ->check(CLI::ExistingDirectory);
  app->footer(
      "Records on-CPU and off-CPU time of native code, Python, Java, JavaScript and the kernel\n"
      "with eBPF, which needs root or the capabilities CAP_BPF and CAP_PERFMON. Ctrl-C stops and\n"
      "saves the recording.\n\n"
      "Examples:\n"
      "  flarestack record -- make -j8                       a command and its child processes\n"
      "  flarestack record -p 1234 -d 30s -o cpu.pb.gz       a process, as pprof\n"
      "  flarestack record -a -d 10s -o host.svg             this host, as a flame graph\n"
      "  flarestack record -a -d 10s -o host.html            a self-contained page\n"
      "  flarestack record --open -- ./bench                 and open it in a browser\n"
      "  flarestack record -e cpu,off_cpu -F 999 -- ./server where it computes and where it waits\n"
      "  flarestack record -e page-faults -c 1 -- ./server   every page fault\n"
      "  flarestack record --in-process -e heap -- ./server  allocations that were not freed\n"
      "  flarestack record --user www-data -C 0-3 -d 10      a user's processes on four CPUs");
}

int RecordCommand::CheckFlags() {
  if (const int code = target_.Check(); code != kSuccess)
    return code;
  const auto not_a_duration = [](const std::string& flag, const std::string& text) {
    return Report({fmt::format("invalid duration \"{}\"", text),
                   "expected a number with a unit, or seconds", flag + " 30s"},
                  kUsage);
  };
  if (!duration_.empty()) {
    duration_max_ = ParsePositiveSeconds(duration_);
    if (!duration_max_.has_value())
      return not_a_duration("--duration", duration_);
  }
  if (!delay_.empty()) {
    const auto delay = ParseSeconds(delay_);
    if (!delay.has_value())
      return not_a_duration("--delay", delay_);
    delay_time_ = *delay;
  }
  return CheckEvents();
}

int RecordCommand::CheckEvents() {
  if (is_in_process_)
    return CheckInProcess();
  if (!events_.empty()) {
    auto types = ParseEvents(events_);
    if (!types.ok()) {
      return Report({"invalid --events", std::string(base::Message(types.status())),
                     "flarestack record -e cpu,page-faults -- COMMAND"},
                    kUsage);
    }
    types_ = *std::move(types);
  }
  if (count_ != 0 && types_.counted.empty()) {
    return Report({"invalid --count", "none of the events is a counter; cpu uses --frequency",
                   "flarestack record -e page-faults -c 1 -- COMMAND"},
                  kUsage);
  }
  return kSuccess;
}

int RecordCommand::CheckInProcess() {
  constexpr std::string_view kExample = "flarestack record --in-process -e cpu,heap -- COMMAND";
  if (target_.command().empty())
    return Report({"--in-process needs a command", "", std::string(kExample)}, kUsage);
  for (const std::string& event : events_) {
    if (!IsInProcessEvent(event)) {
      return Report({fmt::format("--in-process cannot record \"{}\"", event),
                     "it records cpu, alloc and heap", std::string(kExample)},
                    kUsage);
    }
  }
  if (!delay_.empty() || count_ != 0 || reads_goroutine_ids_ || !source_maps_.empty()) {
    return Report({"--delay, --count, --goroutines and --source-maps do not work with --in-process",
                   "", std::string(kExample)},
                  kUsage);
  }
  return kSuccess;
}

std::string RecordCommand::OutputPath() const {
  return out_.empty() ? target_.DefaultName() + ".otlp.zst" : out_;
}

record::agent::RecorderOptions RecordCommand::Options() const {
  record::agent::RecorderOptions options;
  options.frequency_hz = frequency_hz_;
  options.keeps_files = symbolize_.is_on();
  options.types = types_;
  options.counted_period = count_;
  options.reads_goroutine_ids = reads_goroutine_ids_;
  options.choice = target_.choice();
  options.processors = target_.processors();
  options.source_map_folder = source_maps_;
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
  if (const int code = CheckDestination(*writer, path); code != kSuccess)
    return code;
  const int code = is_in_process_ ? RecordInProcess(*writer, path) : Record(*writer, path);
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
  // For a pipe or a device, there is no place for a checkpoint file.
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
  return Report(
      {"cannot open the recording",
       is_file ? fmt::format("{} is an output-only format", writer.name) : "no output file",
       "--open with -o FILE.otlp.zst, .pb.gz or .html"},
      kUsage);
}

// An HTML page needs no server.
int RecordCommand::OpenRecorded(const codec::Writer& writer, const std::string& path) const {
  if (&writer != &server::kHtmlWriter)
    return ViewFiles({path}, {});
  const std::string url = "file://" + std::filesystem::absolute(path).string();
  if (const absl::Status status = OpenBrowser(url); !status.ok())
    fmt::print(stderr, "no browser opened: {}\n", Printable(base::Message(status)));
  return kSuccess;
}

int RecordCommand::Record(const codec::Writer& writer, const std::string& path) {
  if (const auto& words = target_.command(); !words.empty()) {
    auto child = ChildCommand::Start(words);
    if (!child.ok()) {
      return Report({"cannot start " + words[0], std::string(base::Message(child.status())), ""},
                    kFailed);
    }
    child_.emplace(*std::move(child));
  }
  auto recorder = record::agent::Recorder::Create(Options());
  const StopRequest stop;
  if (!recorder.ok())
    return CannotRecord(recorder.status());
  if (const int code = Start(recorder->get(), stop); code != kSuccess)
    return code;
  if (const absl::Status ran = RunUntilDone(recorder->get(), stop); !ran.ok())
    return Report({"recording failed", std::string(base::Message(ran)), ""}, kFailed);
  return ExitStatus(Save(recorder->get(), writer, path), stop);
}

int RecordCommand::Start(record::agent::Recorder* recorder, const StopRequest& stop) {
  const bool is_delayed = delay_time_.count() > 0;
  if (const absl::Status status = is_delayed ? recorder->Follow() : recorder->Begin(); !status.ok())
    return CannotRecord(status);
  if (const std::string& limits = recorder->limits(); !limits.empty()) {
    if (!types_.cpu) {
      return Report({"without privileges only cpu can be recorded", limits, "flarestack doctor"},
                    kNoPrivilege);
    }
    fmt::print(stderr, "warning: {}\n", Printable(limits));
  }
  if (child_.has_value()) {
    if (const absl::Status started = child_->Resume(); !started.ok()) {
      return Report({"cannot run " + target_.command()[0], std::string(base::Message(started)), ""},
                    kFailed);
    }
  }
  if (is_delayed) {
    WaitForBegin(recorder, stop);
    if (const absl::Status status = recorder->Begin(); !status.ok())
      return CannotRecord(status);
  }
  return kSuccess;
}

void RecordCommand::WaitForBegin(record::agent::Recorder* recorder, const StopRequest& stop) {
  const auto begin = steady_clock::now() + delay_time_;
  while (stop.signal() == 0 && !(child_.has_value() && child_->Ended().has_value())) {
    const auto left = std::chrono::ceil<milliseconds>(begin - steady_clock::now());
    if (left.count() <= 0)
      break;
    recorder->Step(std::min(left, kStep));
  }
}

absl::Status RecordCommand::RunUntilDone(record::agent::Recorder* recorder,
                                         const StopRequest& stop) {
  LiveLine line;
  began_ = steady_clock::now();
  steady_clock::duration take_interval = kTakeIntervalMin;
  auto next_take = began_ + take_interval;
  const std::string what = target_.Text();
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
    if (!target_.MayStillRun())
      break;
  }
  took_ = steady_clock::now() - began_;
  recorder->End();
  // A command that was not interrupted keeps running after the recording ends.
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
    fmt::print(stderr, "warning: cannot write a checkpoint to {}: {}\n",
               Printable(checkpoint_->path()), base::Message(status));
  }
}

int RecordCommand::Save(record::agent::Recorder* recorder, const codec::Writer& writer,
                        const std::string& path) {
  const absl::Status taken = TakePiece(recorder);
  auto batch = std::move(pieces_).Finish();
  if (const absl::Status status = taken.ok() ? batch.status() : taken; !status.ok()) {
    return Report({"cannot save the recording", std::string(base::Message(status)), ""}, kFailed);
  }
  const record::agent::RecorderStats stats = recorder->stats();
  if (batch->samples.empty()) {
    const std::string missed = MissedText(stats, frequency_hz_);
    return Report(
        {"nothing was recorded", missed.empty() ? "the target produced no samples" : missed,
         "use a longer --duration, a higher --frequency, or -e cpu,off_cpu to see waits"},
        kNothingFound);
  }
  std::unique_ptr<record::agent::RecordedFiles> files;
  if (symbolize_.is_on()) {
    files = std::make_unique<record::agent::RecordedFiles>();
    files->Update(recorder->OpenFiles(), steady_clock::now());
  }
  if (const int code = Deliver(&*batch, std::move(files), writer, path); code != kSuccess)
    return code;
  PrintSummary(*batch, stats, path);
  return kSuccess;
}

int RecordCommand::Deliver(model::Batch* batch, std::unique_ptr<symbol::SymbolSource> files,
                           const codec::Writer& writer, const std::string& path) {
  Progress progress(ProgressModeFrom("auto"));
  if (symbolize_.is_on())
    symbolize_.Apply(batch, &progress, &warnings_, std::move(files));
  const auto write = [&] {
    progress.Step("writing " + path);
    return WriteBatch(*batch, writer, {.title = target_.Text(), .warnings = &warnings_}, path);
  };
  if (writes_file()) {
    if (const int code = write(); code != kSuccess) {
      if (checkpoint_.has_value() && checkpoint_->exists())
        fmt::print(stderr, "the recording is in {}\n", Printable(checkpoint_->path()));
      return code;
    }
    has_written_ = true;
    if (checkpoint_.has_value())
      checkpoint_->Remove();
  }
  if (!send_.empty()) {
    progress.Step("sending to " + send_);
    if (const int code = SendBatch(*batch, send_); code != kSuccess) {
      // If sending fails, save the recording to a file.
      if (out_.empty() && write() == kSuccess)
        fmt::print(stderr, "kept in {}\n", path);
      return code;
    }
  }
  return kSuccess;
}

int RecordCommand::RecordInProcess(const codec::Writer& writer, const std::string& path) {
  auto recording = InProcessRecording::Create({.command = target_.command(),
                                               .events = events_,
                                               .frequency_hz = frequency_hz_,
                                               .duration_max = duration_max_});
  if (!recording.ok()) {
    return Report({"cannot record " + target_.command()[0] + " in process",
                   std::string(base::Message(recording.status())), ""},
                  kFailed);
  }
  const StopRequest stop;
  if (const absl::Status ran = (*recording)->Run(stop); !ran.ok())
    return Report({"cannot run " + target_.command()[0], std::string(base::Message(ran)), ""},
                  kFailed);
  auto batch = (*recording)->Collect(&warnings_);
  if (!batch.ok()) {
    return Report(
        {"nothing was recorded", "the command wrote no profile: it ended at once, or by a signal",
         "record it without --in-process"},
        kNothingFound);
  }
  int code = Deliver(&*batch, nullptr, writer, path);
  if (code == kSuccess) {
    fmt::print(stderr, "recorded {} in {}\n", Printable(target_.Text()),
               SecondsText((*recording)->took()));
    PrintResult(*batch, path);
  }
  if (code == kSuccess && exit_code_ == "command")
    code = (*recording)->exit_code().value_or(stop.signal() != 0 ? kInterrupted : kSuccess);
  return code;
}

void RecordCommand::PrintSummary(const model::Batch& batch,
                                 const record::agent::RecorderStats& stats,
                                 const std::string& path) const {
  fmt::print(stderr, "{}\n", RecordedText(target_.Text(), took_, stats));
  if (const std::string missed = MissedText(stats, frequency_hz_); !missed.empty())
    fmt::print(stderr, "{}\n", missed);
  PrintResult(batch, path);
}

void RecordCommand::PrintResult(const model::Batch& batch, const std::string& path) const {
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

std::unique_ptr<Command> MakeRecordCommand() { return std::make_unique<RecordCommand>(); }

}  // namespace flarestack::cli

// SPDX-License-Identifier: Apache-2.0
#include "symbol/worker/table_worker.h"

#include <sys/wait.h>

#include <csignal>
#include <utility>

#include "base/status.h"
#include "symbol/worker/table_worker_protocol.h"
#include "symbol/worker/worker_child.h"

namespace flarestack::symbol {
namespace {

std::string Seconds(std::chrono::milliseconds time) {
  return fmt::format("{:.3g} s", std::chrono::duration<double>(time).count());
}

absl::Status StatusOfSignal(int signal, const SandboxLimits& limits) {
  switch (signal) {
    case SIGSYS:
      return absl::InternalError("the reader tried a forbidden system call on this file");
    case SIGXCPU:
      return absl::DeadlineExceededError(base::StrCat("reading it takes more than ",
                                                      std::max<uint64_t>(limits.cpu_seconds, 1),
                                                      " s of CPU time"));
    case SIGXFSZ:
      return absl::ResourceExhaustedError(base::StrCat(
          "the table would have more than the limit of ", limits.file_bytes, " bytes"));
    case SIGBUS:
      return absl::InternalError(
          "the reader crashed (signal 7) on this file, which may have been truncated meanwhile");
    case SIGKILL:
      return absl::ResourceExhaustedError(
          "the reader was killed (signal 9), possibly out of memory");
    default:
      return absl::InternalError(
          base::StrCat("the reader crashed (signal ", signal, ") on this file"));
  }
}

absl::StatusOr<WorkerReport> ReportOf(const ChildEnd& end, const TableWorkerOptions& options) {
  if (end.is_cancelled)
    return absl::CancelledError("shutting down");
  if (end.is_late)
    return absl::DeadlineExceededError(
        base::StrCat("reading it takes longer than ", Seconds(options.time_max)));
  if (end.is_report_too_long)
    return absl::InternalError("the reader output exceeds the limit");
  if (WIFSIGNALED(end.wait_status))
    return StatusOfSignal(WTERMSIG(end.wait_status), options.limits);
  if (end.report.empty()) {
    // libdw exits the process if it cannot allocate.
    return absl::ResourceExhaustedError(
        base::StrCat("the reader ended (status ", WEXITSTATUS(end.wait_status),
                     ") without a report; it may have run out of memory"));
  }
  auto report = DecodeReport(end.report);
  if (!report.ok())
    return absl::InternalError(base::StrCat("the reader: ", base::Message(report.status())));
  return report;
}

}  // namespace

void TableWorker::Warn(const std::string& warning) {
  if (options_.warn != nullptr && !has_warned_.exchange(true))
    options_.warn(base::StrCat("untrusted files are read without a system call filter: ", warning));
}

absl::StatusOr<MadeTable> TableWorker::MakeWithNotes(const SymbolFiles& files) {
  FLARE_ASSIGN(WorkerInputs inputs, OpenInputs(files, options_.input_bytes_max));
  const WorkerOrder order = {.has_executable = inputs.executable.is_open(),
                             .has_debug_file = inputs.debug_file.is_open(),
                             .has_supplementary = inputs.supplementary.is_open(),
                             .needs_filter = options_.needs_filter,
                             .parent = getpid(),
                             .limits = options_.limits};
  FLARE_ASSIGN(WorkerChild child, WorkerChild::Start(options_.program, order, inputs));
  const ChildEnd end = child.Await(options_.time_max, is_cancelled_);
  FLARE_ASSIGN(WorkerReport report, ReportOf(end, options_));
  if (!report.warning.empty())
    Warn(report.warning);
  if (!report.status.ok())
    return report.status;
  MadeTable made;
  made.notes = std::move(report.notes);
  FLARE_ASSIGN(made.bytes, child.ReadTable(options_.limits.file_bytes));
  return made;
}

absl::StatusOr<std::string> TableWorker::Make(const SymbolFiles& files) {
  FLARE_ASSIGN(MadeTable made, MakeWithNotes(files));
  return std::move(made.bytes);
}

}  // namespace flarestack::symbol

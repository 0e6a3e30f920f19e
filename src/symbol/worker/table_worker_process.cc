// SPDX-License-Identifier: Apache-2.0
#include "symbol/worker/table_worker.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <new>
#include <utility>

#include "base/file/write_all.h"
#include "base/status.h"
#include "elf/htl_hash.h"
#include "symbol/table/table_builder.h"

namespace flarestack::symbol {
namespace {

// Prepared in advance, because nothing can be allocated when it is needed.
std::string& OutOfMemoryReport() {
  static std::string report;
  return report;
}

[[noreturn]] void OnOutOfMemory() {
  base::WriteAll(kReportDescriptor, OutOfMemoryReport()).IgnoreError();
  _exit(0);
}

[[noreturn]] void End(const WorkerReport& report) {
  base::WriteAll(kReportDescriptor, Encode(report)).IgnoreError();
  _exit(0);
}

absl::StatusOr<std::string_view> Map(int fd) {
  struct stat about = {};
  if (fstat(fd, &about) != 0)
    return absl::ErrnoToStatus(errno, "cannot stat a file");
  const auto size_bytes = static_cast<size_t>(about.st_size);
  if (size_bytes == 0)
    return absl::InvalidArgumentError("the file is empty");
  void* data = mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return absl::ErrnoToStatus(errno, "cannot map a file");
  return std::string_view(static_cast<const char*>(data), size_bytes);
}

absl::StatusOr<TableInput> MapInputs(const WorkerOrder& order) {
  TableInput input;
  if (order.has_executable) {
    FLARE_ASSIGN(input.executable, Map(kExecutableDescriptor));
  }
  if (order.has_debug_file) {
    FLARE_ASSIGN(input.debug_file, Map(kDebugFileDescriptor));
  }
  if (order.has_supplementary) {
    FLARE_ASSIGN(input.supplementary, Map(kSupplementaryDescriptor));
  }
  return input;
}

// Makes the OOM killer choose this process before the more valuable server. Failure is ignored.
void GoFirstWhenMemoryIsShort() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  [[maybe_unused]] const ssize_t written = write(file, "1000", 4);
  close(file);
}

absl::Status EnterSandbox(const WorkerOrder& order, std::string* warning) {
  // The first hash of a process reads the library's configuration, so do it before the sandbox.
  elf::HtlHash("");
  GoFirstWhenMemoryIsShort();
  FLARE_RETURN_IF_ERROR(LimitProcess(order.limits));
  absl::Status filtered = FilterSystemCalls();
  if (!absl::IsUnimplemented(filtered) || order.needs_filter)
    return filtered;
  *warning = base::Message(filtered);
  return absl::OkStatus();
}

absl::Status MakeTable(const WorkerOrder& order, const TableInput& input, WorkerReport* report) {
  auto built = BuildTable(input);
  if (!built.ok())
    return built.status();
  report->notes = std::move(built->notes);
  if (built->bytes.size() > order.limits.file_bytes) {
    return absl::ResourceExhaustedError(base::StrCat("the table would have ", built->bytes.size(),
                                                     " bytes, more than the limit of ",
                                                     order.limits.file_bytes));
  }
  return base::WriteAll(kTableDescriptor, built->bytes);
}

absl::Status Work(const WorkerOrder& order, WorkerReport* report) {
  FLARE_RETURN_IF_ERROR(EndWithParent(order.parent));
  FLARE_ASSIGN(const TableInput input, MapInputs(order));
  OutOfMemoryReport() = Encode({.status = absl::ResourceExhaustedError(
                                    base::StrCat("reading it takes more memory than the limit of ",
                                                 order.limits.memory_bytes, " bytes"))});
  std::set_new_handler(OnOutOfMemory);
  FLARE_RETURN_IF_ERROR(EnterSandbox(order, &report->warning));
  return MakeTable(order, input, report);
}

}  // namespace

void RunTableWorker(const WorkerOrder& order) {
  WorkerReport report;
  try {
    report.status = Work(order, &report);
  } catch (const std::exception& error) {
    report.status = absl::InternalError(base::StrCat("unexpected failure: ", error.what()));
  }
  End(report);
}

}  // namespace flarestack::symbol

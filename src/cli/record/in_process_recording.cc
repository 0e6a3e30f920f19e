// SPDX-License-Identifier: Apache-2.0
#include "cli/record/in_process_recording.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file/file.h"
#include "base/status.h"
#include "base/text/text.h"
#include "codec/input_collector.h"
#include "elf/elf_file.h"
#include "model/builder/batch_builder.h"
#include "model/gauge_type.h"

namespace flarestack::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "libflarestack_preload.so";
constexpr uint64_t kProgramBytesMax = uint64_t{4} << 30;
constexpr uint64_t kProfileBytesMax = uint64_t{1} << 30;
constexpr std::chrono::milliseconds kStep{20};

// Beside the program, as in a build folder, or where packages install libraries.
absl::StatusOr<std::string> FindLibrary() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder :
       {program.parent_path(), program.parent_path().parent_path() / "lib" / "flarestack"}) {
    if (fs::exists(folder / kLibrary, error))
      return (folder / kLibrary).string();
  }
  return absl::NotFoundError(base::StrCat(kLibrary, " is missing: it belongs beside ",
                                          program.string(), " or in ../lib/flarestack"));
}

// Where a shell would find the program; empty if nowhere.
std::string FindProgram(const std::string& word) {
  if (word.find('/') != std::string::npos)
    return word;
  const char* const variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "" : variable;
  while (!path.empty()) {
    const std::string_view folder = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), folder.size() + 1));
    std::string candidate = base::StrCat(folder.empty() ? "." : folder, "/", word);
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return "";
}

// A program without glibc's dynamic linker ignores LD_PRELOAD, or cannot load the library. Scripts
// and programs that cannot be read are left to the kernel.
absl::Status CheckLoads(const std::string& path) {
  const auto bytes = base::ReadFile(path, kProgramBytesMax);
  if (!bytes.ok() || !bytes->starts_with("\x7f"
                                         "ELF"))
    return absl::OkStatus();
  const auto file = elf::ElfFile::Parse(*bytes);
  if (!file.ok())
    return absl::OkStatus();
  constexpr uint32_t kInterpreter = 3;  // PT_INTERP
  const auto segments = file->segments();
  const auto interpreter = std::ranges::find(segments, kInterpreter, &elf::Segment::type);
  if (interpreter == segments.end()) {
    return absl::FailedPreconditionError(base::StrCat(
        path,
        " is linked statically, so no library can be loaded into it; record it without "
        "--in-process"));
  }
  const std::string_view name = std::string_view(*bytes).substr(
      std::min<uint64_t>(interpreter->offset, bytes->size()), interpreter->file_bytes);
  if (name.find("musl") != std::string_view::npos) {
    return absl::FailedPreconditionError(base::StrCat(
        path, " uses musl, and the library needs glibc; record it without --in-process"));
  }
  return absl::OkStatus();
}

// Changes variables until the child has copied them.
class Environment {
 public:
  void Set(const std::string& name, const std::string& value) {
    const char* const old = std::getenv(name.c_str());
    before_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : before_) {
      if (value.has_value())
        setenv(name.c_str(), value->c_str(), 1);
      else
        unsetenv(name.c_str());
    }
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

std::string TypesOf(const std::vector<std::string>& events) {
  std::string types;
  for (const std::string& event : events)
    types += (types.empty() ? "" : ",") + (event == "heap" ? std::string("live") : event);
  return types.empty() ? "cpu" : types;
}

// The live heap at the end of an interval says nothing once that of a later one is known.
void RemoveGauges(model::Batch* batch) {
  std::vector<model::Profile> others;
  for (model::Scope& scope : batch->scopes) {
    const auto begin = static_cast<uint32_t>(others.size());
    for (const model::Profile& profile : model::In(batch->profiles, scope.profiles)) {
      if (!model::IsGaugeType(batch->dictionary.Text(profile.sample_type.type)))
        others.push_back(profile);
    }
    scope.profiles = {.begin = begin, .count = static_cast<uint32_t>(others.size()) - begin};
  }
  batch->profiles = std::move(others);
}

// A file has one message for each interval, each behind its length. A killed process may have
// left a part of one.
absl::Status AddFile(std::string_view file, base::Warnings* warnings,
                     model::BatchBuilder* builder) {
  constexpr size_t kLengthBytes = 4;
  while (file.size() > kLengthBytes) {
    size_t bytes = 0;
    for (size_t i = 0; i < kLengthBytes; ++i)
      bytes = bytes << 8 | static_cast<unsigned char>(file[i]);
    file.remove_prefix(kLengthBytes);
    if (bytes > file.size())
      break;
    std::string message(file.substr(0, bytes));
    file.remove_prefix(bytes);
    const bool is_last = file.size() <= kLengthBytes;
    const auto add = [&](model::Batch batch) {
      if (!is_last)
        RemoveGauges(&batch);
      builder->Merge(batch);
      return absl::OkStatus();
    };
    FLARE_RETURN_IF_ERROR(codec::ReadInput(&message, {}, warnings, add).status());
  }
  return absl::OkStatus();
}

}  // namespace

bool IsInProcessEvent(const std::string& event) {
  return event == "cpu" || event == "alloc" || event == "heap";
}

absl::StatusOr<std::unique_ptr<InProcessRecording>> InProcessRecording::Create(
    InProcessOptions options) {
  FLARE_ASSIGN(const std::string library, FindLibrary());
  if (const std::string program = FindProgram(options.command[0]); !program.empty())
    FLARE_RETURN_IF_ERROR(CheckLoads(program));
  std::unique_ptr<InProcessRecording> recording(new InProcessRecording(std::move(options)));
  FLARE_RETURN_IF_ERROR(recording->Start(library));
  return recording;
}

absl::Status InProcessRecording::Start(const std::string& library) {
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "flarestack-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return absl::UnavailableError(
        base::StrCat("cannot create ", folder, ": ", std::generic_category().message(errno)));
  folder_ = folder;
  Environment environment;
  const char* const others = std::getenv("LD_PRELOAD");
  environment.Set("LD_PRELOAD", others == nullptr || *others == '\0'
                                    ? library
                                    : base::StrCat(library, ":", others));
  environment.Set("OTEL_PROFILING_ENABLED", "true");
  environment.Set("OTEL_PROFILES_EXPORTER", "file");
  environment.Set("OTEL_PROFILING_FILE", folder_ + "/%p.otlp");
  environment.Set("OTEL_PROFILING_TYPES", TypesOf(options_.events));
  environment.Set(
      "OTEL_PROFILING_CPU_INTERVAL",
      std::to_string(std::max(1u, (1000 + options_.frequency_hz / 2) / options_.frequency_hz)));
  // A killed program loses what was not written yet.
  environment.Set("OTEL_PROFILING_EXPORT_INTERVAL", "1000");
  FLARE_ASSIGN(ChildCommand child, ChildCommand::Start(options_.command));
  child_.emplace(std::move(child));
  return absl::OkStatus();
}

InProcessRecording::~InProcessRecording() {
  std::error_code error;
  if (!folder_.empty())
    fs::remove_all(folder_, error);
}

absl::Status InProcessRecording::Run(const StopRequest& stop) {
  const auto began = std::chrono::steady_clock::now();
  FLARE_RETURN_IF_ERROR(child_->Resume());
  while (stop.signal() == 0 && !child_->Ended().has_value()) {
    if (options_.duration_max && std::chrono::steady_clock::now() - began >= *options_.duration_max)
      break;
    std::this_thread::sleep_for(kStep);
  }
  took_ = std::chrono::steady_clock::now() - began;
  return absl::OkStatus();
}

absl::StatusOr<model::Batch> InProcessRecording::Collect(base::Warnings* warnings) const {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error))
    paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  model::BatchBuilder builder;
  for (const std::string& path : paths) {
    FLARE_ASSIGN(const std::string file, base::ReadFile(path, kProfileBytesMax));
    if (const absl::Status added = AddFile(file, warnings, &builder); !added.ok())
      return base::WithContext(path, added);
  }
  FLARE_ASSIGN(model::Batch batch, std::move(builder).Finish());
  if (batch.samples.empty())
    return absl::NotFoundError("no process wrote a profile");
  return batch;
}

}  // namespace flarestack::cli

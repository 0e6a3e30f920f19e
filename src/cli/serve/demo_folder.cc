// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/demo_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/status.h"
#include "cli/terminal/temporary_folder.h"

namespace flarestack::cli {
namespace {

namespace fs = std::filesystem;

absl::Status MakeEmpty(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  const bool is_empty = !error && fs::is_empty(path, error);
  if (error)
    return absl::UnavailableError(base::StrCat(path, ": ", error.message()));
  if (!is_empty)
    return absl::FailedPreconditionError(base::StrCat(path, " is not empty"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<DemoFolder>> DemoFolder::Create(bool stays,
                                                               const std::string& path) {
  if (path.empty()) {
    FLARE_ASSIGN(TemporaryFolder made, TemporaryFolder::Make("flarestack-demo"));
    return std::unique_ptr<DemoFolder>(new DemoFolder(stays, made.Release()));
  }
  FLARE_RETURN_IF_ERROR(MakeEmpty(path));
  return std::unique_ptr<DemoFolder>(new DemoFolder(stays, path));
}

DemoFolder::~DemoFolder() {
  std::error_code error;
  if (!stays_)
    fs::remove_all(path_, error);
}

}  // namespace flarestack::cli

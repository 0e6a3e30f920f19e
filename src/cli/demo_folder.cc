// SPDX-License-Identifier: Apache-2.0
#include "cli/demo_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/status.h"

namespace flarestack::cli {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::string> MakeTemporary() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error)
    return absl::UnavailableError(base::StrCat("no temporary directory: ", error.message()));
  std::string name = (parent / "flarestack-demo-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    return absl::UnavailableError(base::StrCat(name, ": ", std::strerror(errno)));
  return name;
}

absl::Status MakeEmpty(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  const bool is_empty = !error && fs::is_empty(path, error);
  if (error)
    return absl::UnavailableError(base::StrCat(path, ": ", error.message()));
  if (!is_empty)
    return absl::FailedPreconditionError(base::StrCat(path, " has something in it"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<DemoFolder>> DemoFolder::Create(bool stays,
                                                               const std::string& path) {
  if (path.empty()) {
    FLARE_ASSIGN(std::string made, MakeTemporary());
    return std::unique_ptr<DemoFolder>(new DemoFolder(stays, std::move(made)));
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

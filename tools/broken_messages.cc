// SPDX-License-Identifier: Apache-2.0
//
// Writes a clean profiles message, and one for each way to break a rule, to a folder. ./dev interop
// runs other checkers on them:
//
//   clean.otlp  01-resource-profiles-missing.otlp  02-scope-profiles-missing.otlp  ...
#include <fmt/format.h>

#include <string>

#include "base/file/file.h"
#include "base/status.h"
#include "check/testing/broken_batches.h"
#include "check/testing/clean_batch.h"

namespace flarestack::check {
namespace {

absl::Status Write(const std::string& path, const std::string& bytes) {
  FLARE_ASSIGN(base::OutputFile file, base::OutputFile::Create(path));
  FLARE_RETURN_IF_ERROR(file.Write(bytes));
  return file.Commit();
}

absl::Status WriteAll(const std::string& folder) {
  const std::string clean = testing::Encode(testing::CleanBatch());
  FLARE_RETURN_IF_ERROR(Write(fmt::format("{}/clean.otlp", folder), clean));
  int number = 0;
  for (const testing::BrokenBatch& broken : testing::BrokenBatches()) {
    model::Batch batch = testing::CleanBatch();
    broken.breaks(&batch);
    const std::string bytes = testing::Encode(batch);
    ++number;
    if (bytes == clean)
      continue;  // our encoder always writes the recommended form of link 0
    FLARE_RETURN_IF_ERROR(
        Write(fmt::format("{}/{:02}-{}.otlp", folder, number, Info(broken.rule).id), bytes));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace flarestack::check

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: broken_messages FOLDER\n");
    return 2;
  }
  if (const absl::Status status = flarestack::check::WriteAll(argv[1]); !status.ok()) {
    fmt::print(stderr, "broken_messages: {}\n", std::string(status.message()));
    return 1;
  }
  return 0;
}

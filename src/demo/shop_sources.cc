// SPDX-License-Identifier: Apache-2.0
#include "demo/shop_sources.h"

#include <filesystem>
#include <vector>

#include "base/file/file.h"
#include "base/status.h"
#include "demo/source/files.h"

namespace flarestack::demo {
namespace {

std::vector<SourceFile> AllSources() {
  std::vector<SourceFile> all;
  for (const auto list : {StorefrontSources(), CheckoutSources(), InventorySources(),
                          PaymentsSources(), RecommendationsSources()})
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace

std::optional<std::string_view> SourceText(std::string_view path) {
  for (const SourceFile& file : AllSources()) {
    if (file.path == path)
      return file.text;
  }
  return std::nullopt;
}

absl::Status WriteSources(const std::string& folder) {
  for (const SourceFile& file : AllSources()) {
    const std::string path = base::StrCat(folder, "/", file.path);
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    FLARE_ASSIGN(base::OutputFile out, base::OutputFile::Create(path));
    FLARE_RETURN_IF_ERROR(out.Write(file.text));
    FLARE_RETURN_IF_ERROR(out.Commit());
  }
  return absl::OkStatus();
}

}  // namespace flarestack::demo

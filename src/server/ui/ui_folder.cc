// SPDX-License-Identifier: Apache-2.0
#include "server/ui/ui_folder.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/compress/compress.h"
#include "base/file/file.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::server {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kFileBytesMax = 64 << 20;
constexpr size_t kFilesMax = 1000;

// Same as in cmake/EmbedUi.cmake.
constexpr std::pair<std::string_view, std::string_view> kContentTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".json", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
    {".png", "image/png"},
    {".woff2", "font/woff2"},
};

}  // namespace

absl::StatusOr<UiFolder> UiFolder::Read(const std::string& folder) {
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  if (error)
    return absl::InvalidArgumentError(base::StrCat("pages of ", folder, ": ", error.message()));
  UiFolder result;
  for (; entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    // Compressed copies sit next to the original files.
    if (!entries->is_regular_file(error) || path.extension() == ".gz")
      continue;
    if (result.files_.size() == kFilesMax)
      return absl::InvalidArgumentError(
          base::StrCat(folder, " has more than ", kFilesMax, " files"));
    FLARE_RETURN_IF_ERROR(
        result.Add(path.string(), "/" + path.lexically_relative(folder).generic_string()));
  }
  if (error)
    return absl::InvalidArgumentError(base::StrCat("pages of ", folder, ": ", error.message()));
  const bool has_index =
      std::any_of(result.assets_.begin(), result.assets_.end(),
                  [](const UiAsset& asset) { return asset.path == "/index.html"; });
  if (!has_index)
    return absl::InvalidArgumentError(
        base::StrCat("pages of ", folder, ": no index.html; create it with npm run build"));
  return result;
}

absl::Status UiFolder::Add(const std::string& file, std::string path) {
  const std::string ending = fs::path(path).extension().string();
  const auto* const type = std::find_if(std::begin(kContentTypes), std::end(kContentTypes),
                                        [&](const auto& row) { return row.first == ending; });
  if (type == std::end(kContentTypes))
    return absl::InvalidArgumentError(
        base::StrCat(file, ": no content type is known for ", ending));
  FLARE_ASSIGN(const std::string content, base::ReadFile(file, kFileBytesMax));
  files_.push_back(std::make_unique<File>(
      File{.path = std::move(path), .etag = "", .gzip = base::Gzip(content)}));
  File& added = *files_.back();
  added.etag = base::StrCat("\"", base::HashContent(content).ToHex(), "\"");
  assets_.push_back({.path = added.path,
                     .content_type = type->second,
                     .etag = added.etag,
                     .gzip = added.gzip,
                     .plain_bytes = content.size()});
  return absl::OkStatus();
}

}  // namespace flarestack::server

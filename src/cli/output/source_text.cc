// SPDX-License-Identifier: Apache-2.0
#include "cli/output/source_text.h"

#include <algorithm>
#include <cstdlib>

#include "symbol/sources/debuginfod.h"

namespace flarestack::cli {

void SourceText::DefineFlags(CLI::App* app) {
  app->add_option(
         "--source-path,--source", folders_,
         "directory with the sources; every suffix of a path is tried below it; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app->add_option(
      "--debuginfod", debuginfod_,
      "URLs of debuginfod servers, for sources not found locally (default: $DEBUGINFOD_URLS)");
}

std::string SourceText::Line(const source::SourceName& name, int64_t line) {
  const source::SourceFile* const file = FileOf(name);
  std::string text(file != nullptr ? file->Line(line) : std::string_view());
  std::ranges::replace_if(  // tabs, and control characters that a terminal might interpret
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return text;
}

source::LineRange SourceText::FunctionAround(const source::SourceName& name,
                                             source::LineRange known, int64_t start) {
  const source::SourceFile* const file = FileOf(name);
  return file != nullptr ? source::FunctionAround(*file, known, start) : known;
}

const source::SourceFile* SourceText::FileOf(const source::SourceName& name) {
  if (name.path.empty())
    return nullptr;
  if (finder_ == nullptr) {
    if (const char* const urls = std::getenv("DEBUGINFOD_URLS");
        debuginfod_.empty() && urls != nullptr)
      debuginfod_ = urls;
    finder_ = std::make_unique<source::SourceFinder>(
        source::SourceFinderOptions{.folders = {.folders = folders_, .is_own_user = true},
                                    .debuginfod_urls = symbol::ParseDebuginfodUrls(debuginfod_)});
  }
  const auto [known, is_new] =
      files_.try_emplace({std::string(name.path), std::string(name.build_id)}, nullptr);
  if (is_new) {
    if (auto file = finder_->Find(name); file.ok())
      known->second = *std::move(file);
  }
  return known->second.get();
}

}  // namespace flarestack::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/source_flags.h"

#include <filesystem>

#include "base/status.h"
#include "source/repository_link.h"

namespace flarestack::cli {

void SourceFlags::Define(CLI::App* app) {
  app->add_option("--source-path", folders_,
                  "directory with source code, shown to everyone with read access; repeatable")
      ->type_name("DIR");
  app->add_option("--source-url", urls_,
                  "[SERVICE=]URL template of a repository line with {path}, {line}, {service} and "
                  "{version}; repeatable")
      ->type_name("TEMPLATE");
  app->add_option("--source-strip", prefixes_,
                  "path prefix to strip from {path}, such as /build/shop/; repeatable")
      ->type_name("PREFIX");
}

std::optional<Failure> SourceFlags::Read(server::SourceOptions* options) const {
  for (const std::string& folder : folders_) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
      return Failure{"invalid --source-path", folder + " is not a directory",
                     "pass the directory that contains the sources"};
    }
  }
  options->texts.folders.folders = folders_;
  options->repositories.prefixes = prefixes_;
  for (const std::string& text : urls_) {
    auto parsed = source::ParseRepositoryTemplate(text);
    if (!parsed.ok()) {
      return Failure{"invalid --source-url", std::string(base::Message(parsed.status())),
                     "such as 'https://git.example/shop/blob/v{version}/{path}#L{line}'"};
    }
    options->repositories.templates.push_back(*std::move(parsed));
  }
  return std::nullopt;
}

}  // namespace flarestack::cli

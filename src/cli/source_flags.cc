// SPDX-License-Identifier: Apache-2.0
#include "cli/source_flags.h"

#include <filesystem>

#include "base/status.h"
#include "source/repository_link.h"

namespace flarestack::cli {

void SourceFlags::Define(CLI::App* app) {
  app->add_option("--source-path", folders_,
                  "folder with source code, shown beside its costs to everyone who may read "
                  "profiles; may be given again")
      ->type_name("DIR");
  app->add_option("--source-url", urls_,
                  "[SERVICE=]URL of a line in the repository, with {path}, {line}, {service} and "
                  "{version} in it; may be given again")
      ->type_name("TEMPLATE");
  app->add_option("--source-strip", prefixes_,
                  "beginning of paths to leave out of {path}, such as /build/shop/; may be given "
                  "again")
      ->type_name("PREFIX");
}

std::optional<Failure> SourceFlags::Read(server::SourceOptions* options) const {
  for (const std::string& folder : folders_) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
      return Failure{"cannot use --source-path", folder + " is not a folder",
                     "the folder in which the sources are"};
    }
  }
  options->texts.folders.folders = folders_;
  options->repositories.prefixes = prefixes_;
  for (const std::string& text : urls_) {
    auto parsed = source::ParseRepositoryTemplate(text);
    if (!parsed.ok()) {
      return Failure{"cannot use --source-url", std::string(base::Message(parsed.status())),
                     "such as 'https://git.example/shop/blob/v{version}/{path}#L{line}'"};
    }
    options->repositories.templates.push_back(*std::move(parsed));
  }
  return std::nullopt;
}

}  // namespace flarestack::cli

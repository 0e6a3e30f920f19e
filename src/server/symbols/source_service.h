// SPDX-License-Identifier: Apache-2.0
//
// Finds source code and links to its repositories.
#pragma once

#include "source/repository_link.h"
#include "source/source_finder.h"

namespace flarestack::server {

struct SourceOptions {
  source::SourceFinderOptions texts;
  source::RepositoryOptions repositories;
  // Serves source code only for uploads. Other users of this machine cannot guess their ids.
  bool needs_upload = false;
};

class SourceService {
 public:
  explicit SourceService(SourceOptions options)
      : finder_(std::move(options.texts)),
        repositories_(std::move(options.repositories)),
        needs_upload_(options.needs_upload) {}

  source::SourceFinder& finder() { return finder_; }
  const source::RepositoryOptions& repositories() const { return repositories_; }
  bool needs_upload() const { return needs_upload_; }

 private:
  source::SourceFinder finder_;
  const source::RepositoryOptions repositories_;
  const bool needs_upload_;
};

}  // namespace flarestack::server

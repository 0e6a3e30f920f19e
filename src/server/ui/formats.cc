// SPDX-License-Identifier: Apache-2.0
#include "server/ui/formats.h"

#include <vector>

#include "base/text/text.h"
#include "codec/registry.h"
#include "server/ui/html_writer.h"

namespace flarestack::server {

std::span<const codec::Writer* const> Writers() {
  static const std::vector<const codec::Writer*> kWriters = [] {
    const auto of_codec = codec::Writers();
    std::vector<const codec::Writer*> writers(of_codec.begin(), of_codec.end());
    writers.push_back(&kHtmlWriter);
    return writers;
  }();
  return kWriters;
}

std::string WriterNames() {
  std::string names;
  for (const codec::Writer* writer : Writers())
    base::StrAppend(&names, names.empty() ? "" : ", ", writer->name);
  return names;
}

const codec::Writer* FindWriter(std::string_view name) {
  return name == kHtmlWriter.name ? &kHtmlWriter : codec::FindWriter(name);
}

const codec::Writer* FindWriterForPath(std::string_view path) {
  if (const codec::Writer* writer = codec::FindWriterForPath(path); writer != nullptr)
    return writer;
  for (const std::string_view ending : {".html", ".html.gz", ".html.zst"}) {
    if (path.size() > ending.size() && path.ends_with(ending))
      return &kHtmlWriter;
  }
  return nullptr;
}

}  // namespace flarestack::server

// SPDX-License-Identifier: Apache-2.0
#include "server/debuginfod_routes.h"

#include <utility>

#include "base/mapped_file.h"
#include "base/status.h"
#include "elf/elf_file.h"

namespace flarestack::server {
namespace {

using net::HttpRequest;
using net::HttpResponse;

constexpr size_t kPartBytes = 1 << 20;
constexpr uint64_t kSectionBytesMax = uint64_t{1} << 30;

HttpResponse TextResponse(int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.headers.Set("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(text) + "\n";
  return response;
}

HttpResponse ErrorOf(const absl::Status& status) {
  const int code = absl::IsNotFound(status)           ? 404
                   : absl::IsInvalidArgument(status)  ? 400
                   : absl::IsUnauthenticated(status)  ? 401
                   : absl::IsPermissionDenied(status) ? 403
                                                      : 500;
  return TextResponse(code, std::string(base::Message(status)));
}

absl::StatusOr<symbol::SymbolFiles> FilesFor(const FindSymbols& find_symbols,
                                             const HttpRequest& request) {
  FLARE_ASSIGN(SymbolService* const symbols, find_symbols(request));
  const symbol::Module module = {
      .ids = {{.kind = symbol::IdKind::kGnu,
               .text = std::string(request.path_parameters.Find("id").value_or(""))}}};
  if (symbols == nullptr)
    return absl::NotFoundError("nothing was pushed here");
  return symbols->uploads().Find(module);
}

// A file may be larger than memory, so it goes out in parts.
HttpResponse SendFile(const HttpRequest& request, const std::string& path) {
  auto file = base::MappedFile::Open(path);
  if (!file.ok())
    return ErrorOf(file.status());
  HttpResponse head;
  head.headers.Set("Content-Type", "application/octet-stream");
  head.headers.Set("X-DEBUGINFOD-SIZE", std::to_string(file->bytes().size()));
  if (request.method == "HEAD")
    return head;
  std::string_view rest = file->bytes();
  if (request.peer == nullptr || rest.size() <= kPartBytes) {
    head.body = rest;
    return head;
  }
  bool is_listening = request.peer->BeginAnswer(head);
  for (; is_listening && rest.size() > kPartBytes; rest.remove_prefix(kPartBytes))
    is_listening = request.peer->SendPart(rest.substr(0, kPartBytes));
  HttpResponse last;
  if (is_listening)
    last.body = rest;
  return last;
}

HttpResponse GetFile(const FindSymbols& find_symbols, HttpRequest& request,
                     std::string symbol::SymbolFiles::*which) {
  const auto files = FilesFor(find_symbols, request);
  if (!files.ok())
    return ErrorOf(files.status());
  const std::string& path = (*files).*which;
  return path.empty() ? TextResponse(404, "no such file was pushed") : SendFile(request, path);
}

absl::StatusOr<std::string> ReadSection(const symbol::SymbolFiles& files, std::string_view name) {
  // The debug file has what was stripped from the executable, and places of what was not.
  for (const std::string& path : {files.debug_file, files.executable}) {
    if (path.empty())
      continue;
    FLARE_ASSIGN(const base::MappedFile bytes, base::MappedFile::Open(path));
    FLARE_ASSIGN(const elf::ElfFile file, elf::ElfFile::Parse(bytes.bytes()));
    const elf::Section* const section = file.FindSection(name);
    if (section == nullptr || file.SectionBytes(*section).empty())
      continue;
    FLARE_ASSIGN(const elf::SectionContents contents, file.Contents(*section, kSectionBytesMax));
    return std::string(contents.view());
  }
  return absl::NotFoundError("no such section");
}

}  // namespace

std::vector<net::HttpRoute> DebuginfodRoutes(FindSymbols find_symbols) {
  const auto file_route = [&](const char* pattern, std::string symbol::SymbolFiles::*which) {
    return net::HttpRoute{"GET", pattern,
                          [find_symbols, which](HttpRequest& request) {
                            return GetFile(find_symbols, request, which);
                          },
                          net::Role::kRead};
  };
  return {file_route("/buildid/{id}/debuginfo", &symbol::SymbolFiles::debug_file),
          file_route("/buildid/{id}/executable", &symbol::SymbolFiles::executable),
          {"GET", "/buildid/{id}/section/{name}",
           [find_symbols](HttpRequest& request) {
             const auto files = FilesFor(find_symbols, request);
             if (!files.ok())
               return ErrorOf(files.status());
             auto section = ReadSection(*files, request.path_parameters.Find("name").value_or(""));
             if (!section.ok())
               return ErrorOf(section.status());
             HttpResponse response;
             response.headers.Set("Content-Type", "application/octet-stream");
             response.body = *std::move(section);
             return response;
           },
           net::Role::kRead}};
}

}  // namespace flarestack::server

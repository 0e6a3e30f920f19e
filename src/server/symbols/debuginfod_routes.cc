// SPDX-License-Identifier: Apache-2.0
#include "server/symbols/debuginfod_routes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "base/file/mapped_file.h"
#include "base/status.h"
#include "elf/elf_file.h"

namespace flarestack::server {
namespace {

using net::HttpRequest;
using net::HttpResponse;

constexpr size_t kPartBytes = 1 << 20;
constexpr uint64_t kSectionBytesMax = uint64_t{256} << 20;
constexpr uint64_t kFirstSectionBytes = 1 << 20;
constexpr uint64_t kNextSectionFactor = 4;

// A download occupies a handler thread; the rest must stay free for other requests.
constexpr int kDownloadsMax = 3;

class DownloadSlot {
 public:
  explicit DownloadSlot(std::atomic<int>* taken)
      : taken_(*taken), is_free_(taken_.fetch_add(1) < kDownloadsMax) {}
  ~DownloadSlot() { taken_.fetch_sub(1); }
  DownloadSlot(const DownloadSlot&) = delete;
  DownloadSlot& operator=(const DownloadSlot&) = delete;

  bool is_free() const { return is_free_; }

 private:
  std::atomic<int>& taken_;
  const bool is_free_;
};

// Slower clients are disconnected.
constexpr std::chrono::seconds kDownloadTimeMin{60};
constexpr uint64_t kBytesPerSecondMin = 256 << 10;

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
                   : absl::IsUnavailable(status)      ? 503
                                                      : 500;
  HttpResponse response = TextResponse(code, std::string(base::Message(status)));
  if (code == 503)
    response.headers.Set("Retry-After", "1");
  return response;
}

absl::StatusOr<symbol::SymbolFiles> FilesFor(const FindSymbols& find_symbols,
                                             const HttpRequest& request) {
  FLARE_ASSIGN(SymbolService* const symbols, find_symbols(request));
  const symbol::Module module = {
      .ids = {{.kind = symbol::IdKind::kGnu,
               .text = std::string(request.path_parameters.Find("id").value_or(""))}}};
  if (symbols == nullptr)
    return absl::NotFoundError("no files pushed");
  return symbols->uploads().Find(module);
}

// A file may be larger than memory, so it is sent in parts. If a client is too slow, the response
// ends early without its terminator, which marks it as incomplete.
HttpResponse SendBytes(const HttpRequest& request, std::string_view rest) {
  using Clock = std::chrono::steady_clock;
  HttpResponse head;
  head.headers.Set("Content-Type", "application/octet-stream");
  head.headers.Set("X-DEBUGINFOD-SIZE", std::to_string(rest.size()));
  if (request.method == "HEAD")
    return head;
  if (request.peer == nullptr || rest.size() <= kPartBytes) {
    head.body = rest;
    return head;
  }
  static std::atomic<int> downloads = 0;
  const DownloadSlot slot(&downloads);
  if (!slot.is_free())
    return TextResponse(503, "too many concurrent downloads; retry");
  const auto deadline =
      Clock::now() + kDownloadTimeMin + std::chrono::seconds(rest.size() / kBytesPerSecondMin);
  bool is_listening = request.peer->BeginResponse(head);
  for (; is_listening && rest.size() > kPartBytes; rest.remove_prefix(kPartBytes)) {
    if (Clock::now() > deadline) {
      request.peer->Abandon();
      break;
    }
    is_listening = request.peer->SendPart(rest.substr(0, kPartBytes));
  }
  HttpResponse last;
  if (is_listening)
    last.body = rest;
  return last;
}

HttpResponse SendFile(const HttpRequest& request, const std::string& path) {
  const auto file = base::MappedFile::Open(path);
  return file.ok() ? SendBytes(request, file->bytes()) : ErrorOf(file.status());
}

HttpResponse GetFile(const FindSymbols& find_symbols, HttpRequest& request,
                     std::string symbol::SymbolFiles::*which) {
  const auto files = FilesFor(find_symbols, request);
  if (!files.ok())
    return ErrorOf(files.status());
  const std::string& path = (*files).*which;
  return path.empty() ? TextResponse(404, "no such file was pushed") : SendFile(request, path);
}

// The size of a compressed section is not known in advance, so memory is reserved in steps. A step
// that is too small is cheap: nothing is decompressed.
absl::StatusOr<elf::SectionContents> ReadSection(const elf::ElfFile& file,
                                                 const elf::Section& section,
                                                 base::ByteLease* lease) {
  for (uint64_t bytes = kFirstSectionBytes;; bytes *= kNextSectionFactor) {
    if (!lease->CanEverHold(bytes))
      return absl::ResourceExhaustedError("the section exceeds the maximum response size");
    if (!lease->GrowTo(bytes))
      return absl::UnavailableError("not enough memory for the section; retry");
    auto contents = file.Contents(section, bytes);
    if (bytes >= kSectionBytesMax || !absl::IsResourceExhausted(contents.status()))
      return contents;
  }
}

absl::StatusOr<HttpResponse> SendSection(HttpRequest& request, const symbol::SymbolFiles& files,
                                         std::string_view name) {
  // The debug file has the sections stripped from the executable, and only headers of the others.
  for (const std::string& path : {files.debug_file, files.executable}) {
    if (path.empty())
      continue;
    FLARE_ASSIGN(const base::MappedFile bytes, base::MappedFile::Open(path));
    FLARE_ASSIGN(const elf::ElfFile file, elf::ElfFile::Parse(bytes.bytes()));
    const elf::Section* const section = file.FindSection(name);
    if (section == nullptr || file.SectionBytes(*section).empty())
      continue;
    FLARE_ASSIGN(const elf::SectionContents contents, ReadSection(file, *section, &request.lease));
    return SendBytes(request, contents.view());
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
             auto section =
                 SendSection(request, *files, request.path_parameters.Find("name").value_or(""));
             return section.ok() ? *std::move(section) : ErrorOf(section.status());
           },
           net::Role::kRead}};
}

}  // namespace flarestack::server

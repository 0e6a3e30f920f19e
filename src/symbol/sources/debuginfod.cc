// SPDX-License-Identifier: Apache-2.0
#include "symbol/sources/debuginfod.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/text/encoding.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderPrefix = "find-";
// Linkers do not write shorter ids, and those collide too easily.
constexpr size_t kIdBytesMin = 8;

void SweepFolders(const std::string& directory) {
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->path().filename().string().starts_with(kFolderPrefix))
      fs::remove_all(at->path(), ignored);
  }
}

// The destructor removes the folder and its contents.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

absl::StatusOr<std::shared_ptr<TemporaryFolder>> NewFolder(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  std::string path = base::StrCat(directory, "/", kFolderPrefix, "XXXXXX");
  if (mkdtemp(path.data()) == nullptr)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot create a directory in ", directory));
  return std::make_shared<TemporaryFolder>(std::move(path));
}

// Returns the id in lower case; empty if it is not one that servers know.
std::string QueryableId(std::string_view id) {
  const std::optional<std::string> bytes = base::HexDecode(id);
  return bytes.has_value() && bytes->size() >= kIdBytesMin ? base::HexEncode(*bytes) : "";
}

std::string QueryableId(const Module& module) {
  for (const FileId& id : module.ids) {
    if (std::string text = QueryableId(id.text); id.kind == IdKind::kGnu && !text.empty())
      return text;
  }
  return "";
}

bool HasId(const FileFacts& facts, const std::string& gnu_id) {
  return std::ranges::count(facts.ids, FileId{.kind = IdKind::kGnu, .text = gnu_id}) > 0;
}

DebuginfodOptions WithClock(DebuginfodOptions options) {
  if (options.now == nullptr)
    options.now = [] { return std::chrono::steady_clock::now(); };
  return options;
}

bool IsNetworkFailure(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsUnauthenticated(status);
}

}  // namespace

std::vector<std::string> ParseDebuginfodUrls(std::string_view words) {
  std::vector<std::string> urls;
  while (!words.empty()) {
    const size_t end = std::min(words.find_first_of(" \t\n"), words.size());
    std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    while (word.ends_with('/'))
      word.remove_suffix(1);
    if (word.starts_with("http://") || word.starts_with("https://"))
      urls.emplace_back(word);
  }
  return urls;
}

class Debuginfod::Search {
 public:
  Search(Debuginfod& owner, std::shared_ptr<TemporaryFolder> folder)
      : owner_(owner), folder_(std::move(folder)) {}

  struct Fetched {
    std::string path;
    std::string url;
    FileFacts facts;
  };

  // Downloads from the first server that has the file. `kind` is the last part of the url.
  std::optional<Fetched> Fetch(const std::string& id, std::string_view kind) {
    for (size_t i = 0; i < owner_.servers_.size(); ++i) {
      if (failed_servers_.contains(i))
        continue;
      const std::string url = base::StrCat(owner_.servers_[i].url, "/buildid/", id, "/", kind);
      absl::StatusOr<Fetched> fetched = FetchFrom(i, url, id);
      if (fetched.ok())
        return *std::move(fetched);
      outcomes_.push_back(fetched.status());
      if (absl::IsCancelled(fetched.status()))
        return std::nullopt;
    }
    return std::nullopt;
  }

  void Note(absl::Status response) { outcomes_.push_back(std::move(response)); }

  // Why nothing was found: all responses, with the most important code.
  absl::Status Failure() const {
    absl::StatusCode code = absl::StatusCode::kNotFound;
    std::string text;
    for (const absl::Status& response : outcomes_) {
      base::StrAppend(&text, text.empty() ? "" : "; ", base::Message(response));
      if (absl::IsCancelled(response))
        return response;
      if (IsNetworkFailure(response))
        code = absl::StatusCode::kUnavailable;
      else if (absl::IsResourceExhausted(response) && code == absl::StatusCode::kNotFound)
        code = absl::StatusCode::kResourceExhausted;
    }
    return {code, text};
  }

  const std::shared_ptr<TemporaryFolder>& folder() const { return folder_; }

 private:
  absl::StatusOr<Fetched> FetchFrom(size_t server_index, const std::string& url,
                                    const std::string& id) {
    const Server& server = owner_.servers_[server_index];
    if (!server.circuit->MayRequest(owner_.options_.now())) {
      failed_servers_.insert(server_index);
      return absl::UnavailableError(
          base::StrCat(server.url, ": skipped after repeated recent failures"));
    }
    Fetched fetched = {
        .path = base::StrCat(folder_->path(), "/", ++file_count_), .url = url, .facts = {}};
    const auto bytes =
        net::DownloadFile({.url = url,
                           .path = fetched.path,
                           .limits = owner_.options_.limits,
                           .is_cancelled = [this] { return owner_.is_cancelled_.load(); }});
    if (IsNetworkFailure(bytes.status())) {
      server.circuit->NoteFailure(owner_.options_.now());
      failed_servers_.insert(server_index);  // the next file would fail too
    } else if (!absl::IsCancelled(bytes.status())) {
      server.circuit->NoteAnswer();
    }
    FLARE_RETURN_IF_ERROR(bytes.status());
    auto facts = ReadFileFacts(fetched.path);
    if (!facts.ok() || !HasId(*facts, id)) {
      std::error_code ignored;
      fs::remove(fetched.path, ignored);
      return absl::NotFoundError(base::StrCat(
          url, ": the server returned a different file",
          facts.ok() ? std::string() : base::StrCat(" (", base::Message(facts.status()), ")")));
    }
    fetched.facts = *std::move(facts);
    return fetched;
  }

  Debuginfod& owner_;
  const std::shared_ptr<TemporaryFolder> folder_;
  std::set<size_t> failed_servers_;
  std::vector<absl::Status> outcomes_;
  int file_count_ = 0;
};

Debuginfod::Debuginfod(DebuginfodOptions options) : options_(WithClock(std::move(options))) {
  for (const std::string& url : options_.urls)
    servers_.push_back({.url = url, .circuit = std::make_unique<CircuitBreaker>(options_.circuit)});
  SweepFolders(options_.directory);
}

absl::StatusOr<SymbolFiles> Debuginfod::Find(const Module& module) {
  const std::string id = QueryableId(module);
  if (id.empty())
    return absl::NotFoundError("it has no GNU build id");
  if (servers_.empty())
    return absl::NotFoundError("no server is configured");
  FLARE_ASSIGN(std::shared_ptr<TemporaryFolder> folder, NewFolder(options_.directory));
  Search search(*this, std::move(folder));
  SymbolFiles files;
  const auto add = [&files](const Search::Fetched& fetched, std::string* path) {
    *path = fetched.path;
    base::StrAppend(&files.origin, files.origin.empty() ? "" : ", ", fetched.url);
  };
  std::string supplementary_id;
  const auto debug_file = search.Fetch(id, "debuginfo");
  if (debug_file.has_value()) {
    add(*debug_file, &files.debug_file);
    supplementary_id = debug_file->facts.supplementary_id;
  }
  if (!debug_file.has_value() || !debug_file->facts.has_symbols) {
    if (debug_file.has_value())
      search.Note(absl::NotFoundError(base::StrCat(debug_file->url, ": no symbols in it")));
    if (const auto executable = search.Fetch(id, "executable"); executable.has_value()) {
      add(*executable, &files.executable);
      if (supplementary_id.empty())
        supplementary_id = executable->facts.supplementary_id;
    }
  }
  if (files.executable.empty() && !(debug_file.has_value() && debug_file->facts.has_symbols))
    return search.Failure();
  if (supplementary_id = QueryableId(supplementary_id); !supplementary_id.empty()) {
    if (const auto shared = search.Fetch(supplementary_id, "debuginfo"); shared.has_value())
      add(*shared, &files.supplementary);
    else
      base::StrAppend(&files.origin, ", without the file that dwz made (", supplementary_id, ")");
  }
  files.keep = search.folder();
  return files;
}

}  // namespace flarestack::symbol

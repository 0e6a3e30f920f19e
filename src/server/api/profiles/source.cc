// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include <algorithm>

#include "base/status.h"
#include "server/api/parameters.h"
#include "server/symbols/source_service.h"
#include "source/function_lines.h"

namespace flarestack::server::api {
namespace {

using Kind = Parameter::Kind;

constexpr int64_t kLinesMax = 2'000;
constexpr uint64_t kLineMax = 100'000'000;

// The lines to return: the function around the requested lines, or the beginning of the file.
absl::StatusOr<source::LineRange> ShownLines(const Call& call, const source::SourceFile& file) {
  const NumberBounds number = {.fallback = 0, .min = 0, .max = kLineMax};
  FLARE_ASSIGN(const uint64_t first, ReadNumber(call, "first", number));
  FLARE_ASSIGN(const uint64_t last, ReadNumber(call, "last", number));
  FLARE_ASSIGN(const uint64_t start, ReadNumber(call, "start", number));
  if (first == 0)
    return source::LineRange{.first = 1, .last = std::min(file.line_count(), kLinesMax)};
  source::LineRange known = {.first = static_cast<int64_t>(first),
                             .last = static_cast<int64_t>(std::max(first, last))};
  known.last = std::min({known.last, file.line_count(), known.first + kLinesMax});
  if (known.first > known.last)
    return source::LineRange{};  // the file has changed since then
  source::LineRange shown = source::FunctionAround(file, known, static_cast<int64_t>(start));
  shown.last = std::min(shown.last, shown.first + kLinesMax);
  return shown;
}

absl::StatusOr<Answer> GetSource(Call& call) {
  const std::string_view file = call.Text("file");
  if (file.empty())
    return absl::InvalidArgumentError("`file` is missing: file path, as in the profile");
  FLARE_ASSIGN(const uint64_t line,
               ReadNumber(call, "line", {.fallback = 0, .min = 0, .max = kLineMax}));
  Answer response;
  response.json = {{"file", file}, {"found", false}};
  if (call.sources == nullptr)
    return response;
  if (call.sources->needs_upload() && call.data.hold == nullptr)
    return absl::PermissionDeniedError("`scratch` must name an opened file");
  const auto found = call.sources->finder().Find({.path = file, .build_id = call.Text("build_id")});
  if (found.ok()) {
    const source::SourceFile& text = **found;
    FLARE_ASSIGN(const source::LineRange shown, ShownLines(call, text));
    Json lines = Json::array();
    for (int64_t at = shown.first; at >= 1 && at <= shown.last; ++at)
      lines.push_back(text.Line(at));
    response.json["found"] = true;
    // Does not expose paths of the server.
    response.json["from"] = text.origin().starts_with('/') ? "folder" : text.origin();
    response.json["first_line"] = shown.first;
    response.json["line_count"] = text.line_count();
    response.json["lines"] = std::move(lines);
  } else {
    response.json["reason"] = base::Message(found.status());
  }
  const std::string link =
      source::RepositoryLink(call.sources->repositories(), {.service = call.Text("service"),
                                                            .version = call.Text("version"),
                                                            .path = file,
                                                            .line = static_cast<int64_t>(line)});
  if (!link.empty())
    response.json["url"] = link;
  return response;
}

}  // namespace

std::vector<Endpoint> SourceEndpoints() {
  return {
      {.path = "/source",
       .summary = "source code of a function and its repository link",
       .parameters =
           {{.name = "file", .summary = "file path, as in the profile"},
            {.name = "first",
             .kind = Kind::kNumber,
             .summary = "first known line of the function (default: whole file)"},
            {.name = "last", .kind = Kind::kNumber, .summary = "last known line of the function"},
            {.name = "start",
             .kind = Kind::kNumber,
             .summary = "start line of the function, if the profile has it"},
            {.name = "build_id", .summary = "GNU build id of the program, for debuginfod"},
            {.name = "service", .summary = "service, for the repository link"},
            {.name = "version", .summary = "version, for the repository link"},
            {.name = "line", .kind = Kind::kNumber, .summary = "line, for the repository link"},
            {.name = kScratchParameter, .summary = "upload whose profile names the file"}},
       .responses = {"SourceAnswer"},
       .handler = GetSource,
       .has_etag = false}};
}

}  // namespace flarestack::server::api

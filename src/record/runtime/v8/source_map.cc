// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/source_map.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <tuple>

#include "base/encoding.h"
#include "base/file.h"
#include "base/status.h"
#include "record/runtime/v8/v8_script.h"
#include "simdjson.h"

namespace flarestack::record::runtime {
namespace {

constexpr std::string_view kUrlKey = "sourceMappingURL=";
constexpr size_t kUrlTailBytes = 64 << 20;
constexpr size_t kSourceNameBytesMax = 4096;
constexpr int64_t kNumberMax = std::numeric_limits<uint32_t>::max();

// Base64 digits of six bits: the highest says that more follow, the lowest of all is the sign.
class MappingNumbers {
 public:
  explicit MappingNumbers(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  char Peek() const { return text_.front(); }
  void Skip() { text_.remove_prefix(1); }

  // Returns nullopt if it is not a number of 32 bits.
  std::optional<int64_t> Next() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift <= 30 && !text_.empty(); shift += 5) {
      const int digit = Digit(text_.front());
      if (digit < 0)
        return std::nullopt;
      text_.remove_prefix(1);
      value |= static_cast<uint64_t>(digit & 31) << shift;
      if ((digit & 32) == 0) {
        const auto size = static_cast<int64_t>(value >> 1);
        return (value & 1) != 0 ? -size : size;
      }
    }
    return std::nullopt;
  }

 private:
  static int Digit(char c) {
    if (c >= 'A' && c <= 'Z')
      return c - 'A';
    if (c >= 'a' && c <= 'z')
      return c - 'a' + 26;
    if (c >= '0' && c <= '9')
      return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  }

  std::string_view text_;
};

bool HasScheme(std::string_view url) {
  const size_t colon = url.find(':');
  return colon != std::string_view::npos && colon > 1 && url.find('/') > colon;
}

// The name of a source, resolved against the place of its map.
std::string ResolveSource(std::string_view root, std::string_view source, std::string_view map) {
  std::string joined(root);
  if (!joined.empty() && !joined.ends_with('/'))
    joined.push_back('/');
  joined.append(source);
  if (joined.starts_with("file://"))
    return V8ScriptPath(joined);
  if (HasScheme(joined) || joined.starts_with('/') || map.empty())
    return joined;
  const std::filesystem::path directory = std::filesystem::path(map).parent_path();
  return (directory / joined).lexically_normal().string();
}

absl::Status NotASourceMap(std::string_view why) {
  return absl::InvalidArgumentError(base::StrCat("not a source map: ", why));
}

std::string_view Text(const simdjson::dom::element& parent, std::string_view key) {
  std::string_view text;
  return parent[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

absl::StatusOr<std::string> DecodeDataUrl(std::string_view url) {
  const size_t comma = url.find(',');
  if (comma == std::string_view::npos)
    return NotASourceMap("a data URL without data");
  const std::string_view data = url.substr(comma + 1);
  if (!url.substr(0, comma).ends_with(";base64"))
    return V8ScriptPath(base::StrCat("file://", data));  // percent-encoded
  auto decoded = base::Base64Decode(data);
  if (!decoded.has_value())
    return NotASourceMap("a data URL that is not base64");
  return *std::move(decoded);
}

}  // namespace

// Reads one map, or the maps of its sections, into a SourceMap.
class SourceMapReader {
 public:
  SourceMapReader(std::string_view path, const SourceMap::Limits& limits)
      : path_(path), limits_(limits) {}

  absl::StatusOr<SourceMap> Read(std::string_view json) {
    if (json.starts_with(")]}'"))  // against inclusion as a script
      json.remove_prefix(std::min(json.find('\n'), json.size()));
    if (json.size() > limits_.bytes_max) {
      return absl::ResourceExhaustedError(base::StrCat("a source map of ", json.size(),
                                                       " bytes, the limit is ", limits_.bytes_max));
    }
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    if (const auto error = parser.parse(json.data(), json.size()).get(root))
      return NotASourceMap(simdjson::error_message(error));
    simdjson::dom::array sections;
    if (root["sections"].get(sections) == simdjson::SUCCESS) {
      FLARE_RETURN_IF_ERROR(ReadSections(sections));
    } else {
      FLARE_RETURN_IF_ERROR(ReadMap(root, 0, 0));
    }
    auto& segments = map_.segments_;
    std::stable_sort(segments.begin(), segments.end(), [](const auto& a, const auto& b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
    return std::move(map_);
  }

 private:
  absl::Status ReadSections(const simdjson::dom::array& sections) {
    int count = 0;
    for (const simdjson::dom::element section : sections) {
      if (++count > limits_.sections_max)
        return absl::ResourceExhaustedError("a source map with too many sections");
      uint64_t line = 0;
      uint64_t column = 0;
      simdjson::dom::element map;
      if (section["offset"]["line"].get(line) != simdjson::SUCCESS ||
          section["offset"]["column"].get(column) != simdjson::SUCCESS ||
          section["map"].get(map) != simdjson::SUCCESS || line > kNumberMax || column > kNumberMax)
        return NotASourceMap("a section without offset and map");
      FLARE_RETURN_IF_ERROR(
          ReadMap(map, static_cast<uint32_t>(line), static_cast<uint32_t>(column)));
    }
    return absl::OkStatus();
  }

  absl::Status ReadMap(const simdjson::dom::element& map, uint32_t line, uint32_t column) {
    uint64_t version = 0;
    if (map["version"].get(version) != simdjson::SUCCESS || version != 3)
      return NotASourceMap("its version is not 3");
    simdjson::dom::array sources;
    if (map["sources"].get(sources) != simdjson::SUCCESS)
      return NotASourceMap("it has no sources");
    first_file_ = map_.files_.size();
    first_name_ = map_.names_.size();
    const std::string_view root = Text(map, "sourceRoot");
    for (const simdjson::dom::element source : sources) {
      std::string_view name;
      if (source.get(name) != simdjson::SUCCESS)
        name = {};  // null: unknown
      map_.files_.push_back(name.empty()
                                ? std::string()
                                : ResolveSource(root.substr(0, kSourceNameBytesMax),
                                                name.substr(0, kSourceNameBytesMax), path_));
      FLARE_RETURN_IF_ERROR(CheckNames());
    }
    if (simdjson::dom::array names; map["names"].get(names) == simdjson::SUCCESS) {
      for (const simdjson::dom::element element : names) {
        std::string_view name;
        if (element.get(name) != simdjson::SUCCESS)
          name = {};
        map_.names_.emplace_back(name.substr(0, kSourceNameBytesMax));
        FLARE_RETURN_IF_ERROR(CheckNames());
      }
    }
    return ReadMappings(Text(map, "mappings"), line, column);
  }

  absl::Status CheckNames() const {
    if (map_.files_.size() + map_.names_.size() <= limits_.names_max)
      return absl::OkStatus();
    return absl::ResourceExhaustedError("a source map with too many names");
  }

  absl::Status ReadMappings(std::string_view mappings, uint32_t first_line, uint32_t first_column) {
    MappingNumbers numbers(mappings);
    // Generated column, file, original line and column, name: each relative to the one before.
    std::array<int64_t, 5> state = {};
    int64_t line = 0;
    while (!numbers.at_end()) {
      if (numbers.Peek() == ';') {
        ++line;
        state[0] = 0;
        numbers.Skip();
        continue;
      }
      if (numbers.Peek() == ',') {
        numbers.Skip();
        continue;
      }
      size_t count = 0;
      for (; !numbers.at_end() && numbers.Peek() != ',' && numbers.Peek() != ';'; ++count) {
        const auto number = numbers.Next();
        if (!number.has_value() || count == state.size())
          return NotASourceMap("its mappings are malformed");
        state[count] += *number;
        if (state[count] < 0 || state[count] > kNumberMax)
          return NotASourceMap("a mapping is out of range");
      }
      if (count != 1 && count != 4 && count != 5)
        return NotASourceMap("a mapping has neither one, four nor five numbers");
      if (line + first_line > kNumberMax)
        return NotASourceMap("too many lines");
      SourceMap::Segment segment = {
          .line = static_cast<uint32_t>(line + first_line),
          .column = static_cast<uint32_t>(state[0]) + (line == 0 ? first_column : 0)};
      FLARE_RETURN_IF_ERROR(AddSegment(segment, count, state));
    }
    return absl::OkStatus();
  }

  absl::Status AddSegment(SourceMap::Segment segment, size_t count,
                          const std::array<int64_t, 5>& state) {
    if (map_.segments_.size() == limits_.segments_max)
      return absl::ResourceExhaustedError("a source map with too many mappings");
    if (count >= 4) {
      if (state[1] >= static_cast<int64_t>(map_.files_.size() - first_file_))
        return NotASourceMap("a mapping to a source that is not listed");
      segment.file = static_cast<int32_t>(first_file_ + static_cast<size_t>(state[1]));
      segment.original_line = static_cast<uint32_t>(state[2]);
      segment.original_column = static_cast<uint32_t>(state[3]);
    }
    if (count == 5) {
      if (state[4] >= static_cast<int64_t>(map_.names_.size() - first_name_))
        return NotASourceMap("a mapping to a name that is not listed");
      segment.name = static_cast<int32_t>(first_name_ + static_cast<size_t>(state[4]));
    }
    map_.segments_.push_back(segment);
    return absl::OkStatus();
  }

  std::string_view path_;
  const SourceMap::Limits& limits_;
  SourceMap map_;
  size_t first_file_ = 0;  // of the current section
  size_t first_name_ = 0;
};

absl::StatusOr<SourceMap> SourceMap::Parse(std::string_view json, std::string_view path,
                                           const Limits& limits) {
  return SourceMapReader(path, limits).Read(json);
}

absl::StatusOr<SourceMap> SourceMap::Load(const std::string& script, const std::string& directory,
                                          const Limits& limits) {
  std::vector<std::string> candidates;
  if (const auto text = base::ReadFile(script, limits.script_bytes_max); text.ok()) {
    const std::string_view url = FindSourceMapUrl(*text);
    if (url.starts_with("data:")) {
      FLARE_ASSIGN(const std::string json, DecodeDataUrl(url));
      return Parse(json, script, limits);
    }
    if (url.starts_with("file://"))
      candidates.push_back(V8ScriptPath(url));
    else if (!url.empty() && !HasScheme(url))
      candidates.push_back((std::filesystem::path(script).parent_path() / url).string());
  }
  candidates.push_back(script + ".map");
  if (!directory.empty()) {
    const std::string name = std::filesystem::path(script).filename().string();
    candidates.push_back((std::filesystem::path(directory) / (name + ".map")).string());
  }
  for (const std::string& candidate : candidates) {
    if (const auto json = base::ReadFile(candidate, limits.bytes_max); json.ok())
      return Parse(*json, candidate, limits);
  }
  return absl::NotFoundError(base::StrCat("no source map of ", script));
}

std::optional<OriginalPlace> SourceMap::Find(const SourcePlace& generated) const {
  if (generated.line < 1 || generated.column < 1 || generated.line > kNumberMax ||
      generated.column > kNumberMax)
    return std::nullopt;
  const auto line = static_cast<uint32_t>(generated.line - 1);
  const auto column = static_cast<uint32_t>(generated.column - 1);
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), std::pair(line, column),
                                      [](const auto& place, const Segment& segment) {
                                        return place < std::pair(segment.line, segment.column);
                                      });
  if (after == segments_.begin())
    return std::nullopt;
  const Segment& found = *std::prev(after);
  if (found.line != line || found.file < 0)
    return std::nullopt;
  OriginalPlace place = {.file = files_[static_cast<size_t>(found.file)],
                         .line = int64_t{found.original_line} + 1,
                         .column = int64_t{found.original_column} + 1};
  if (found.name >= 0)
    place.name = names_[static_cast<size_t>(found.name)];
  return place;
}

std::string_view FindSourceMapUrl(std::string_view script) {
  // Bundles end with the comment; an inline map makes it long.
  const std::string_view tail =
      script.substr(script.size() - std::min(script.size(), kUrlTailBytes));
  for (size_t at = tail.rfind(kUrlKey); at != std::string_view::npos && at >= 4;
       at = tail.rfind(kUrlKey, at - 1)) {
    const std::string_view before = tail.substr(at - 4, 4);
    if (before != "//# " && before != "//@ ")
      continue;
    const std::string_view rest = tail.substr(at + kUrlKey.size());
    return rest.substr(0, rest.find_first_of(" \t\r\n'\""));
  }
  return {};
}

}  // namespace flarestack::record::runtime

// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/source_map.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <tuple>
#include <utility>

#include "base/status.h"
#include "base/text/encoding.h"
#include "record/runtime/v8/v8_script.h"
#include "simdjson.h"

namespace flarestack::record::runtime {
namespace {

constexpr std::string_view kUrlKey = "sourceMappingURL=";
constexpr size_t kSourceBytesMax = 4096;
constexpr size_t kNameBytesMax = 1024;
constexpr int64_t kNumberMax = std::numeric_limits<uint32_t>::max();

constexpr uint8_t kNoDigit = 0xff;
constexpr std::array<uint8_t, 256> MakeDigits() {
  std::array<uint8_t, 256> digits = {};
  digits.fill(kNoDigit);
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  return digits;
}
constexpr std::array<uint8_t, 256> kDigits = MakeDigits();

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
      const unsigned digit = kDigits[static_cast<uint8_t>(text_.front())];
      if (digit == kNoDigit)
        return std::nullopt;
      text_.remove_prefix(1);
      value |= uint64_t{digit & 31} << shift;
      if ((digit & 32) == 0) {
        const auto size = static_cast<int64_t>(value >> 1);
        return (value & 1) != 0 ? -size : size;
      }
    }
    return std::nullopt;
  }

 private:
  std::string_view text_;
};

bool HasScheme(std::string_view url) {
  const size_t colon = url.find(':');
  return colon != std::string_view::npos && colon > 1 && url.find('/') > colon;
}

// "webpack://shop/./src/cart.ts?a1b2" -> "src/cart.ts": a path in the project, which has no folder.
std::string BundlerPath(std::string_view path) {
  for (int parts = path.starts_with('@') ? 2 : 1; parts > 0; --parts) {  // of the project's name
    const size_t slash = path.find('/');
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  path = path.substr(0, path.find('?'));
  return std::filesystem::path(path).lexically_normal().string();
}

// Resolves the name of a source against the folder of its map.
std::string ResolveSource(std::string_view root, std::string_view source, std::string_view map) {
  std::string joined;
  if (!HasScheme(source) && !source.starts_with('/'))
    joined = root;
  if (!joined.empty() && !joined.ends_with('/'))
    joined.push_back('/');
  joined.append(source);
  for (const std::string_view scheme : {"webpack://", "turbopack://"}) {
    if (joined.starts_with(scheme))
      return BundlerPath(std::string_view(joined).substr(scheme.size()));
  }
  if (joined.starts_with("file://"))
    return V8ScriptPath(joined);
  if (HasScheme(joined) || map.empty())
    return joined;
  const std::filesystem::path folder = std::filesystem::path(map).parent_path();
  return (folder / joined).lexically_normal().string();
}

size_t CountSegments(std::string_view mappings) {
  const auto is_separator = [](char c) { return c == ',' || c == ';'; };
  size_t count = 0;
  bool is_first = true;  // of its segment
  for (const char c : mappings) {
    count += is_first && !is_separator(c) ? 1 : 0;
    is_first = is_separator(c);
  }
  return count;
}

// Other comments may follow that of the map.
bool HasOnlyComments(std::string_view end_of_script) {
  while (!end_of_script.empty()) {
    std::string_view line = end_of_script.substr(0, end_of_script.find('\n'));
    end_of_script.remove_prefix(std::min(line.size() + 1, end_of_script.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (!line.empty() && !line.starts_with("//"))
      return false;
  }
  return true;
}

absl::Status NotASourceMap(std::string_view why) {
  return absl::InvalidArgumentError(base::StrCat("not a source map: ", why));
}

absl::Status TooLarge(std::string_view what, uint64_t limit) {
  return absl::ResourceExhaustedError(base::StrCat("source map with more than ", limit, what));
}

// Empty if the member is missing, not text, or longer than `bytes_max`.
std::string_view TextOf(const simdjson::dom::element& element, size_t bytes_max) {
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS || text.size() > bytes_max)
    return {};
  return text;
}
std::string_view MemberText(const simdjson::dom::element& parent, std::string_view key,
                            size_t bytes_max) {
  simdjson::dom::element member;
  return parent[key].get(member) == simdjson::SUCCESS ? TextOf(member, bytes_max)
                                                      : std::string_view();
}

}  // namespace

// Reads one map, or the maps of its sections, into a SourceMap.
class SourceMapReader {
 public:
  SourceMapReader(std::string_view path, const SourceMap::Limits& limits)
      : path_(path), limits_(limits) {}

  absl::StatusOr<SourceMap> Read(std::string_view json) {
    if (json.size() > limits_.bytes_max)
      return TooLarge(" bytes", limits_.bytes_max);
    if (json.starts_with(")]}'"))  // a guard against loading it as a script
      json.remove_prefix(std::min(json.find('\n'), json.size()));
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
    const auto precedes = [](const auto& a, const auto& b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    };
    auto& segments = map_.segments_;
    if (!std::is_sorted(segments.begin(), segments.end(), precedes))
      std::stable_sort(segments.begin(), segments.end(), precedes);
    map_.bytes_ = sizeof(SourceMap) + segments.capacity() * sizeof(segments[0]) + name_bytes_ +
                  (map_.files_.capacity() + map_.names_.capacity()) * sizeof(std::string);
    return std::move(map_);
  }

 private:
  absl::Status ReadSections(const simdjson::dom::array& sections) {
    int count = 0;
    for (const simdjson::dom::element section : sections) {
      if (++count > limits_.sections_max)
        return TooLarge(" sections", static_cast<uint64_t>(limits_.sections_max));
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
    const std::string_view root = MemberText(map, "sourceRoot", kSourceBytesMax);
    for (const simdjson::dom::element source : sources) {
      const std::string_view name = TextOf(source, kSourceBytesMax);  // null: unknown
      FLARE_RETURN_IF_ERROR(
          AddName(name.empty() ? std::string() : ResolveSource(root, name, path_), &map_.files_));
    }
    if (simdjson::dom::array names; map["names"].get(names) == simdjson::SUCCESS) {
      for (const simdjson::dom::element name : names)
        FLARE_RETURN_IF_ERROR(AddName(std::string(TextOf(name, kNameBytesMax)), &map_.names_));
    }
    return ReadMappings(MemberText(map, "mappings", limits_.bytes_max), line, column);
  }

  absl::Status AddName(std::string name, std::vector<std::string>* names) {
    name_bytes_ += name.size();
    if (map_.files_.size() + map_.names_.size() == limits_.names_max)
      return TooLarge(" sources and names", limits_.names_max);
    if (name_bytes_ > limits_.name_bytes_max)
      return TooLarge(" bytes of sources and names", limits_.name_bytes_max);
    names->push_back(std::move(name));
    return absl::OkStatus();
  }

  absl::Status ReadMappings(std::string_view mappings, uint32_t first_line, uint32_t first_column) {
    MappingNumbers numbers(mappings);
    const size_t segment_count = map_.segments_.size() + CountSegments(mappings);
    if (segment_count > limits_.segments_max)
      return TooLarge(" mappings", limits_.segments_max);
    map_.segments_.reserve(segment_count);
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
      const int64_t column = state[0] + (line == 0 ? first_column : 0);
      if (line + first_line > kNumberMax || column > kNumberMax)
        return NotASourceMap("a mapping is out of range");
      FLARE_RETURN_IF_ERROR(AddSegment({.line = static_cast<uint32_t>(line + first_line),
                                        .column = static_cast<uint32_t>(column)},
                                       count, state));
    }
    return absl::OkStatus();
  }

  absl::Status AddSegment(SourceMap::Segment segment, size_t count,
                          const std::array<int64_t, 5>& state) {
    if (count != 1 && count != 4 && count != 5)
      return NotASourceMap("a mapping has neither one, four nor five numbers");
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
  size_t name_bytes_ = 0;
};

absl::StatusOr<SourceMap> SourceMap::Parse(std::string_view json, std::string_view path,
                                           const Limits& limits) {
  return SourceMapReader(path, limits).Read(json);
}

const SourceMap::Segment* SourceMap::FindSegment(const SourcePosition& generated) const {
  if (generated.line < 1 || generated.column < 1 || generated.line > kNumberMax ||
      generated.column > kNumberMax)
    return nullptr;
  const std::pair position(static_cast<uint32_t>(generated.line - 1),
                           static_cast<uint32_t>(generated.column - 1));
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), position,
                                      [](const auto& at, const Segment& segment) {
                                        return at < std::pair(segment.line, segment.column);
                                      });
  if (after == segments_.begin() || std::prev(after)->line != position.first)
    return nullptr;
  return &*std::prev(after);
}

std::optional<OriginalPosition> SourceMap::Find(const SourcePosition& generated) const {
  const Segment* const segment = FindSegment(generated);
  if (segment == nullptr || segment->file < 0)
    return std::nullopt;
  const std::string& file = files_[static_cast<size_t>(segment->file)];
  if (file.empty())
    return std::nullopt;
  return OriginalPosition{.file = file,
                          .line = int64_t{segment->original_line} + 1,
                          .column = int64_t{segment->original_column} + 1};
}

std::string_view SourceMap::FindName(const SourcePosition& generated) const {
  const Segment* const segment = FindSegment(generated);
  if (segment == nullptr || segment->name < 0 || int64_t{segment->column} + 1 != generated.column)
    return {};
  return names_[static_cast<size_t>(segment->name)];
}

bool SourceMap::Fits(const std::vector<uint32_t>& line_ends) const {
  const auto is_outside = [&](const Segment& segment) {
    if (segment.line >= line_ends.size())
      return true;
    const uint32_t begin = segment.line == 0 ? 0 : line_ends[segment.line - 1] + 1;
    return uint64_t{begin} + segment.column > line_ends[segment.line];
  };
  return std::ranges::count_if(segments_, is_outside) * 100 <=
         static_cast<std::ptrdiff_t>(segments_.size());
}

std::string_view FindSourceMapUrl(std::string_view script) {
  for (size_t at = script.rfind(kUrlKey); at != std::string_view::npos && at >= 4;
       at = script.rfind(kUrlKey, at - 1)) {
    const std::string_view before = script.substr(at - 4, 4);
    if (before != "//# " && before != "//@ ")
      continue;
    const std::string_view rest = script.substr(at + kUrlKey.size());
    const std::string_view url = rest.substr(0, rest.find_first_of(" \t\r\n'\""));
    return HasOnlyComments(rest.substr(url.size())) ? url : std::string_view();
  }
  return {};
}

absl::StatusOr<std::string> DecodeSourceMapUrl(std::string_view url) {
  const size_t comma = url.find(',');
  if (!url.starts_with("data:") || comma == std::string_view::npos)
    return NotASourceMap("a data URL without data");
  const std::string_view data = url.substr(comma + 1);
  if (!url.substr(0, comma).ends_with(";base64"))
    return V8ScriptPath(base::StrCat("file://", data));  // percent-encoded
  auto decoded = base::Base64Decode(data);
  if (!decoded.has_value())
    return NotASourceMap("a data URL that is not base64");
  return *std::move(decoded);
}

}  // namespace flarestack::record::runtime

// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_script.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/status.h"

namespace flarestack::record::runtime {
namespace {

constexpr std::chrono::minutes kMapPause{1};
constexpr std::string_view kFileScheme = "file://";

int HexDigit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// JavaScript ends lines at \n, \r, \r\n and two more characters. An end is its last character.
std::vector<uint32_t> FindLineEnds(const std::u16string& text) {
  std::vector<uint32_t> ends;
  for (size_t i = 0; i < text.size(); ++i) {
    const char16_t unit = text[i];
    const bool is_end = unit == u'\n' || unit == 0x2028 || unit == 0x2029 ||
                        (unit == u'\r' && (i + 1 == text.size() || text[i + 1] != u'\n'));
    if (is_end)
      ends.push_back(static_cast<uint32_t>(i));
  }
  ends.push_back(static_cast<uint32_t>(text.size()));
  return ends;
}

}  // namespace

std::string V8ScriptPath(std::string_view name) {
  if (!name.starts_with(kFileScheme))
    return std::string(name);
  std::string path;
  name.remove_prefix(kFileScheme.size());
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '%' && i + 2 < name.size() && HexDigit(name[i + 1]) >= 0 &&
        HexDigit(name[i + 2]) >= 0) {
      path.push_back(static_cast<char>(HexDigit(name[i + 1]) * 16 + HexDigit(name[i + 2])));
      i += 2;
    } else {
      path.push_back(name[i]);
    }
  }
  return path;
}

V8Line V8Script::LineOf(int32_t script_offset) const {
  if (line_ends.empty() || script_offset < 0)
    return {};
  const auto offset = static_cast<uint32_t>(script_offset);
  const auto end = std::lower_bound(line_ends.begin(), line_ends.end(), offset);
  if (end == line_ends.end())
    return {};
  const int64_t line = end - line_ends.begin();
  const int64_t begin = line == 0 ? 0 : int64_t{*(end - 1)} + 1;
  return {.line = line + first_line + 1,
          .column = offset - begin + 1 + (line == 0 ? first_column : 0)};
}

absl::StatusOr<std::vector<uint32_t>> V8Scripts::ReadLineEnds(const V8Heap& heap,
                                                              uint64_t script) const {
  const V8Layout& layout = heap.layout();
  // V8 computes them when it needs them: for the first stack trace through a script.
  if (const auto array = heap.Pointer(script, layout.script.line_ends); array.ok()) {
    const auto length = heap.ArrayLength(*array);
    if (length.ok() && *length > 0 && static_cast<size_t>(*length) <= limits_.line_ends_max) {
      std::vector<uint64_t> words(static_cast<size_t>(*length));
      FLARE_RETURN_IF_ERROR(
          heap.Read(*array + static_cast<uint64_t>(layout.array_data),
                    std::span(reinterpret_cast<char*>(words.data()), words.size() * 8)));
      std::vector<uint32_t> ends;
      for (const uint64_t word : words)
        ends.push_back(static_cast<uint32_t>(word >> 32));
      if (std::is_sorted(ends.begin(), ends.end()))
        return ends;
    }
  }
  FLARE_ASSIGN(const uint64_t source, heap.Pointer(script, layout.script.source));
  FLARE_ASSIGN(const int32_t length, heap.Half(source, layout.string.length));
  if (length < 0 || static_cast<size_t>(length) > limits_.source_units_max)
    return absl::ResourceExhaustedError("the script is too long to count its lines");
  FLARE_ASSIGN(const std::u16string text,
               heap.Units(source, {.begin = 0, .count = static_cast<size_t>(length)}));
  return FindLineEnds(text);
}

// The map of a script stays the one that was found first: a file that changes later belongs to a
// script that is not loaded yet.
void V8Scripts::FindMap(Entry* entry) const {
  if (!find_map_ || !entry->may_have_map || entry->script.map != nullptr)
    return;
  const auto now = std::chrono::steady_clock::now();
  if (now < entry->next_map)
    return;
  entry->next_map = now + kMapPause;
  auto map = find_map_(entry->script);
  if (map.ok())
    entry->script.map = *std::move(map);
  else
    entry->may_have_map = absl::IsUnavailable(map.status());
}

absl::StatusOr<const V8Script*> V8Scripts::Find(const V8Heap& heap, uint64_t script) {
  const V8Layout& layout = heap.layout();
  FLARE_ASSIGN(const uint64_t source, heap.Word(script, layout.script.source));
  FLARE_ASSIGN(const uint64_t name, heap.Word(script, layout.script.name));
  if (const auto found = scripts_.find(script); found != scripts_.end()) {
    Entry& known = *found->second;
    if (known.source == source && known.name == name) {
      FindMap(&known);
      return &known.script;
    }
  }
  FLARE_RETURN_IF_ERROR(heap.ExpectType(script, layout.type.script));
  auto entry = std::make_unique<Entry>(Entry{.source = source, .name = name});
  V8Script& read = entry->script;
  if (const auto text = heap.Pointer(script, layout.script.name); text.ok())
    read.file = V8ScriptPath(heap.String(*text).value_or(""));
  if (auto ends = ReadLineEnds(heap, script); ends.ok())
    read.line_ends = *std::move(ends);
  read.first_line = heap.Smi(script, layout.script.line_offset).value_or(0);
  read.first_column = heap.Smi(script, layout.script.column_offset).value_or(0);
  if (scripts_.size() >= limits_.scripts_max ||
      line_end_count_ + read.line_ends.size() > limits_.line_ends_max) {
    scripts_.clear();
    line_end_count_ = 0;
  }
  line_end_count_ += read.line_ends.size();
  FindMap(entry.get());
  return &(scripts_[script] = std::move(entry))->script;
}

}  // namespace flarestack::record::runtime

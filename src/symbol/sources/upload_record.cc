// SPDX-License-Identifier: Apache-2.0
#include "symbol/sources/upload_record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/status.h"

namespace flarestack::symbol {
namespace {

// Indexed by IdKind.
constexpr std::array<std::string_view, kIdKindCount> kIdNames = {"gnu", "go", "htlhash"};

// Removes and returns the text up to `end`; `end` is removed too.
std::string_view TakeUntil(char end, std::string_view* text) {
  const size_t length = std::min(text->find(end), text->size());
  const std::string_view taken = text->substr(0, length);
  text->remove_prefix(std::min(length + 1, text->size()));
  return taken;
}

uint64_t ParseNumber(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<FileId> ParseId(std::string_view text) {
  const std::string_view name = TakeUntil(' ', &text);
  const auto* at = std::find(kIdNames.begin(), kIdNames.end(), name);
  if (at == kIdNames.end() || text.empty())
    return std::nullopt;
  return FileId{.kind = static_cast<IdKind>(at - kIdNames.begin()), .text = std::string(text)};
}

}  // namespace

std::string FormatUploadRecord(const UploadRecord& record) {
  std::string name = record.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  std::string text = base::StrCat("sha256 ", record.sha256, "\nbytes ", record.bytes, "\ntime ",
                                  record.time_nanos, "\nname ", name, "\n");
  for (const FileId& id : record.ids)
    base::StrAppend(&text, "id ", kIdNames[static_cast<size_t>(id.kind)], " ", id.text, "\n");
  return text;
}

absl::StatusOr<UploadRecord> ParseUploadRecord(std::string_view text) {
  UploadRecord record;
  bool has_size = false;
  while (!text.empty()) {
    std::string_view line = TakeUntil('\n', &text);
    const std::string_view word = TakeUntil(' ', &line);
    if (word == "sha256") {
      record.sha256 = line;
    } else if (word == "bytes") {
      record.bytes = ParseNumber(line);
      has_size = true;
    } else if (word == "time") {
      record.time_nanos = ParseNumber(line);
    } else if (word == "name") {
      record.name = line;
    } else if (word == "id") {
      if (std::optional<FileId> id = ParseId(line); id.has_value())
        record.ids.push_back(*std::move(id));
    }
  }
  if (record.sha256.empty() || !has_size || record.ids.empty())
    return absl::InvalidArgumentError("the record of an upload has no hash, size or id");
  return record;
}

}  // namespace flarestack::symbol

// SPDX-License-Identifier: Apache-2.0
#include "record/process/context/goroutine.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "elf/byte_cursor.h"
#include "record/bpf/go_process.h"

namespace flarestack::record::agent {
namespace {

constexpr size_t kCharacterBytesMax = 4;

// Removes the part of a character that truncation left. Another text stays as it is.
std::string_view WholeCharacters(std::string_view text, size_t bytes_max) {
  if (text.size() < bytes_max)
    return text;
  size_t kept = text.size();
  for (size_t i = 1; i < kCharacterBytesMax && i <= text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[text.size() - i]);
    if ((byte & 0xc0) == 0x80)
      continue;
    const size_t needed = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (needed > i)
      kept = text.size() - i;
    break;
  }
  return text.substr(0, kept);
}

}  // namespace

std::optional<Goroutine> DecodeGoroutine(std::string_view record) {
  elf::ByteCursor in(record);
  Goroutine goroutine;
  goroutine.id = in.U64();
  if (!in.ok())
    return std::nullopt;
  while (!in.AtEnd() && goroutine.labels.size() < bpf::GO_LABELS_MAX) {
    const uint16_t key_bytes = in.U16();
    const uint16_t value_bytes = in.U16();
    const std::string_view key = in.Take(key_bytes);
    const std::string_view value = in.Take(value_bytes);
    if (!in.ok())
      break;
    const Goroutine::Label label = {.key = WholeCharacters(key, bpf::GO_KEY_BYTES_MAX),
                                    .value = WholeCharacters(value, bpf::GO_VALUE_BYTES_MAX)};
    if (label.key.empty())
      continue;
    if (base::IsValidUtf8(label.key) && base::IsValidUtf8(label.value))
      goroutine.labels.push_back(label);
    else
      ++goroutine.bad_text_count;
  }
  std::ranges::stable_sort(goroutine.labels, {}, &Goroutine::Label::key);
  const auto is_same_key = [](const Goroutine::Label& a, const Goroutine::Label& b) {
    return a.key == b.key;
  };
  goroutine.labels.erase(std::unique(goroutine.labels.begin(), goroutine.labels.end(), is_same_key),
                         goroutine.labels.end());
  return goroutine;
}

}  // namespace flarestack::record::agent

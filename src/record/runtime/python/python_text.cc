// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "base/status.h"

namespace flarestack::record::runtime {
namespace {

struct TextState {
  uint32_t kind = 0;  // bytes per character
  bool is_ascii = false;
};

// The state is a bit field: how the string is interned, the kind (3 bits), whether it is compact,
// and whether it is ASCII. The first field has 2 bits, or 8 or 16 without GIL, and a value below 4.
std::optional<TextState> DecodeState(uint32_t word) {
  for (const unsigned shift : {2u, 8u, 16u}) {
    const uint32_t bits = word >> shift;
    const uint32_t kind = bits & 7;
    const bool is_compact = (bits >> 3 & 1) != 0;
    if (is_compact && (kind == 1 || kind == 2 || kind == 4))
      return TextState{.kind = kind, .is_ascii = (bits >> 4 & 1) != 0};
  }
  return std::nullopt;
}

void AppendUtf8(uint32_t character, std::string* out) {
  constexpr uint32_t kReplacement = 0xfffd;
  if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
    character = kReplacement;
  if (character < 0x80) {
    out->push_back(static_cast<char>(character));
    return;
  }
  const unsigned extra = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  const uint32_t head = extra == 1 ? 0xc0 : extra == 2 ? 0xe0 : 0xf0;
  out->push_back(static_cast<char>(head | character >> (6 * extra)));
  for (unsigned left = extra; left > 0; --left)
    out->push_back(static_cast<char>(0x80 | (character >> (6 * (left - 1)) & 0x3f)));
}

std::string ToUtf8(std::string_view bytes, uint32_t kind) {
  std::string text;
  for (size_t at = 0; at + kind <= bytes.size(); at += kind) {
    uint32_t character = 0;
    std::memcpy(&character, bytes.data() + at, kind);
    AppendUtf8(character, &text);
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> ReadPythonText(const PythonLayout& layout, uint64_t address,
                                           agent::MemoryReader read) {
  FLARE_ASSIGN(const uint64_t length, agent::ReadWord(read, address + layout.text_length));
  std::array<char, sizeof(uint32_t)> word = {};
  FLARE_RETURN_IF_ERROR(read(address + layout.text_state, word));
  uint32_t bits = 0;
  std::memcpy(&bits, word.data(), sizeof(bits));
  const std::optional<TextState> state = DecodeState(bits);
  if (!state.has_value())
    return absl::NotFoundError(base::StrCat("no str at ", base::Hex(address)));
  const size_t count = std::min<uint64_t>(length, kPythonTextCharactersMax);
  std::string bytes(count * state->kind, '\0');
  const uint32_t data = state->is_ascii ? layout.text_ascii_data : layout.text_data;
  FLARE_RETURN_IF_ERROR(read(address + data, std::span<char>(bytes)));
  return ToUtf8(bytes, state->kind);
}

absl::StatusOr<std::string> ReadPythonBytes(const PythonLayout& layout, uint64_t address,
                                            size_t bytes_max, agent::MemoryReader read) {
  FLARE_ASSIGN(const uint64_t count, agent::ReadWord(read, address + layout.bytes_count));
  if (count > bytes_max)
    return absl::ResourceExhaustedError(
        base::StrCat("a bytes object has ", count, " bytes; at most ", bytes_max, " are read"));
  std::string bytes(count, '\0');
  FLARE_RETURN_IF_ERROR(read(address + layout.bytes_data, std::span<char>(bytes)));
  return bytes;
}

}  // namespace flarestack::record::runtime

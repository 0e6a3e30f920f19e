// SPDX-License-Identifier: Apache-2.0
//
// Replaces invalid UTF-8 in the texts of a batch with U+FFFD, as the OTLP working group asks of
// decoders. Valid text is neither copied nor changed.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "base/warnings.h"
#include "model/any_value.h"
#include "model/resource.h"

namespace flarestack::model {

class TextRepair {
 public:
  // Stores repaired text in the arena and reports each repair to `warnings`. Both must outlive this
  // object.
  TextRepair(base::Arena* arena, base::Warnings* warnings) : arena_(*arena), warnings_(*warnings) {}

  // `where` names the text in a warning.
  void Repair(std::string_view* text, std::string_view where) {
    if (!IsAscii(*text)) [[unlikely]]
      RepairBeyondAscii(text, where);
  }
  void RepairValue(AnyValue* value, std::string_view where);

  // Repair the parts that the batches of all signals share.
  void RepairNodes(std::vector<KeyValue>* nodes);
  void RepairScope(InstrumentationScope* scope, std::string_view schema_url_name);
  void RepairEntityRefs(std::vector<EntityRef>* refs, std::vector<std::string_view>* keys);

  uint64_t count() const { return count_; }

 private:
  static bool IsAscii(std::string_view text);
  void RepairBeyondAscii(std::string_view* text, std::string_view where);

  base::Arena& arena_;
  base::Warnings& warnings_;
  uint64_t count_ = 0;
};

inline bool TextRepair::IsAscii(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080U;
  const auto word_at = [&](size_t at) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof(word));
    return word;
  };
  uint64_t seen = 0;
  if (text.size() < sizeof(seen)) {
    for (const char c : text) {
      seen |= static_cast<uint8_t>(c);
    }
    return (seen & kHighBits) == 0;
  }
  for (size_t at = 0; at + sizeof(seen) < text.size(); at += sizeof(seen)) {
    seen |= word_at(at);
  }
  return ((seen | word_at(text.size() - sizeof(seen))) & kHighBits) ==
         0;  // the last word may overlap
}

}  // namespace flarestack::model

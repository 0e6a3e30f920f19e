// SPDX-License-Identifier: Apache-2.0
//
// Finds faults that only the bytes show: unknown fields, wrong wire types, repeated singular
// fields, non-minimal numbers, text that is not UTF-8. Walks the message along the rows of
// wire_schema.cc.
#include <bit>
#include <cstring>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "check/checks.h"
#include "check/wire_schema.h"
#include "codec/wire/reader.h"

namespace flarestack::check {
namespace {

using base::StrCat;
namespace wire = codec::wire;

constexpr uint32_t kReservedField = 1000;  // of ResourceProfiles
// The decoder accepts 64 levels of values, each of which is three messages.
constexpr int kDepthMax = 256;

size_t VarintBytes(uint64_t number) {
  return number < 0x80 ? 1 : (static_cast<size_t>(std::bit_width(number)) + 6) / 7;
}

bool IsAscii(std::string_view text) {
  uint64_t seen = 0;
  size_t at = 0;
  for (; at + sizeof(seen) <= text.size(); at += sizeof(seen)) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof(word));
    seen |= word;
  }
  for (; at < text.size(); ++at)
    seen |= static_cast<uint8_t>(text[at]);
  return (seen & 0x8080808080808080U) == 0;
}

// A non-minimal varint ends in a zero byte. Checks eight bytes at a time, each with the byte before
// it.
bool HasLongVarint(std::string_view packed) {
  constexpr uint64_t kTops = 0x8080808080808080U;
  constexpr uint64_t kOnes = 0x0101010101010101U;
  uint64_t found = 0;
  size_t at = 1;
  for (; at + sizeof(uint64_t) <= packed.size(); at += sizeof(uint64_t)) {
    uint64_t word;
    uint64_t before;
    std::memcpy(&word, packed.data() + at, sizeof(word));
    std::memcpy(&before, packed.data() + at - 1, sizeof(before));
    // This may mistake a 1 after a zero byte for a zero, so the loop below checks again.
    const uint64_t zeros = (word - kOnes) & ~word & kTops;
    found |= zeros & before;
  }
  if (found != 0) [[unlikely]]
    at = 1;
  bool is_long = false;
  for (; at < packed.size(); ++at)
    is_long |= packed[at] == 0 && (static_cast<uint8_t>(packed[at - 1]) & 0x80) != 0;
  return is_long;
}

class Walker {
 public:
  explicit Walker(Collector* findings) : findings_(*findings) {}

  void Walk(std::string_view bytes, WireMessage message, const Path& at, int depth) {
    if (depth > kDepthMax)
      return;
    const WireSchema& schema = SchemaOf(message);
    uint32_t counts[kWireFieldsMax] = {};
    uint32_t member_count = 0;
    wire::Reader in(bytes, &fault_);
    for (size_t left = bytes.size(); in.Next(); left = in.rest().size()) {
      const uint32_t number = in.field();
      if (left - in.rest().size() != VarintBytes(in.tag())) [[unlikely]]
        AddLongVarint(at, "the tag of a field");
      if (number > schema.fields.size()) [[unlikely]] {
        AddUnknown(in, schema, at);
        in.Skip();
        continue;
      }
      const WireField& field = schema.fields[number - 1];
      const uint32_t position = counts[number - 1]++;
      const bool is_again = message == WireMessage::kAnyValue ? ++member_count > 1
                                                              : position > 0 && !field.is_repeated;
      if (is_again) [[unlikely]]
        AddRepeated(field, message, at);
      // A packed list is one field, regardless of its number of elements.
      const bool is_element = field.is_repeated && field.form >= WireForm::kText;
      WalkField(in, field, is_element ? at.Item(field.name, position) : at.Field(field.name),
                depth);
    }
  }

 private:
  void WalkField(wire::Reader& in, const WireField& field, const Path& at, int depth) {
    if (in.type() == wire::kBytes && (field.form >= WireForm::kText || field.is_repeated))
        [[likely]] {
      const size_t left = in.rest().size();
      const std::string_view content = in.Bytes();
      if (fault_.is_set())
        return;
      if (left - in.rest().size() - content.size() != VarintBytes(content.size())) [[unlikely]]
        AddLongVarint(at, "a length");
      if (field.form == WireForm::kMessage) {
        Walk(content, field.message, at, depth + 1);
      } else if (field.form == WireForm::kVarint) {
        CheckPacked(content, at);
      } else if (field.form == WireForm::kText && !IsAscii(content) &&
                 !base::IsValidUtf8(content)) {
        findings_.Add(Rule::kInvalidUtf8, at, [&] {
          return StrCat(Quote(content), " is not valid UTF-8; bad bytes are shown as U+FFFD");
        });
      }
    } else if (in.type() == wire::kVarint && field.form == WireForm::kVarint) {
      const size_t left = in.rest().size();
      const uint64_t number = in.Varint();
      if (left - in.rest().size() != VarintBytes(number) && !fault_.is_set()) [[unlikely]]
        AddLongVarint(at, StrCat("the number ", number));
    } else {
      if (in.type() != wire::kFixed64 || field.form != WireForm::kFixed64)
        AddWireType(in, field, at);
      in.Skip();
    }
  }

  void CheckPacked(std::string_view packed, const Path& at) {
    if (HasLongVarint(packed)) [[unlikely]]
      AddLongVarint(at, "a number of the list");
  }

  void AddLongVarint(const Path& at, std::string_view what) {
    findings_.Add(Rule::kNonMinimalVarint, at,
                  [&] { return StrCat(what, " is not written in the shortest form"); });
  }
  void AddUnknown(const wire::Reader& in, const WireSchema& schema, const Path& at) {
    const uint32_t number = in.field();
    if (number == kReservedField && schema.name == "ResourceProfiles") {
      findings_.Add(Rule::kReservedField, at,
                    [] { return "field 1000 is reserved and must not be used"; });
      return;
    }
    findings_.Add(Rule::kUnknownField, at, [&] {
      return StrCat("unknown field ", number, " of ", schema.name, "; readers skip it");
    });
  }
  void AddWireType(const wire::Reader& in, const WireField& field, const Path& at) {
    findings_.Add(Rule::kWireType, at, [&] {
      return StrCat(field.name, " has wire type ", static_cast<uint32_t>(in.type()),
                    ", which is wrong: some readers reject the message, others skip the field");
    });
  }
  void AddRepeated(const WireField& field, WireMessage message, const Path& at) {
    findings_.Add(Rule::kRepeatedSingular, at.Field(field.name), [&] {
      if (message == WireMessage::kAnyValue)
        return StrCat("the value already has a member; only the last one, ", field.name,
                      ", applies");
      return StrCat(field.name, " is set more than once");
    });
  }

  Collector& findings_;
  wire::Fault fault_;
};

}  // namespace

void CheckWire(std::string_view bytes, const Path& root, Collector* findings) {
  Walker(findings).Walk(bytes, WireMessage::kProfilesData, root, 0);
}

}  // namespace flarestack::check

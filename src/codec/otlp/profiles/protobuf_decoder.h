// SPDX-License-Identifier: Apache-2.0
//
// Decodes layouts 1.8 and later, message by message. Private to codec/otlp: use protobuf_reader.h.
//
// Messages are passed as bytes, not as readers: two words fit in registers, four do not. The
// decoder appends to flat pools. Nothing else is decoded inside a sample, location, stack or
// mapping, so repeated fields there end up contiguous; the few lists that others may interrupt are
// collected separately.
#pragma once

#include <string_view>
#include <vector>

#include "codec/otlp/profiles/layout.h"
#include "codec/otlp/profiles/reserved_entries.h"
#include "codec/otlp/values/protobuf_state.h"
#include "codec/otlp/values/protobuf_value_decoder.h"
#include "codec/wire/packed.h"
#include "codec/wire/reader.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// Comments of a profile in layout 1.8. The current message has only the attribute
// pprof.profile.comment for them.
struct Comment18 {
  uint32_t profile = 0;  // position in Batch::profiles
  std::vector<model::StringIndex> strings;
};

class ProtobufDecoder {
 public:
  // `layout` is k18, k19 or k110.
  ProtobufDecoder(Layout layout, const Limits& limits, model::Batch* batch)
      : layout_(layout),
        state_(limits),
        batch_(*batch),
        tables_(batch->dictionary),
        resources_(&state_,
                   {.nodes = batch->dictionary.nodes,
                    .entity_refs = batch->entity_refs,
                    .entity_keys = batch->entity_keys},
                   StringReferences::kTaken) {}
  ProtobufDecoder(const ProtobufDecoder&) = delete;  // its members point to each other
  ProtobufDecoder& operator=(const ProtobufDecoder&) = delete;

  void DecodeMessage(std::string_view bytes);

  // Decodes everything except the dictionary, which is the same in these three layouts and already
  // in the batch.
  void DecodeProfilesAgain(std::string_view bytes);

  const wire::Fault& fault() const { return state_.fault; }
  const char* limit_reached() const { return state_.limit_reached; }
  // Whether fields were skipped that the current layout lacks or has with another wire type.
  bool has_foreign_fields() const { return has_foreign_fields_; }

  // Whether some samples could also be of 1.9: with field 2 and no packed field 4.
  bool has_doubtful_samples() const { return has_doubtful_samples_; }

  // Whether some samples have several values but a different number of timestamps.
  bool has_odd_values() const { return has_odd_values_; }

  const std::vector<Comment18>& comments() const { return comments_; }

  // Decode parts that are the same in all layouts, for the decoder of the old ones.
  void DecodeResource(std::string_view bytes, model::Resource* resource) {
    resources_.DecodeResource(bytes, resource);
  }
  void DecodeScope(std::string_view bytes, model::Scope* scope) {
    resources_.DecodeScope(bytes, scope);
  }
  void DecodeKeyValue(std::string_view bytes, uint32_t depth, model::KeyValue* out) {
    resources_.values().DecodeKeyValue(bytes, depth, out);
  }

 private:
  static constexpr size_t kLargeBytes = size_t{1} << 20;

  void TakeLimits(std::string_view message);
  void ReserveStacks(size_t bytes);
  void ReserveSamples(size_t bytes);
  void DecodeDictionary(std::string_view bytes);
  void DecodeMapping(std::string_view bytes);
  void DecodeLocation(std::string_view bytes);
  void DecodeLine(std::string_view bytes);
  void DecodeFunction(std::string_view bytes);
  void DecodeLink(std::string_view bytes);
  void DecodeAttribute(std::string_view bytes);
  void DecodeStack(std::string_view bytes);

  void DecodeResourceProfiles(std::string_view bytes);
  void DecodeScopeProfiles(std::string_view bytes);
  void DecodeProfile(std::string_view bytes);
  bool DecodeProfileField18(wire::Reader& in, model::Profile* profile);
  void DecodeValueType(std::string_view bytes, model::ValueType* type);
  void DecodeSample(std::string_view bytes);
  void DecodeSample19(std::string_view bytes);
  void NoteSampleShape(const model::Sample& sample, bool has_single_value);
  void SkipForeign(wire::Reader& in) {
    has_foreign_fields_ = true;
    in.Skip();
  }
  void AppendFixed64(std::string_view packed);
  bool HasSampleRoom();

  template <typename T, typename Pool>
  void AppendPacked(std::string_view packed, Pool* pool);

  Layout layout_;
  ProtobufState state_;
  model::Batch& batch_;
  model::Dictionary& tables_;
  ProtobufResourceDecoder resources_;
  bool has_foreign_fields_ = false;
  bool has_doubtful_samples_ = false;
  bool has_odd_values_ = false;
  std::vector<model::AttributeIndex> profile_attributes_;  // of the profile being decoded
  std::vector<Comment18> comments_;
};

template <typename T, typename Pool>
void ProtobufDecoder::AppendPacked(std::string_view packed, Pool* pool) {
  if (packed.size() == 1 && static_cast<uint8_t>(packed[0]) < 0x80) {  // the usual attribute list
    pool->push_back(T{static_cast<uint8_t>(packed[0])});
    return;
  }
  constexpr uint64_t kCost = sizeof(T) == sizeof(uint64_t) ? kNumberBytes : MemoryOfEntry<T>();
  if (state_.TakeMemory(wire::CountPacked(packed) * kCost))
    wire::AppendPacked(packed, pool, &state_.fault);
}

}  // namespace flarestack::codec::otlp

// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as keys and dictionary records: they are rejected, or encode to the same bytes
// again.
#include <string_view>

#include "base/check.h"
#include "store/rocks/database/entry_stamp.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/dictionary/record_run.h"
#include "store/rocks/dictionary/records.h"

namespace rocks = flarestack::store::rocks;

namespace {

template <typename Key>
void CheckKey(std::string_view bytes) {
  if (const auto key = Key::Decode(bytes); key.has_value())
    FLARE_CHECK(key->Encode() == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckKey<rocks::SampleKey>(bytes);
  CheckKey<rocks::RollupKey>(bytes);
  CheckKey<rocks::LinkKey>(bytes);
  CheckKey<rocks::SpanKey>(bytes);
  CheckKey<rocks::SpanIndexKey>(bytes);
  CheckKey<rocks::LogKey>(bytes);
  CheckKey<rocks::PointKey>(bytes);
  (void)rocks::DecodePosting("key", bytes);
  (void)rocks::DecodeLogTrace(bytes);

  flarestack::model::Function function;
  if (rocks::DecodeFunction(bytes, &function).ok()) {
    flarestack::model::Function again;
    FLARE_CHECK(rocks::DecodeFunction(rocks::EncodeFunction(function), &again).ok());
    FLARE_CHECK(function == again);
  }
  rocks::LocationRecord location;
  if (rocks::DecodeLocation(bytes, &location).ok()) {
    rocks::LocationRecord again;
    FLARE_CHECK(rocks::DecodeLocation(rocks::EncodeLocation(location), &again).ok());
    FLARE_CHECK(location.lines == again.lines && location.attributes == again.attributes);
  }
  rocks::MappingRecord mapping;
  if (rocks::DecodeMapping(bytes, &mapping).ok()) {
    rocks::MappingRecord again;
    FLARE_CHECK(rocks::DecodeMapping(rocks::EncodeMapping(mapping), &again).ok());
    FLARE_CHECK(mapping.attributes == again.attributes);
  }
  rocks::Run run;
  if (rocks::DecodeRun(0, bytes, &run).ok() && !rocks::IsDayStamp(run.stamp)) {
    rocks::RunEncoder encoder;
    for (const std::string_view record : run.records)
      encoder.Add(record);
    const std::string encoded(encoder.Take(run.stamp));
    rocks::Run again;
    FLARE_CHECK(rocks::DecodeRun(0, encoded, &again).ok());
    FLARE_CHECK(run.stamp == again.stamp && run.records == again.records);
  }
  std::vector<flarestack::model::KeyValue> nodes;
  rocks::AttributeRecord attribute;
  (void)rocks::DecodeAttribute(bytes, &nodes, &attribute);
  return 0;
}

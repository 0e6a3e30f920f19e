// SPDX-License-Identifier: Apache-2.0
//
// The property that the fuzz targets of traces, logs and metrics share: everything read from
// protobuf or JSON means the same after it is written and read again in either.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/status.h"
#include "codec/otlp/testing/signal_traits.h"
#include "model/dump/signal_dump.h"
#include "model/validation/item_check.h"

namespace flarestack::codec::otlp {

template <typename Traits>
class SignalFuzz {
 public:
  // Text that begins like a JSON object is read as JSON; a protobuf message does not begin like
  // that.
  static void Run(const uint8_t* data, size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    typename Traits::Batch batch;
    base::Warnings warnings;
    const absl::Status status = bytes.starts_with('{')
                                    ? Traits::DecodeJson(bytes, Small(), &batch, &warnings)
                                    : Traits::Decode(bytes, Small(), &batch);
    if (!status.ok()) {
      FLARE_CHECK(absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status),
                  base::Message(status));
      FLARE_CHECK(batch.resources.empty() && batch.nodes.empty());
      return;
    }
    CheckProtobuf(batch);
    model::RepairText(&batch, &warnings);  // JSON allows only UTF-8
    CheckJson(batch);
    CheckProtobuf(batch);
  }

 private:
  // Small enough to be reached.
  static const Limits& Small() {
    static const Limits limits = {.table_entries_max = 1 << 12,
                                  .items_max = 1 << 12,
                                  .attributes_per_item_max = 1 << 8,
                                  .list_elements_max = 1 << 14,
                                  .nesting_max = 32};
    return limits;
  }

  // Parts that arrived in pieces are in their pools twice, so the second message must not contain
  // more than the first.
  static void CheckProtobuf(const typename Traits::Batch& batch) {
    const std::string bytes = EncodeToString<Traits>(batch);
    typename Traits::Batch again;
    const absl::Status status = Traits::Decode(bytes, Small(), &again);
    FLARE_CHECK(status.ok(), base::Message(status));
    FLARE_CHECK(model::Dump(batch) == model::Dump(again));
    FLARE_CHECK(EncodeToString<Traits>(again) == bytes);
  }

  static void CheckJson(const typename Traits::Batch& batch) {
    const std::string json = EncodeToJson<Traits>(batch);
    typename Traits::Batch again;
    base::Warnings warnings;
    const absl::Status status = Traits::DecodeJson(json, Small(), &again, &warnings);
    FLARE_CHECK(status.ok(), base::Message(status), " in ", json);
    FLARE_CHECK(model::Dump(batch) == model::Dump(again), json);
  }
};

}  // namespace flarestack::codec::otlp

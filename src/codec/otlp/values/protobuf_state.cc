// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/values/protobuf_state.h"

#include "base/text/text.h"

namespace flarestack::codec::otlp {

absl::Status ProtobufState::ToStatus(std::string_view bytes, std::string_view what) const {
  if (fault.is_set()) {
    return absl::InvalidArgumentError(base::StrCat("not an OTLP ", what, " message: ", fault.what,
                                                   " at byte ", fault.at - bytes.data()));
  }
  if (limit_reached == kMemory)
    return MemoryLimitError(limits.memory_bytes_max);
  if (limit_reached != nullptr) {
    return absl::ResourceExhaustedError(base::StrCat(
        "too many ", limit_reached, ": at most ", limits.table_entries_max,
        " resources or scopes, ", limits.items_max, " items, ", limits.attributes_per_item_max,
        " attributes of an item, ", limits.list_elements_max, " list elements and ",
        limits.nesting_max, " levels are allowed"));
  }
  return absl::OkStatus();
}

}  // namespace flarestack::codec::otlp

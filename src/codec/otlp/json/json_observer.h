// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"

namespace flarestack::codec::otlp {

// Receives reports about input that the OTLP/JSON reader normally skips, or rejects although it
// could continue. Paths are those of the message, "resourceProfiles[0].scopeProfiles[1]". They are
// expensive and built only on request.
class JsonObserver {
 public:
  using MakePath = absl::FunctionRef<std::string()>;

  virtual ~JsonObserver() = default;

  // A member whose name is unknown in every version. The path is that of the enclosing object.
  virtual void OnUnknownMember(std::string_view name, MakePath path) = 0;

  // An id in an invalid form. `name` is its member, which the path ends with. The batch gets bytes
  // of the right length instead, the same for the same text.
  virtual void OnUnreadableId(std::string_view name, std::string_view text, MakePath path) = 0;
};

}  // namespace flarestack::codec::otlp

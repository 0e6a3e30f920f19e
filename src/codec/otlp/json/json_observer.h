// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"

namespace flarestack::codec::otlp {

// Is told what a reader of OTLP/JSON otherwise passes over, or refuses although it could go on.
// Paths are those of the message, "resourceProfiles[0].scopeProfiles[1]", and cost something to
// spell: they are made only when they are asked for.
class JsonObserver {
 public:
  using MakePath = absl::FunctionRef<std::string()>;

  virtual ~JsonObserver() = default;

  // A member of a name that no version has. The path is that of the object it stands in.
  virtual void OnUnknownMember(std::string_view name, MakePath path) = 0;

  // An id that is not written as ids are. `name` is its member, which the path ends with. The batch
  // has bytes of the right length in its place, the same for the same text.
  virtual void OnUnreadableId(std::string_view name, std::string_view text, MakePath path) = 0;
};

}  // namespace flarestack::codec::otlp

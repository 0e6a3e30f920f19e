// SPDX-License-Identifier: Apache-2.0
//
// The same work for many things, on several threads that live as long as the call.
#pragma once

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace flarestack::base {

// Calls `work` once for each number below `count`, in no particular order, on up to `threads_max`
// threads (0: as many as there are cores). After an error nothing new is begun; the first one is
// the result.
absl::Status ParallelFor(size_t count, size_t threads_max,
                         absl::FunctionRef<absl::Status(size_t index)> work);

}  // namespace flarestack::base

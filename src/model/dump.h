// SPDX-License-Identifier: Apache-2.0
//
// A batch as text, for tests: everything it means and nothing of how it is laid out. Two batches
// mean the same exactly when their dumps are equal.
//
//   resource
//     attribute "service.name" = string "cart"
//     scope
//       name "reader"
//       profile
//         sample_type "cpu" unit "nanoseconds"
//         sample
//           values 12
//           attribute "thread.id" = int 7
//           location 0x401000
//             mapping "/usr/bin/cart" 0x400000-0x500000 offset 0x0
//             frame "leaf" file "leaf.cc" line 12
//
// Indices are resolved, so the order of tables, duplicates and orphans in them do not show; a
// string by reference is a string. Attributes are a set and are sorted by key; the order of
// resources, scopes, profiles, samples, values and elements of an array or key-value list is kept.
// What has its default value is left out. An id of zeros is no id.
#pragma once

#include <string>

#include "model/batch.h"

namespace flarestack::model {

// The indices of the batch must be valid.
std::string Dump(const Batch& batch);

}  // namespace flarestack::model

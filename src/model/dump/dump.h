// SPDX-License-Identifier: Apache-2.0
//
// A batch as text, for tests. It shows the meaning of a batch and hides its layout: two batches
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
// Indices are resolved, so the order of tables and their duplicates and orphans are invisible; a
// string by reference is shown as a string. Attributes are a set and are sorted by key. Resources,
// scopes, profiles, samples, values and the elements of an array or key-value list keep their
// order. Fields with their default value are omitted. An all-zero id counts as no id.
#pragma once

#include <string>

#include "model/batch.h"

namespace flarestack::model {

// The indices of the batch must be valid.
std::string Dump(const Batch& batch);

}  // namespace flarestack::model

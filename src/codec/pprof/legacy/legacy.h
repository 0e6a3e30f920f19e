// SPDX-License-Identifier: Apache-2.0
//
// The formats that profilers wrote before profile.proto, and that gperftools, jemalloc and Go's
// debug=1 pages still write:
//
//   binary CPU profile of gperftools (32 or 64 bit words, either byte order; C++ and Java)
//   heap profile: ...   heap, growth and fragmentation of tcmalloc and Go; heap_v2/N of jemalloc
//   goroutine profile: total N   and other counts of Go
//   --- mutex: / --- contention: / --- contentionz N ---   lock delays of Go and C++
//   --- threadz N ---   stacks of all threads
//   --- heapz 1 --- / --- contentionz 1 ---   Java, with a table of locations
//
// Sample types, units and values match those that google/pprof reads from the same bytes; a comment
// marks each intentional difference.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof {

// Whether the bytes look like one of the legacy formats. Looks only at the beginning.
bool LooksLikeLegacy(std::string_view bytes);

// The profile points into `bytes`. Returns kInvalidArgument with a line number, or a byte offset in
// binary data, if the bytes are malformed. Time and memory are proportional to the size of the
// input, regardless of the numbers in it.
absl::StatusOr<Profile> ReadLegacy(std::string_view bytes, base::Warnings* warnings);

}  // namespace flarestack::codec::pprof

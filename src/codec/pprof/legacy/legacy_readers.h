// SPDX-License-Identifier: Apache-2.0
//
// The readers behind legacy.h, one file each. Each gets the whole input, whose first meaningful
// line (or binary header) has been recognized, and fills the builder. Errors are kInvalidArgument.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "codec/pprof/legacy/legacy_builder.h"
#include "codec/pprof/legacy/legacy_text.h"

namespace flarestack::codec::pprof::legacy {

// legacy_cpu.cc: the binary profile of gperftools, and its Java variant.
bool IsCpuProfile(std::string_view bytes);
absl::Status ReadCpuProfile(std::string_view bytes, Builder& builder);

// legacy_heap.cc: "heap profile: ...".
bool IsHeapHeader(std::string_view line);
absl::Status ReadHeapProfile(std::string_view bytes, Builder& builder);

// legacy_jemalloc.cc: "heap_v2/524288".
bool IsJemallocHeader(std::string_view line);
absl::Status ReadJemallocProfile(std::string_view bytes, Builder& builder);

// legacy_count.cc: "goroutine profile: total 7".
bool IsCountHeader(std::string_view line);
absl::Status ReadCountProfile(std::string_view bytes, Builder& builder);

// legacy_contention.cc: "--- mutex:", "--- contention:", "--- contentionz 1 ---" of C++.
bool IsContentionHeader(std::string_view line);
absl::Status ReadContentionProfile(std::string_view bytes, Builder& builder);

// legacy_thread.cc: "--- threadz 1 ---".
bool IsThreadHeader(std::string_view line);
absl::Status ReadThreadProfile(std::string_view bytes, Builder& builder);

// legacy_java.cc: "--- heapz 1 ---", and "--- contentionz 1 ---" when an attribute says that Java
// wrote it.
bool IsJavaProfile(std::string_view bytes);
absl::Status ReadJavaProfile(std::string_view bytes, Builder& builder);
// The table "0xADDRESS function (file:line)" after the samples of a Java profile.
void ReadJavaLocations(Lines lines, Builder& builder);

}  // namespace flarestack::codec::pprof::legacy

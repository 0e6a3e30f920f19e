// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/legacy/legacy.h"

#include <algorithm>
#include <limits>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/pprof/legacy/legacy_builder.h"
#include "codec/pprof/legacy/legacy_readers.h"
#include "codec/pprof/legacy/legacy_text.h"
#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof {
namespace {

// Unwanted frames that the legacy profilers left in their stacks. A legacy file has no drop_frames,
// so the reader sets the expressions for its kind. Each must match a whole name. They match exactly
// the names that google/pprof drops.
constexpr std::string_view kAllocators =
    // C, and tcmalloc's names for the same
    "(tc_)?(calloc|cfree|malloc|free|memalign|posix_memalign|pvalloc|valloc|realloc)"
    "|do_memalign|__posix_memalign|__libc_malloc"
    // macOS
    "|malloc_zone_(malloc|calloc|valloc|realloc|memalign|free)"
    // C++
    "|operator new(\\[\\])?|__builtin_(vec_)?(new|delete)"
    "|_M_allocate|allocate|cpp_alloc|(simple_alloc|__malloc_alloc_template)::allocate"
    "|__gnu_cxx::new_allocator::allocate"
    // tcmalloc
    "|tcmalloc::.*|tc_(new|newarray)(_nothrow)?|tc_delete|tc_deletearray"
    "|(::)?do_malloc(_no_errno|_pages)?|DoSampledAllocation"
    "|MallocedMemBlock::MallocedMemBlock|BaseArena::.*"
    // Go
    "|runtime\\..*";

// Frames of Go's runtime between two frames of the program.
constexpr std::string_view kKeptAllocators = "runtime\\.(panic|reflectcall|call[0-9]*)";

constexpr std::string_view kLocks =
    "(base::)?(RecordLockProfileData|SubmitMutexProfileData|SubmitSpinLockProfileData).*"
    "|((base::)?Mutex::)?(AwaitCommon|Unlock|ReaderUnlock).*"
    "|((base::)?MutexLock::)?~MutexLock.*"
    "|(SpinLock::)?(Unlock|SlowUnlock).*|(SpinLockHolder::)?~SpinLockHolder.*";

constexpr std::string_view kSignalHandlers =
    "ProfileData::(Add|prof_handler)|CpuProfiler::prof_handler|__pthread_sighandler|__restore";

// Sets drop_frames and keep_frames depending on the sample types.
void SetFrameFilters(Profile* profile) {
  const std::string_view last =
      profile->sample_types.empty() ? std::string_view() : profile->sample_types.back().type;
  if (last == "space" || last == "inuse_space") {
    profile->drop_frames = kAllocators;
    profile->keep_frames = kKeptAllocators;
  } else if (last == "delay") {
    profile->drop_frames = kLocks;
  } else {
    profile->drop_frames = kSignalHandlers;
  }
}

// Comments and blank lines may precede the line that identifies the format.
constexpr size_t kLookBytesMax = 4096;

// Positions in the pools of a Profile have 32 bits, and no reader adds more elements to a pool than
// the input has bytes.
constexpr size_t kInputBytesMax = std::numeric_limits<uint32_t>::max();

using ReadFunction = absl::Status (*)(std::string_view, legacy::Builder&);

// Returns the reader for these bytes, or null.
ReadFunction FindReader(std::string_view bytes) {
  if (legacy::IsCpuProfile(bytes)) {
    return legacy::ReadCpuProfile;
  }
  const std::string_view beginning = bytes.substr(0, kLookBytesMax);
  legacy::Lines lines(beginning);
  if (!lines.NextMeaningful()) {
    return nullptr;
  }
  if (legacy::IsHeapHeader(lines.line())) {
    return legacy::ReadHeapProfile;
  }
  if (legacy::IsJemallocHeader(lines.line())) {
    return legacy::ReadJemallocProfile;
  }
  if (legacy::IsCountHeader(lines.line())) {
    return legacy::ReadCountProfile;
  }
  if (legacy::IsThreadHeader(lines.line())) {
    return legacy::ReadThreadProfile;
  }
  if (legacy::IsJavaProfile(beginning)) {  // before C++, which has the same first line
    return legacy::ReadJavaProfile;
  }
  if (legacy::IsContentionHeader(lines.line())) {
    return legacy::ReadContentionProfile;
  }
  return nullptr;
}

}  // namespace

bool LooksLikeLegacy(std::string_view bytes) { return FindReader(bytes) != nullptr; }

absl::StatusOr<Profile> ReadLegacy(std::string_view bytes, base::Warnings* warnings) {
  if (bytes.size() > kInputBytesMax) {
    return absl::InvalidArgumentError(base::StrCat(
        "a legacy profile of ", bytes.size(), " bytes; at most ", kInputBytesMax, " are read"));
  }
  const ReadFunction read = FindReader(bytes);
  if (read == nullptr) {
    return absl::InvalidArgumentError("byte 0: not a legacy pprof format");
  }
  legacy::Builder builder(warnings);
  FLARE_RETURN_IF_ERROR(read(bytes, builder));
  Profile profile = builder.Finish();
  SetFrameFilters(&profile);
  return profile;
}

}  // namespace flarestack::codec::pprof

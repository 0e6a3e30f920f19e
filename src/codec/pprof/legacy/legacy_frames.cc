// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/legacy/legacy_frames.h"

namespace flarestack::codec::pprof::legacy {
namespace {

// Each expression must match a whole name. They match exactly the names that google/pprof drops.

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

}  // namespace

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

}  // namespace flarestack::codec::pprof::legacy

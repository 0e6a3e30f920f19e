// SPDX-License-Identifier: Apache-2.0
//
// Whether this build uses a sanitizer. Sanitizers need extra memory and system calls, and slow the
// program down many times.
#pragma once

namespace flarestack::base {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kIsSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace flarestack::base

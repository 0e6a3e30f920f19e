// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace flarestack::sdk {

inline constexpr std::string_view kSdkVersion = FLARESTACK_SDK_VERSION;

}  // namespace flarestack::sdk

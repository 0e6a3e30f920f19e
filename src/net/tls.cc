// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

namespace flarestack::net {
std::string TlsPeerName(ssl_st*) { return ""; }
}  // namespace flarestack::net

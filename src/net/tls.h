// SPDX-License-Identifier: Apache-2.0
//
// Certificate files of a server. Internal detail: SSL is OpenSSL's, named here without its header.
#pragma once

#include <string>

struct ssl_st;

namespace flarestack::net {

std::string TlsPeerName(ssl_st* ssl);

}  // namespace flarestack::net

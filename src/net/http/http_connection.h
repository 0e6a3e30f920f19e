// SPDX-License-Identifier: Apache-2.0
//
// One accepted socket, from its first byte to its last. Internal to the HTTP server. Our only
// header that names Asio; only http_server.cc and http_connection.cc include it.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "net/http/http_core.h"

namespace flarestack::net {

// Serves the socket, whose executor must be a strand, until it is closed. The connection keeps
// itself and the core alive.
void StartHttpConnection(boost::asio::ip::tcp::socket socket, std::shared_ptr<HttpCore> core);

}  // namespace flarestack::net

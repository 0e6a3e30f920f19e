// SPDX-License-Identifier: Apache-2.0
//
// TLS for the gRPC server, which fetches the current certificate at each new connection. Internal
// to the gRPC server; includes gRPC.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "net/tls/tls_files.h"

namespace flarestack::net {

std::shared_ptr<grpc::ServerCredentials> GrpcTlsCredentials(std::shared_ptr<TlsFiles> files);

}  // namespace flarestack::net

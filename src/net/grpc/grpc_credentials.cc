// SPDX-License-Identifier: Apache-2.0
//
// gRPC's C++ API offers a fixed certificate, or a thread that reads files and discards the old
// certificate before it knows that the new one is valid. The C API calls us at each connection, as
// we need. So this is a ServerCredentials over the C API.
#include "net/grpc/grpc_credentials.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <utility>

#include "base/check.h"

namespace flarestack::net {
namespace {

class TlsCredentials final : public grpc::ServerCredentials {
 public:
  explicit TlsCredentials(std::shared_ptr<TlsFiles> files) : files_(std::move(files)) {
    const auto clients = files_->requires_client_certificate()
                             ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                             : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
    credentials_ = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(clients, Fetch, this));
    FLARE_CHECK(credentials_ != nullptr);
  }
  ~TlsCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  // gRPC serializes these calls with its own lock, so `version_` needs none.
  static grpc_ssl_certificate_config_reload_status Fetch(
      void* user_data, grpc_ssl_server_certificate_config** config) {
    auto* self = static_cast<TlsCredentials*>(user_data);
    const TlsFiles::Snapshot current = self->files_->Current();
    if (current.version == self->version_)
      return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    self->version_ = current.version;
    const grpc_ssl_pem_key_cert_pair pair = {current.pem->key.c_str(),
                                             current.pem->certificate.c_str()};
    // gRPC requires root certificates even if clients need no certificate.
    const std::string& roots = self->files_->requires_client_certificate()
                                   ? current.pem->client_ca
                                   : current.pem->certificate;
    *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<TlsFiles> files_;
  grpc_server_credentials* credentials_ = nullptr;
  uint64_t version_ = 0;
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> GrpcTlsCredentials(std::shared_ptr<TlsFiles> files) {
  return std::make_shared<TlsCredentials>(std::move(files));
}

}  // namespace flarestack::net

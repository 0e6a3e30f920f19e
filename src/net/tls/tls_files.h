// SPDX-License-Identifier: Apache-2.0
//
// The certificate of a server, loaded from files and reloaded when they change.
//
// The files are checked when a connection arrives, at most once a second. If a new file is invalid,
// the error is reported and the old certificate stays: a half-copied file must not take a server
// down. TLS 1.2 and later.
//
// Thread-safe. Several servers may share one object.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "net/file_watch.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX and SSL, without its headers
struct ssl_st;

namespace flarestack::net {

struct TlsOptions {
  std::string certificate_path;  // PEM, followed by its chain
  std::string key_path;          // PEM, not encrypted
  std::string client_ca_path;  // if set, clients must present a certificate signed by one of these

  std::function<void(const absl::Status&)> on_reload_error;  // called on any thread
  std::function<void()> on_reload;  // after each successful reload, on any thread
  std::chrono::milliseconds poll_interval{1'000};
};

struct TlsPem {
  std::string certificate;
  std::string key;
  std::string client_ca;
};

class TlsFiles {
 public:
  // Returns kInvalidArgument or the file's error, naming the file and the reason.
  static absl::StatusOr<std::shared_ptr<TlsFiles>> Load(TlsOptions options);

  struct Snapshot {
    std::shared_ptr<ssl_ctx_st> context;  // for the server side of OpenSSL
    std::shared_ptr<const TlsPem> pem;
    uint64_t version = 0;  // changes with the content
  };
  // Returns the files to use for a new connection.
  Snapshot Current();

  bool requires_client_certificate() const { return !options_.client_ca_path.empty(); }

 private:
  explicit TlsFiles(TlsOptions options);
  absl::StatusOr<Snapshot> Read() const;

  const TlsOptions options_;
  base::Mutex mutex_;
  FileWatch watch_ FLARE_GUARDED_BY(mutex_);
  Snapshot snapshot_ FLARE_GUARDED_BY(mutex_);
};

// Returns the common name of a verified client certificate, or else its first DNS name. Empty
// without a certificate.
std::string TlsPeerName(ssl_st* ssl);

}  // namespace flarestack::net

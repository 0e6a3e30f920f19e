// SPDX-License-Identifier: Apache-2.0
//
// The certificate of a server, read from files and read again when they change.
//
// The files are looked at when a connection comes in, at most once a second. A new file that cannot
// be used is reported, and the old certificate stays: a half-copied file must not take a server
// down. TLS 1.2 and later.
//
// Thread-safe. One object may serve several servers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "net/file_watch.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX and SSL, without its headers
struct ssl_st;

namespace flarestack::net {

struct TlsOptions {
  std::string certificate_path;  // PEM, followed by its chain
  std::string key_path;          // PEM, not encrypted
  std::string client_ca_path;    // set: clients must show a certificate signed by one of these

  std::function<void(const absl::Status&)> on_reload_error;  // may be called by any thread
  std::function<void()> on_reload;                           // after each that worked; likewise
  std::chrono::milliseconds poll_interval{1'000};
};

struct TlsPem {
  std::string certificate;
  std::string key;
  std::string client_ca;
};

class TlsFiles {
 public:
  // kInvalidArgument, or the error of the file, that says which file and why.
  static absl::StatusOr<std::shared_ptr<TlsFiles>> Load(TlsOptions options);

  struct Snapshot {
    std::shared_ptr<ssl_ctx_st> context;  // for the server side of OpenSSL
    std::shared_ptr<const TlsPem> pem;
    uint64_t version = 0;  // another number for other content
  };
  // What a new connection shall use.
  Snapshot Current();

  bool asks_clients() const { return !options_.client_ca_path.empty(); }

 private:
  explicit TlsFiles(TlsOptions options);
  absl::StatusOr<Snapshot> Read() const;

  const TlsOptions options_;
  std::mutex mutex_;
  FileWatch watch_;    // guarded by mutex_
  Snapshot snapshot_;  // guarded by mutex_
};

// Of a verified client certificate: its common name, or else its first DNS name. Empty without one.
std::string TlsPeerName(ssl_st* ssl);

}  // namespace flarestack::net

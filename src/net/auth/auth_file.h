// SPDX-License-Identifier: Apache-2.0
//
// Authenticates bearer tokens, users with passwords, and client certificates against one file,
// which is reloaded when it changes. auth_entry.h describes the file.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "net/auth/auth_entry.h"
#include "net/file_watch.h"
#include "net/principal.h"

namespace flarestack::net {

struct AuthFileOptions {
  std::string path;
  // Called if the changed file cannot be read; the old entries stay valid.
  std::function<void(const absl::Status&)> on_reload_error;
  std::function<void()> on_reload;  // after each successful reload
  // Same as Authenticator::OnRejected().
  std::function<void(std::string_view name, const absl::Status&)> on_rejected;
  std::chrono::milliseconds poll_interval{1'000};
  // Maximum of concurrent password hashes: wrong passwords must not occupy all workers.
  int hashing_max = 2;
};

// Thread-safe.
class AuthFile final : public Authenticator {
 public:
  static absl::StatusOr<std::shared_ptr<AuthFile>> Load(AuthFileOptions options);

  // Accepts `Bearer TOKEN`, `Basic BASE64`, or, without a header, the name of the client
  // certificate. kUnauthenticated does not say what was wrong. Returns kResourceExhausted with a
  // RetryDelay() if too many passwords are being checked, because each check is slow.
  absl::StatusOr<Principal> Authenticate(const Credentials& credentials) override;
  void OnRejected(std::string_view name, const absl::Status& status) override;

 private:
  struct Known {
    AuthRecord record;
    std::shared_ptr<RateLimit> rate_limit;
  };
  // Immutable once made, so that a request needs the lock only to copy the pointer.
  using Snapshot = std::shared_ptr<const std::vector<Known>>;

  explicit AuthFile(AuthFileOptions options);
  absl::StatusOr<Snapshot> Read(const Snapshot& before) const;
  Snapshot Current();

  absl::StatusOr<Principal> CheckToken(const std::vector<Known>& known, std::string_view token);
  absl::StatusOr<Principal> CheckPassword(const std::vector<Known>& known, std::string_view basic);
  int RoundsOfUnknown(const std::vector<Known>& known, std::string_view name) const;
  // `unknown_rounds` applies if `user` is null, that is, the name does not exist.
  absl::StatusOr<bool> IsPassword(const Known* user, std::string_view password, int unknown_rounds);

  const AuthFileOptions options_;
  const std::string cache_key_;  // random per process
  std::atomic<int> hashing_count_ = 0;

  base::Mutex mutex_;
  FileWatch watch_ FLARE_GUARDED_BY(mutex_);
  Snapshot snapshot_ FLARE_GUARDED_BY(mutex_);
  std::set<std::string> verified_ FLARE_GUARDED_BY(mutex_);  // keyed hashes of correct passwords
};

// For the command line. Each function reads the file, changes it, and replaces it. The Add
// functions create a missing file. Concurrent processes wait for each other on FILE.lock.

// Returns the token, which is stored nowhere else.
absl::StatusOr<std::string> AddToken(const std::string& path, AuthEntry entry);
absl::Status AddUser(const std::string& path, AuthEntry entry, std::string_view password);
absl::Status AddCertificate(const std::string& path, AuthEntry entry);
// Returns kNotFound if there is no entry with that name.
absl::Status RemoveAuthEntry(const std::string& path, AuthKind kind, std::string_view name);
absl::StatusOr<std::vector<AuthEntry>> ListAuthEntries(const std::string& path);

}  // namespace flarestack::net

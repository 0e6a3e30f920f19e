// SPDX-License-Identifier: Apache-2.0
#include "net/auth/auth_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/text/encoding.h"
#include "net/auth/credential_hash.h"
#include "net/http/http_message.h"

namespace flarestack::net {
namespace {

constexpr size_t kVerifiedMax = 10'000;
constexpr std::chrono::milliseconds kHashingRetry{1'000};

absl::Status NotAuthenticated(std::string_view known_name = {}) {
  absl::Status status = absl::UnauthenticatedError("missing or invalid credentials");
  return known_name.empty() ? status : WithKnownName(std::move(status), known_name);
}

// Returns the text after "Bearer " or "Basic " if the header starts with that scheme.
std::optional<std::string_view> After(std::string_view header, std::string_view scheme) {
  if (header.size() <= scheme.size() || header[scheme.size()] != ' ' ||
      !EqualsIgnoringCase(header.substr(0, scheme.size()), scheme)) {
    return std::nullopt;
  }
  header.remove_prefix(scheme.size());
  header.remove_prefix(std::min(header.size(), header.find_first_not_of(' ')));
  return header;
}

std::shared_ptr<RateLimit> MakeRateLimit(const RateLimit::Limits& limits) {
  const bool is_limited = limits.requests_per_second > 0 || limits.bytes_per_second > 0;
  return is_limited ? std::make_shared<RateLimit>(limits) : nullptr;
}

class Counted {
 public:
  explicit Counted(std::atomic<int>* count) : count_(count), number_(count->fetch_add(1) + 1) {}
  ~Counted() { count_->fetch_sub(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int number() const { return number_; }

 private:
  std::atomic<int>* const count_;
  const int number_;
};

}  // namespace

AuthFile::AuthFile(AuthFileOptions options)
    : options_(std::move(options)),
      cache_key_(RandomBytes(32)),
      watch_({options_.path}, options_.poll_interval) {}

absl::StatusOr<std::shared_ptr<AuthFile>> AuthFile::Load(AuthFileOptions options) {
  std::shared_ptr<AuthFile> file(new AuthFile(std::move(options)));
  FLARE_ASSIGN(Snapshot first, file->Read(nullptr));
  const base::MutexLock lock(file->mutex_);
  file->snapshot_ = std::move(first);
  return file;
}

absl::StatusOr<AuthFile::Snapshot> AuthFile::Read(const Snapshot& before) const {
  FLARE_ASSIGN(std::vector<AuthRecord> records, ReadAuthRecords(options_.path));
  // Keep the rate limits of unchanged entries: a changed file must not refill everyone's credit.
  std::map<std::pair<AuthKind, std::string>, const Known*> old;
  if (before != nullptr) {
    for (const Known& known : *before)
      old[{known.record.entry.kind, known.record.entry.name}] = &known;
  }
  auto all = std::make_shared<std::vector<Known>>();
  for (AuthRecord& record : records) {
    const auto found = old.find({record.entry.kind, record.entry.name});
    const bool is_kept =
        found != old.end() && found->second->record.entry.limits == record.entry.limits;
    auto rate_limit = is_kept ? found->second->rate_limit : MakeRateLimit(record.entry.limits);
    all->push_back({std::move(record), std::move(rate_limit)});
  }
  return all;
}

AuthFile::Snapshot AuthFile::Current() {
  absl::Status failure;
  bool is_reloaded = false;
  Snapshot current;
  {
    const base::MutexLock lock(mutex_);
    if (watch_.HasChanged()) {
      auto read = Read(snapshot_);
      if (read.ok()) {
        snapshot_ = *std::move(read);
        verified_.clear();
        is_reloaded = true;
      } else {
        failure = read.status();
      }
    }
    current = snapshot_;
  }
  if (is_reloaded && options_.on_reload != nullptr)
    options_.on_reload();
  if (!failure.ok() && options_.on_reload_error != nullptr)
    options_.on_reload_error(base::WithContext("the old credentials stay valid", failure));
  return current;
}

absl::StatusOr<Principal> AuthFile::Authenticate(const Credentials& credentials) {
  const Snapshot known = Current();
  if (const auto token = After(credentials.authorization, "Bearer"); token.has_value())
    return CheckToken(*known, *token);
  if (const auto basic = After(credentials.authorization, "Basic"); basic.has_value())
    return CheckPassword(*known, *basic);
  if (!credentials.authorization.empty() || credentials.tls_client_name.empty())
    return NotAuthenticated();
  for (const Known& candidate : *known) {
    const AuthEntry& entry = candidate.record.entry;
    if (entry.kind == AuthKind::kCertificate && entry.name == credentials.tls_client_name)
      return Principal{entry.name, entry.tenants, entry.roles, candidate.rate_limit};
  }
  return NotAuthenticated(credentials.tls_client_name);
}

void AuthFile::OnRejected(std::string_view name, const absl::Status& status) {
  if (options_.on_rejected != nullptr)
    options_.on_rejected(name, status);
}

absl::StatusOr<Principal> AuthFile::CheckToken(const std::vector<Known>& known,
                                               std::string_view token) {
  const std::string hash = Sha256(token);
  const Known* found = nullptr;
  for (const Known& candidate : known) {
    if (candidate.record.entry.kind == AuthKind::kToken &&
        EqualsInConstantTime(candidate.record.hash, hash)) {
      found = &candidate;
    }
  }
  if (found == nullptr)
    return NotAuthenticated();
  const AuthEntry& entry = found->record.entry;
  return Principal{entry.name, entry.tenants, entry.roles, found->rate_limit};
}

// Picks the rounds of an existing user, always the same one for a given name. If the time of a
// rejection differed, it would reveal which names exist.
int AuthFile::RoundsOfUnknown(const std::vector<Known>& known, std::string_view name) const {
  std::vector<int> rounds;
  for (const Known& candidate : known) {
    if (candidate.record.entry.kind == AuthKind::kUser)
      rounds.push_back(candidate.record.rounds);
  }
  if (rounds.empty())
    return kPasswordRoundsMin;
  const std::string hash = HmacSha256(cache_key_, name);
  return rounds[static_cast<uint8_t>(hash[0]) % rounds.size()];
}

absl::StatusOr<Principal> AuthFile::CheckPassword(const std::vector<Known>& known,
                                                  std::string_view basic) {
  const auto decoded = base::Base64Decode(basic);
  const size_t colon = decoded.has_value() ? decoded->find(':') : std::string::npos;
  if (colon == std::string::npos)
    return NotAuthenticated();
  const std::string_view name = std::string_view(*decoded).substr(0, colon);
  const std::string_view password = std::string_view(*decoded).substr(colon + 1);
  const auto found = std::find_if(known.begin(), known.end(), [&](const Known& candidate) {
    return candidate.record.entry.kind == AuthKind::kUser && candidate.record.entry.name == name;
  });
  const Known* user = found == known.end() ? nullptr : &*found;
  FLARE_ASSIGN(const bool is_right, IsPassword(user, password, RoundsOfUnknown(known, name)));
  if (!is_right)
    return NotAuthenticated(user != nullptr ? std::string_view(user->record.entry.name) : "");
  const AuthEntry& entry = user->record.entry;
  return Principal{entry.name, entry.tenants, entry.roles, user->rate_limit};
}

// Caches correct passwords by a keyed hash, so that further requests cost microseconds. The hash
// covers the record's hash, so a changed password misses the cache.
absl::StatusOr<bool> AuthFile::IsPassword(const Known* user, std::string_view password,
                                          int unknown_rounds) {
  std::string remembered;
  if (user != nullptr) {
    std::string input = user->record.hash;  // has a fixed length
    input += password;
    remembered = HmacSha256(cache_key_, input);
    const base::MutexLock lock(mutex_);
    if (verified_.contains(remembered))
      return true;
  }
  const Counted hashing(&hashing_count_);
  if (hashing.number() > options_.hashing_max) {
    return WithRetryDelay(absl::ResourceExhaustedError("too many concurrent password checks"),
                          kHashingRetry);
  }
  // An unknown name takes as long as a known one, so that timing does not reveal names.
  const std::string salt = user != nullptr ? user->record.salt : cache_key_;
  const int rounds = user != nullptr ? user->record.rounds : unknown_rounds;
  const std::string hash = HashPassword({.password = password, .salt = salt, .rounds = rounds});
  if (user == nullptr || !EqualsInConstantTime(hash, user->record.hash))
    return false;
  const base::MutexLock lock(mutex_);
  if (verified_.size() >= kVerifiedMax)
    verified_.clear();
  verified_.insert(std::move(remembered));
  return true;
}

}  // namespace flarestack::net

// SPDX-License-Identifier: Apache-2.0
//
// The editing half of auth.h.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "base/status.h"
#include "base/text.h"
#include "net/auth.h"
#include "net/credential_hash.h"

namespace flarestack::net {
namespace {

constexpr size_t kTokenBytes = 32;
constexpr size_t kSaltBytes = 16;
constexpr size_t kPasswordBytesMin = 8;
constexpr size_t kPasswordBytesMax = 1024;
// So that a token is recognised as ours by people and by scanners for leaked secrets.
constexpr std::string_view kTokenPrefix = "fst_";

absl::StatusOr<std::vector<AuthRecord>> ReadOrNone(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0)
    return std::vector<AuthRecord>{};
  return ReadAuthRecords(path);
}

absl::Status Add(const std::string& path, AuthRecord record) {
  FLARE_RETURN_IF_ERROR(CheckAuthName("name", record.entry.name));
  if (!record.entry.tenant.empty())
    FLARE_RETURN_IF_ERROR(CheckAuthName("tenant", record.entry.tenant));
  if (record.entry.roles.empty())
    return absl::InvalidArgumentError("no role given: expected some of read, write, admin");
  FLARE_ASSIGN(std::vector<AuthRecord> records, ReadOrNone(path));
  if (records.size() == kAuthEntriesMax)
    return absl::ResourceExhaustedError(base::StrCat("more than ", kAuthEntriesMax, " entries"));
  for (const AuthRecord& other : records) {
    if (other.entry.kind == record.entry.kind && other.entry.name == record.entry.name)
      return absl::AlreadyExistsError(base::StrCat("there is a ", NameOf(record.entry.kind),
                                                   " named ", record.entry.name, " already"));
  }
  records.push_back(std::move(record));
  return WriteAuthRecords(path, records);
}

}  // namespace

absl::StatusOr<std::string> AddToken(const std::string& path, AuthEntry entry) {
  entry.kind = AuthKind::kToken;
  std::string token = base::StrCat(kTokenPrefix, base::HexEncode(RandomBytes(kTokenBytes)));
  FLARE_RETURN_IF_ERROR(Add(path, {.entry = std::move(entry), .hash = Sha256(token)}));
  return token;
}

absl::Status AddUser(const std::string& path, AuthEntry entry, std::string_view password) {
  if (password.size() < kPasswordBytesMin || password.size() > kPasswordBytesMax)
    return absl::InvalidArgumentError(
        base::StrCat("a password has ", kPasswordBytesMin, " to ", kPasswordBytesMax, " bytes"));
  // HTTP's Basic scheme separates name and password by a colon, which a name cannot have here.
  entry.kind = AuthKind::kUser;
  AuthRecord record = {
      .entry = std::move(entry), .salt = RandomBytes(kSaltBytes), .rounds = kPasswordRoundsMin};
  record.hash = HashPassword({.password = password, .salt = record.salt, .rounds = record.rounds});
  return Add(path, std::move(record));
}

absl::Status AddCertificate(const std::string& path, AuthEntry entry) {
  entry.kind = AuthKind::kCertificate;
  return Add(path, {.entry = std::move(entry)});
}

absl::Status RemoveAuthEntry(const std::string& path, AuthKind kind, std::string_view name) {
  FLARE_ASSIGN(std::vector<AuthRecord> records, ReadAuthRecords(path));
  const size_t removed = std::erase_if(records, [&](const AuthRecord& record) {
    return record.entry.kind == kind && record.entry.name == name;
  });
  if (removed == 0)
    return absl::NotFoundError(base::StrCat("there is no ", NameOf(kind), " of that name"));
  return WriteAuthRecords(path, records);
}

absl::StatusOr<std::vector<AuthEntry>> ListAuthEntries(const std::string& path) {
  FLARE_ASSIGN(std::vector<AuthRecord> records, ReadAuthRecords(path));
  std::vector<AuthEntry> entries;
  for (AuthRecord& record : records)
    entries.push_back(std::move(record.entry));
  return entries;
}

}  // namespace flarestack::net

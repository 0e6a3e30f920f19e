// SPDX-License-Identifier: Apache-2.0
//
// The editing half of auth_file.h.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "net/auth/auth_file.h"
#include "net/auth/credential_hash.h"
#include "net/tenant_name.h"

namespace flarestack::net {
namespace {

constexpr size_t kTokenBytes = 32;
constexpr size_t kSaltBytes = 16;
constexpr size_t kPasswordBytesMin = 8;
constexpr size_t kPasswordBytesMax = 1024;
// Lets people and scanners for leaked secrets recognize our tokens.
constexpr std::string_view kTokenPrefix = "fst_";

// Held from reading the file to replacing it, so that concurrent commands do not lose each other's
// edits. The lock is a separate file, because the credential file is replaced. It is never removed:
// removal would let two processes lock different files of the same name.
class EditLock {
 public:
  static absl::StatusOr<EditLock> Take(const std::string& path) {
    const std::string lock_path = base::StrCat(path, ".lock");
    const int fd = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
      return absl::ErrnoToStatus(errno, base::StrCat("cannot open ", lock_path));
    EditLock lock(fd);
    while (flock(fd, LOCK_EX) != 0) {
      if (errno != EINTR)
        return absl::ErrnoToStatus(errno, base::StrCat("cannot lock ", lock_path));
    }
    return lock;
  }
  EditLock(EditLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  EditLock& operator=(EditLock&&) = delete;
  ~EditLock() {
    if (fd_ >= 0)
      close(fd_);
  }

 private:
  explicit EditLock(int fd) : fd_(fd) {}

  int fd_;
};

absl::StatusOr<std::vector<AuthRecord>> ReadOrNone(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0)
    return std::vector<AuthRecord>{};
  return ReadAuthRecords(path);
}

absl::Status Add(const std::string& path, AuthRecord record) {
  FLARE_RETURN_IF_ERROR(CheckAuthName("name", record.entry.name));
  for (const std::string& tenant : record.entry.tenants)
    FLARE_RETURN_IF_ERROR(CheckTenantName(tenant));
  if (record.entry.roles.empty())
    return absl::InvalidArgumentError("no role given: expected some of read, write, admin");
  FLARE_ASSIGN(const EditLock lock, EditLock::Take(path));
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
  // HTTP's Basic scheme separates name and password with a colon; our names cannot contain one.
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
  FLARE_RETURN_IF_ERROR(ReadAuthRecords(path).status());  // do not create a lock for a missing file
  FLARE_ASSIGN(const EditLock lock, EditLock::Take(path));
  FLARE_ASSIGN(std::vector<AuthRecord> records, ReadAuthRecords(path));
  const size_t removed = std::erase_if(records, [&](const AuthRecord& record) {
    return record.entry.kind == kind && record.entry.name == name;
  });
  if (removed == 0)
    return absl::NotFoundError(base::StrCat("no ", NameOf(kind), " with that name"));
  return WriteAuthRecords(path, records);
}

absl::StatusOr<std::vector<AuthEntry>> ListAuthEntries(const std::string& path) {
  FLARE_ASSIGN(std::vector<AuthRecord> records, ReadAuthRecords(path));
  std::vector<AuthEntry> entries;
  entries.reserve(records.size());
  for (AuthRecord& record : records)
    entries.push_back(std::move(record.entry));
  return entries;
}

}  // namespace flarestack::net

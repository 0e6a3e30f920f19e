// SPDX-License-Identifier: Apache-2.0
#include "net/auth/auth_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "base/file/file.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "net/tenant_name.h"

namespace flarestack::net {
namespace {

constexpr uint64_t kFileBytesMax = 8 << 20;
constexpr size_t kNameBytesMax = 128;
constexpr size_t kHashBytes = 32;

constexpr std::array<std::pair<AuthKind, std::string_view>, 3> kKindNames = {
    {{AuthKind::kToken, "token"},
     {AuthKind::kUser, "user"},
     {AuthKind::kCertificate, "certificate"}}};

// Removes the next word from the line and returns it.
std::string_view TakeWord(std::string_view& line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

using Fields = std::map<std::string_view, std::string_view>;

absl::StatusOr<Fields> ParseFields(std::string_view line) {
  constexpr std::array<std::string_view, 9> kKnown = {
      "name", "roles", "tenant", "requests", "bytes", "sha256", "rounds", "salt", "pbkdf2"};
  Fields fields;
  for (std::string_view word = TakeWord(line); !word.empty(); word = TakeWord(line)) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    // The message omits the word, which may be a misplaced secret.
    if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end() || equals == word.size())
      return absl::InvalidArgumentError("unknown field");
    if (!fields.emplace(key, word.substr(equals + 1)).second)
      return absl::InvalidArgumentError(base::StrCat("field ", key, " occurs twice"));
  }
  return fields;
}

absl::StatusOr<double> ParseNumber(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  if (found == fields.end())
    return 0.0;
  const std::string text(found->second);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(number) || number < 0)
    return absl::InvalidArgumentError(base::StrCat(key, " must be a number, 0 or more"));
  return number;
}

absl::StatusOr<std::string> ParseHex(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  const auto bytes = found == fields.end() ? std::nullopt : base::HexDecode(found->second);
  if (!bytes.has_value() || bytes->empty())
    return absl::InvalidArgumentError(base::StrCat(key, " must be hexadecimal digits"));
  return *bytes;
}

absl::Status ParseSecret(const Fields& fields, AuthRecord* record) {
  if (record->entry.kind == AuthKind::kCertificate)
    return absl::OkStatus();
  if (record->entry.kind == AuthKind::kToken) {
    FLARE_ASSIGN(record->hash, ParseHex(fields, "sha256"));
  } else {
    FLARE_ASSIGN(record->hash, ParseHex(fields, "pbkdf2"));
    FLARE_ASSIGN(record->salt, ParseHex(fields, "salt"));
    FLARE_ASSIGN(const double rounds, ParseNumber(fields, "rounds"));
    // The upper limit is needed because every wrong password costs that many rounds.
    if (rounds < kPasswordRoundsMin || rounds > 100.0 * kPasswordRoundsMin)
      return absl::InvalidArgumentError(
          base::StrCat("rounds must be ", kPasswordRoundsMin, " or more"));
    record->rounds = static_cast<int>(rounds);
  }
  if (record->hash.size() != kHashBytes)
    return absl::InvalidArgumentError("the hash must have 64 digits");
  return absl::OkStatus();
}

// Names contain no comma. An empty list is rejected: it would grant all tenants to a principal that
// was meant to be restricted.
absl::StatusOr<std::vector<std::string>> ParseTenants(std::string_view text) {
  std::vector<std::string> tenants;
  for (bool is_last = false; !is_last;) {
    const std::string_view name = text.substr(0, text.find(','));
    FLARE_RETURN_IF_ERROR(CheckTenantName(name));
    tenants.emplace_back(name);
    is_last = name.size() == text.size();
    text.remove_prefix(std::min(text.size(), name.size() + 1));
  }
  return tenants;
}

absl::StatusOr<AuthRecord> ParseRecord(std::string_view line) {
  const std::string_view kind = TakeWord(line);
  const auto* known = std::find_if(kKindNames.begin(), kKindNames.end(),
                                   [&](const auto& row) { return row.second == kind; });
  if (known == kKindNames.end())
    return absl::InvalidArgumentError("a line must begin with token, user or certificate");
  AuthRecord record;
  record.entry.kind = known->first;
  FLARE_ASSIGN(Fields fields, ParseFields(line));
  record.entry.name = fields["name"];
  FLARE_RETURN_IF_ERROR(CheckAuthName("name", record.entry.name));
  if (fields.contains("tenant")) {
    FLARE_ASSIGN(record.entry.tenants, ParseTenants(fields["tenant"]));
  }
  FLARE_ASSIGN(record.entry.roles, ParseRoles(fields["roles"]));
  FLARE_ASSIGN(record.entry.limits.requests_per_second, ParseNumber(fields, "requests"));
  FLARE_ASSIGN(record.entry.limits.bytes_per_second, ParseNumber(fields, "bytes"));
  FLARE_RETURN_IF_ERROR(ParseSecret(fields, &record));
  return record;
}

absl::Status CheckMode(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot open ", path));
  if (!S_ISREG(info.st_mode))
    return absl::FailedPreconditionError(base::StrCat(path, " is not a file"));
  if ((info.st_mode & 077) != 0)
    return absl::FailedPreconditionError(
        base::StrCat(path, " can be read or changed by others; chmod 600 it"));
  if (info.st_uid != geteuid() && info.st_uid != 0)
    return absl::FailedPreconditionError(base::StrCat(path, " belongs to another user"));
  return absl::OkStatus();
}

}  // namespace

std::string_view NameOf(AuthKind kind) {
  for (const auto& [known, name] : kKindNames) {
    if (known == kind)
      return name;
  }
  return "unknown";
}

absl::Status CheckAuthName(std::string_view what, std::string_view name) {
  const auto is_good = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '@';
  };
  if (name.empty() || name.size() > kNameBytesMax ||
      !std::all_of(name.begin(), name.end(), is_good)) {
    return absl::InvalidArgumentError(base::StrCat("a ", what, " has 1 to ", kNameBytesMax,
                                                   " letters, digits and characters of .-_@"));
  }
  return absl::OkStatus();
}

std::string JoinTenants(const std::vector<std::string>& tenants) {
  std::string text;
  for (const std::string& tenant : tenants)
    base::StrAppend(&text, text.empty() ? "" : ",", tenant);
  return text;
}

absl::StatusOr<std::vector<AuthRecord>> ParseAuthRecords(std::string_view text) {
  std::vector<AuthRecord> records;
  std::set<std::pair<AuthKind, std::string>> names;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.starts_with('#'))
      continue;
    auto record = ParseRecord(line);
    if (!record.ok())
      return base::WithContext(base::StrCat("line ", number), record.status());
    if (!names.emplace(record->entry.kind, record->entry.name).second)
      return absl::InvalidArgumentError(
          base::StrCat("line ", number, ": ", record->entry.name, " occurs twice"));
    if (records.size() == kAuthEntriesMax)
      return absl::ResourceExhaustedError(base::StrCat("more than ", kAuthEntriesMax, " entries"));
    records.push_back(*std::move(record));
  }
  return records;
}

std::string FormatAuthRecords(const std::vector<AuthRecord>& records) {
  std::string text = "# written by flarestack\n";
  for (const AuthRecord& record : records) {
    const AuthEntry& entry = record.entry;
    base::StrAppend(&text, NameOf(entry.kind), " name=", entry.name,
                    " roles=", ToString(entry.roles));
    if (!entry.tenants.empty())
      base::StrAppend(&text, " tenant=", JoinTenants(entry.tenants));
    if (entry.limits.requests_per_second > 0)
      base::StrAppend(&text, " requests=", entry.limits.requests_per_second);
    if (entry.limits.bytes_per_second > 0)
      base::StrAppend(&text, " bytes=", entry.limits.bytes_per_second);
    if (entry.kind == AuthKind::kToken) {
      base::StrAppend(&text, " sha256=", base::HexEncode(record.hash));
    } else if (entry.kind == AuthKind::kUser) {
      base::StrAppend(&text, " rounds=", record.rounds, " salt=", base::HexEncode(record.salt),
                      " pbkdf2=", base::HexEncode(record.hash));
    }
    text += "\n";
  }
  return text;
}

absl::StatusOr<std::vector<AuthRecord>> ReadAuthRecords(const std::string& path) {
  FLARE_RETURN_IF_ERROR(CheckMode(path));
  FLARE_ASSIGN(const std::string text, base::ReadFile(path, kFileBytesMax));
  auto records = ParseAuthRecords(text);
  if (!records.ok())
    return base::WithContext(path, records.status());
  return records;
}

absl::Status WriteAuthRecords(const std::string& path, const std::vector<AuthRecord>& records) {
  // The replacement inherits the mode of the existing file, so one must exist.
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot write ", path));
  close(fd);
  FLARE_RETURN_IF_ERROR(CheckMode(path));
  FLARE_ASSIGN(base::OutputFile file, base::OutputFile::Create(path));
  FLARE_RETURN_IF_ERROR(file.Write(FormatAuthRecords(records)));
  return file.Commit();
}

}  // namespace flarestack::net

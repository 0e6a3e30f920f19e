// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/text/human_value.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/flags/byte_limit.h"
#include "cli/output/report_format.h"
#include "cli/terminal/password.h"
#include "net/auth/auth_entry.h"
#include "net/auth/auth_file.h"

namespace flarestack::cli {
namespace {

// Edits the file that `serve --auth-file` reads.
class AuthCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  void DefineKinds(CLI::App* verb);
  int Add();
  int AddToken(const net::AuthEntry& entry);
  int AddUser(const net::AuthEntry& entry);
  int Remove();
  int List();
  std::optional<net::AuthKind> Kind() const;

  CLI::App* add_ = nullptr;
  CLI::App* remove_ = nullptr;
  std::string name_;
  std::string path_;
  bool is_token_ = false;
  bool is_user_ = false;
  bool is_certificate_ = false;
  std::string roles_;
  std::vector<std::string> tenants_;
  double requests_per_second_ = 0;
  uint64_t bytes_per_second_ = 0;
  ReportFormat format_ = ReportFormat::kText;
};

using net::AuthEntry;
using net::AuthKind;

int Fail(const std::string& what, const absl::Status& status) {
  std::string next = "flarestack help auth";
  if (absl::IsAlreadyExists(status))
    next = "flarestack auth rm NAME --file FILE    to replace it";
  if (absl::IsNotFound(status))
    next = "flarestack auth ls --file FILE";
  return Report({what, std::string(base::Message(status)), next},
                absl::IsInvalidArgument(status) ? kUsage : kFailed);
}

void AddFile(CLI::App* verb, std::string* path) {
  verb->add_option("--file", *path, "the file that serve --auth-file reads")->required();
}

std::string PerSecond(double rate, std::string_view unit) {
  if (rate <= 0)
    return "-";
  if (unit == "bytes")
    return base::HumanValue(static_cast<int64_t>(rate), unit) + "/s";
  return fmt::format("{}/s", rate);
}

std::string ToText(const std::vector<AuthEntry>& entries) {
  size_t width = 4;
  for (const AuthEntry& entry : entries)
    width = std::max(width, entry.name.size());
  std::string text = fmt::format("{:<12} {:<{}} {:<16} {:<12} {:>10} {:>12}\n", "kind", "name",
                                 width, "roles", "tenant", "requests", "bytes");
  for (const AuthEntry& entry : entries) {
    text += fmt::format("{:<12} {:<{}} {:<16} {:<12} {:>10} {:>12}\n", NameOf(entry.kind),
                        entry.name, width, net::ToString(entry.roles),
                        entry.tenants.empty() ? "-" : net::JoinTenants(entry.tenants),
                        PerSecond(entry.limits.requests_per_second, "requests"),
                        PerSecond(entry.limits.bytes_per_second, "bytes"));
  }
  return text;
}

ReportRows ToRows(const std::vector<AuthEntry>& entries) {
  ReportRows rows({"kind", "name", "roles", "tenant", "requests_per_second", "bytes_per_second"});
  for (const AuthEntry& entry : entries) {
    rows.Add({std::string(NameOf(entry.kind)), entry.name, net::ToString(entry.roles),
              net::JoinTenants(entry.tenants), entry.limits.requests_per_second,
              entry.limits.bytes_per_second});
  }
  return rows;
}

}  // namespace

void AuthCommand::DefineKinds(CLI::App* verb) {
  CLI::Option* const token = verb->add_flag("--token", is_token_, "a bearer token");
  CLI::Option* const user = verb->add_flag("--user", is_user_, "a user with a password");
  CLI::Option* const certificate =
      verb->add_flag("--certificate", is_certificate_, "the name in a TLS client certificate");
  token->excludes(user)->excludes(certificate);
  user->excludes(certificate);
}

void AuthCommand::Define(CLI::App* app) {
  app->require_subcommand(1);
  add_ = app->add_subcommand("add", "add a token (default), user or client certificate");
  add_->add_option("NAME", name_, "letters, digits and .-_@")->required();
  AddFile(add_, &path_);
  DefineKinds(add_);
  add_->add_option("--roles", roles_,
                   "comma-separated: read, write, admin; admin includes the others")
      ->required();
  add_->add_option("--tenant", tenants_,
                   "tenant (serve --tenants) this entry may access; repeatable (default: all)")
      ->allow_extra_args(false);
  add_->add_option("--requests-per-second", requests_per_second_,
                   "maximum average request rate; 0 is no limit")
      ->check(CLI::NonNegativeNumber);
  AddSize(add_, "--bytes-per-second", &bytes_per_second_,
          "maximum average byte rate, such as 10MB; 0 is no limit");
  add_->footer(
      "A token is printed once and stored as a hash. A password is prompted for, or read from\n"
      "standard input.\n\n"
      "Examples:\n"
      "  flarestack auth add agent-7 --file auth --roles write --requests-per-second 50\n"
      "  flarestack auth add anna --user --file auth --roles read < password.txt");
  remove_ = app->add_subcommand("rm", "remove an entry");
  remove_->add_option("NAME", name_, "name of the entry")->required();
  AddFile(remove_, &path_);
  DefineKinds(remove_);
  remove_->footer("Example:\n  flarestack auth rm agent-7 --file auth");
  CLI::App* const list = app->add_subcommand("ls", "list the entries, without secrets");
  AddFile(list, &path_);
  DefineFormat(list, &format_);
  list->footer("Example:\n  flarestack auth ls --file auth --format json");
  app->footer(
      "A running server reloads the file when it changes.\n\n"
      "Examples:\n"
      "  flarestack auth add agent-7 --file auth --roles write      prints the new token\n"
      "  flarestack auth add anna --user --file auth --roles read   prompts for a password\n"
      "  flarestack auth ls --file auth\n"
      "  flarestack auth rm agent-7 --file auth\n"
      "  flarestack serve --auth-file auth");
}

int AuthCommand::Run() {
  if (add_->parsed())
    return Add();
  return remove_->parsed() ? Remove() : List();
}

std::optional<AuthKind> AuthCommand::Kind() const {
  if (is_token_)
    return AuthKind::kToken;
  if (is_user_)
    return AuthKind::kUser;
  if (is_certificate_)
    return AuthKind::kCertificate;
  return std::nullopt;
}

int AuthCommand::Add() {
  const auto roles = net::ParseRoles(roles_);
  if (!roles.ok())
    return Fail("invalid --roles", roles.status());
  if (!std::isfinite(requests_per_second_))
    return Fail("invalid --requests-per-second", absl::InvalidArgumentError("not a number"));
  AuthEntry entry;
  entry.name = name_;
  entry.roles = *roles;
  entry.tenants = tenants_;
  entry.limits = {.requests_per_second = requests_per_second_,
                  .bytes_per_second = static_cast<double>(bytes_per_second_)};
  switch (Kind().value_or(AuthKind::kToken)) {
    case AuthKind::kToken:
      return AddToken(entry);
    case AuthKind::kUser:
      return AddUser(entry);
    case AuthKind::kCertificate:
      if (const absl::Status status = net::AddCertificate(path_, entry); !status.ok())
        return Fail("cannot add the certificate " + name_, status);
  }
  return kSuccess;
}

int AuthCommand::AddToken(const AuthEntry& entry) {
  const auto token = net::AddToken(path_, entry);
  if (!token.ok())
    return Fail("cannot add the token " + name_, token.status());
  fmt::print("{}\n", *token);
  if (std::fflush(stdout) != 0) {
    // The token was never shown, so remove it.
    net::RemoveAuthEntry(path_, AuthKind::kToken, name_).IgnoreError();
    return Report({"cannot write standard output", "the token was not saved", ""}, kFailed);
  }
  fmt::print(stderr,
             "the token is shown only once; clients send it in the header\n"
             "  Authorization: Bearer TOKEN\n");
  return kSuccess;
}

int AuthCommand::AddUser(const AuthEntry& entry) {
  // Check the name before the user types a password.
  if (const absl::Status status = net::CheckAuthName("name", name_); !status.ok())
    return Fail("cannot add the user " + name_, status);
  const auto password = ReadNewPassword();
  if (!password.ok())
    return Fail("cannot read the password", password.status());
  if (const absl::Status status = net::AddUser(path_, entry, *password); !status.ok())
    return Fail("cannot add the user " + name_, status);
  return kSuccess;
}

int AuthCommand::Remove() {
  const auto entries = net::ListAuthEntries(path_);
  if (!entries.ok())
    return Fail("cannot read the entries", entries.status());
  std::vector<AuthKind> kinds;
  for (const AuthEntry& entry : *entries) {
    if (entry.name == name_ && Kind().value_or(entry.kind) == entry.kind)
      kinds.push_back(entry.kind);
  }
  if (kinds.size() > 1) {
    return Report(
        {"ambiguous entry " + name_ + " is meant",
         fmt::format("there is a {} and a {} of that name", NameOf(kinds[0]), NameOf(kinds[1])),
         "--token, --user or --certificate"},
        kUsage);
  }
  if (kinds.empty())
    return Fail("cannot remove " + name_, absl::NotFoundError("no such entry"));
  if (const absl::Status status = net::RemoveAuthEntry(path_, kinds[0], name_); !status.ok())
    return Fail("cannot remove " + name_, status);
  return kSuccess;
}

int AuthCommand::List() {
  const auto entries = net::ListAuthEntries(path_);
  if (!entries.ok())
    return Fail("cannot read the entries", entries.status());
  if (format_ == ReportFormat::kText) {
    fmt::print("{}", ToText(*entries));
  } else if (format_ == ReportFormat::kJson) {
    nlohmann::ordered_json json = {{"schema", "flarestack.auth/1"}};
    json["entries"] = ToRows(*entries).Json();
    fmt::print("{}", JsonText(json));
  } else {
    fmt::print("{}", ToRows(*entries).In(format_));
  }
  return kSuccess;
}

std::unique_ptr<Command> MakeAuthCommand() { return std::make_unique<AuthCommand>(); }

}  // namespace flarestack::cli

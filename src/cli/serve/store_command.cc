// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/store_command.h"

#include <absl/time/time.h>
#include <fmt/format.h>

#include <optional>

#include "base/status.h"
#include "base/text/human_value.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "server/tenants/tenants.h"
#include "store/maintenance.h"

namespace flarestack::cli {
namespace {

int Fail(const std::string& what, const absl::Status& status) {
  std::string next = "flarestack help store";
  if (absl::IsFailedPrecondition(status))
    next = "stop the server that uses the directory and retry";
  if (absl::IsAlreadyExists(status))
    next = "use a directory that does not exist yet";
  if (absl::IsDataLoss(status))
    next = "flarestack store verify --data-dir DIR    lists the damage";
  return Report({what, std::string(base::Message(status)), next}, kFailed);
}

std::string TimeText(uint64_t nanos) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixNanos(static_cast<int64_t>(nanos)),
                          absl::UTCTimeZone());
}

std::string Bytes(uint64_t bytes) { return base::HumanValue(static_cast<int64_t>(bytes), "bytes"); }

std::string Count(uint64_t count) { return base::GroupDigits(static_cast<int64_t>(count)); }

std::string Cap(uint64_t bytes) { return bytes == 0 ? "none" : Bytes(bytes); }

std::string StatsText(const store::DirectoryStats& stats) {
  std::string text =
      fmt::format("on disk   {}\nseries    {}\nstacks    {}\n", Bytes(stats.store.disk_bytes),
                  Count(stats.store.series), Count(stats.store.stacks));
  if (stats.store.newest_nanos > 0) {
    text += fmt::format("samples   {} to {}\n", TimeText(stats.store.oldest_nanos),
                        TimeText(stats.store.newest_nanos));
  } else {
    text += "samples   none\n";
  }
  text += fmt::format("limits    disk {}, memory {} (of the server that used it last)\n",
                      Cap(stats.caps.disk_bytes), Cap(stats.caps.memory_bytes));
  text += fmt::format("\n{:<16} {:>14} {:>12}\n", "family", "entries", "in tables");
  for (const store::FamilyStats& family : stats.families) {
    text += fmt::format("{:<16} {:>14} {:>12}\n", family.name, Count(family.entries),
                        Bytes(family.table_bytes));
  }
  return text;
}

ReportRows FamilyRows(const store::DirectoryStats& stats) {
  ReportRows rows({"family", "entries", "table_bytes"});
  for (const store::FamilyStats& family : stats.families) {
    rows.Add({family.name, static_cast<int64_t>(family.entries),
              static_cast<int64_t>(family.table_bytes)});
  }
  return rows;
}

nlohmann::ordered_json StatsJson(const store::DirectoryStats& stats) {
  nlohmann::ordered_json json = {{"schema", "flarestack.store.stats/1"},
                                 {"disk_bytes", stats.store.disk_bytes},
                                 {"series", stats.store.series},
                                 {"stacks", stats.store.stacks},
                                 {"oldest_unix_nano", stats.store.oldest_nanos},
                                 {"newest_unix_nano", stats.store.newest_nanos},
                                 {"disk_bytes_max", stats.caps.disk_bytes},
                                 {"memory_bytes_max", stats.caps.memory_bytes}};
  json["families"] = FamilyRows(stats).Json();
  return json;
}

ReportRows TenantRows(const std::vector<std::pair<std::string, store::StoreStats>>& tenants) {
  ReportRows rows(
      {"tenant", "disk_bytes", "series", "stacks", "oldest_unix_nano", "newest_unix_nano"});
  for (const auto& [name, stats] : tenants) {
    rows.Add({name, static_cast<int64_t>(stats.disk_bytes), static_cast<int64_t>(stats.series),
              static_cast<int64_t>(stats.stacks), static_cast<int64_t>(stats.oldest_nanos),
              static_cast<int64_t>(stats.newest_nanos)});
  }
  return rows;
}

std::string TenantsText(const std::vector<std::pair<std::string, store::StoreStats>>& tenants) {
  size_t width = 6;
  for (const auto& [name, stats] : tenants)
    width = std::max(width, name.size());
  std::string text =
      fmt::format("{:<{}} {:>12} {:>12} {:>12}\n", "tenant", width, "on disk", "series", "stacks");
  for (const auto& [name, stats] : tenants) {
    text += fmt::format("{:<{}} {:>12} {:>12} {:>12}\n", name, width, Bytes(stats.disk_bytes),
                        Count(stats.series), Count(stats.stacks));
  }
  return text;
}

std::string VerifyText(const store::VerifyReport& report) {
  std::string text;
  for (const store::StoreFault& fault : report.faults)
    text += fmt::format("{}: {}\n", fault.place, fault.reason);
  if (report.fault_count > report.faults.size())
    text += fmt::format("... {} more\n", Count(report.fault_count - report.faults.size()));
  return text + fmt::format("{} files and {} entries read: {} error{}\n", Count(report.files),
                            Count(report.entries), Count(report.fault_count),
                            report.fault_count == 1 ? "" : "s");
}

ReportRows FaultRows(const store::VerifyReport& report) {
  ReportRows rows({"place", "reason"});
  for (const store::StoreFault& fault : report.faults)
    rows.Add({fault.place, fault.reason});
  return rows;
}

nlohmann::ordered_json VerifyJson(const store::VerifyReport& report) {
  nlohmann::ordered_json json = {{"schema", "flarestack.store.verify/1"},
                                 {"files", report.files},
                                 {"entries", report.entries},
                                 {"fault_count", report.fault_count}};
  json["faults"] = FaultRows(report).Json();
  if (report.fault_count > report.faults.size())
    json["truncated"] = {{"shown", report.faults.size()}, {"total", report.fault_count}};
  return json;
}

// In a directory with tenants, only `stats` covers all of them. Other commands need one tenant.
std::optional<int> RejectTenants(const std::string& what, const std::string& data_dir) {
  const std::vector<std::string> tenants = server::TenantNames(data_dir);
  if (tenants.empty())
    return std::nullopt;
  return Report({what, data_dir + " has tenants, each with its own data",
                 "--data-dir " + server::TenantDirectory(data_dir, tenants.front())},
                kFailed);
}

void AddDataDir(CLI::App* verb, std::string* data_dir) {
  verb->add_option("--data-dir", *data_dir, "data directory of serve")->required();
}

}  // namespace

void StoreCommand::Define(CLI::App* app) {
  app->require_subcommand(1);
  stats_ = app->add_subcommand("stats", "show size and time range of the data");
  AddDataDir(stats_, &data_dir_);
  DefineFormat(stats_, &format_);
  stats_->footer("Example:\n  flarestack store stats --data-dir /srv/flarestack --format json");
  verify_ = app->add_subcommand("verify", "read all data and check for corruption");
  AddDataDir(verify_, &data_dir_);
  DefineFormat(verify_, &format_);
  verify_->footer(
      "Exits with 4 on corruption.\n\n"
      "Example:\n"
      "  flarestack store verify --data-dir /srv/flarestack");
  backup_ = app->add_subcommand("backup", "copy all data to a new directory");
  AddDataDir(backup_, &data_dir_);
  backup_->add_option("TO", other_, "empty or new directory")->required();
  backup_->footer("Example:\n  flarestack store backup --data-dir /srv/flarestack /mnt/monday");
  CLI::App* const restore =
      app->add_subcommand("restore", "restore a data directory from a backup");
  restore->add_option("FROM", other_, "directory written by backup")->required();
  AddDataDir(restore, &data_dir_);
  restore->footer("Example:\n  flarestack store restore /mnt/monday --data-dir /srv/flarestack");
  DefineDelete(app);
  app->footer(
      "The directory must not be in use by a server.\n\n"
      "Examples:\n"
      "  flarestack store stats --data-dir /srv/flarestack\n"
      "  flarestack store verify --data-dir /srv/flarestack\n"
      "  flarestack store backup --data-dir /srv/flarestack /mnt/monday\n"
      "  flarestack store restore /mnt/monday --data-dir /srv/flarestack\n"
      "  flarestack store delete --data-dir /srv/flarestack --service cart --dry-run");
}

int StoreCommand::Run() {
  if (delete_->parsed())
    return Delete();
  if (stats_->parsed())
    return Stats();
  if (verify_->parsed())
    return Verify();
  return backup_->parsed() ? BackUp() : Restore();
}

int StoreCommand::TenantStats(const std::vector<std::string>& tenants) {
  std::vector<std::pair<std::string, store::StoreStats>> all;
  for (const std::string& name : tenants) {
    const auto stats = store::ReadDirectoryStats(server::TenantDirectory(data_dir_, name));
    if (!stats.ok())
      return Fail("cannot read the data of the tenant " + name, stats.status());
    all.emplace_back(name, stats->store);
  }
  if (format_ == ReportFormat::kText) {
    fmt::print("{}", TenantsText(all));
  } else if (format_ == ReportFormat::kJson) {
    nlohmann::ordered_json json = {{"schema", "flarestack.store.tenants/1"}};
    json["tenants"] = TenantRows(all).Json();
    fmt::print("{}", JsonText(json));
  } else {
    fmt::print("{}", TenantRows(all).In(format_));
  }
  return kSuccess;
}

int StoreCommand::Stats() {
  if (const auto tenants = server::TenantNames(data_dir_); !tenants.empty())
    return TenantStats(tenants);
  const auto stats = store::ReadDirectoryStats(data_dir_);
  if (!stats.ok())
    return Fail("cannot read the data", stats.status());
  if (format_ == ReportFormat::kText)
    fmt::print("{}", StatsText(*stats));
  else if (format_ == ReportFormat::kJson)
    fmt::print("{}", JsonText(StatsJson(*stats)));
  else
    fmt::print("{}", FamilyRows(*stats).In(format_));
  return kSuccess;
}

int StoreCommand::Verify() {
  if (const auto rejected = RejectTenants("cannot verify the data", data_dir_);
      rejected.has_value())
    return *rejected;
  const auto report = store::VerifyDirectory(data_dir_);
  if (!report.ok())
    return Fail("cannot verify the data", report.status());
  if (format_ == ReportFormat::kText)
    fmt::print("{}", VerifyText(*report));
  else if (format_ == ReportFormat::kJson)
    fmt::print("{}", JsonText(VerifyJson(*report)));
  else
    fmt::print("{}", FaultRows(*report).In(format_));
  return report->fault_count == 0 ? kSuccess : kCheckFailed;
}

int StoreCommand::BackUp() {
  if (const auto rejected = RejectTenants("cannot back up the data", data_dir_);
      rejected.has_value())
    return *rejected;
  if (const absl::Status status = store::BackUp(data_dir_, other_); !status.ok())
    return Fail("cannot back up the data", status);
  fmt::print("backed up {} to {}\n", data_dir_, other_);
  return kSuccess;
}

int StoreCommand::Restore() {
  if (const absl::Status status = store::Restore(other_, data_dir_); !status.ok())
    return Fail("cannot restore the backup", status);
  fmt::print("restored {} to {}\n", other_, data_dir_);
  return kSuccess;
}

std::unique_ptr<Command> MakeStoreCommand() { return std::make_unique<StoreCommand>(); }

}  // namespace flarestack::cli

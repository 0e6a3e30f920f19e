// SPDX-License-Identifier: Apache-2.0
//
// `store delete`: permanently deletes the data of a service, a tenant or a time range.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "base/text/human_value.h"
#include "cli/command/failure.h"
#include "cli/serve/store_command.h"
#include "query/scope/time_expression.h"
#include "server/tenants/tenants.h"
#include "store/delete_data.h"

namespace flarestack::cli {
namespace {

int Fail(const absl::Status& status) {
  return Report(
      {"cannot delete the data", std::string(base::Message(status)),
       absl::IsFailedPrecondition(status) ? "stop the server that uses the directory and retry"
                                          : "flarestack store delete --help"},
      absl::IsInvalidArgument(status) ? kUsage : kFailed);
}

nlohmann::ordered_json DeletedJson(const store::DeletedData& deleted, bool is_dry_run) {
  return {{"schema", "flarestack.store.delete/1"},
          {"dry_run", is_dry_run},
          {"series", deleted.series},
          {"chunks", deleted.chunks},
          {"spans", deleted.spans},
          {"log_records", deleted.log_records},
          {"metric_series", deleted.metric_series},
          {"points", deleted.points}};
}

std::string DeletedText(const store::DeletedData& deleted, bool is_dry_run) {
  const auto count = [](uint64_t number) {
    return base::GroupDigits(static_cast<int64_t>(number));
  };
  return fmt::format(
      "{}\n"
      "profiles  {} series in {} chunks\n"
      "spans     {}\n"
      "logs      {} records\n"
      "metrics   {} points of {} series\n",
      is_dry_run ? "would delete" : "deleted", count(deleted.series), count(deleted.chunks),
      count(deleted.spans), count(deleted.log_records), count(deleted.points),
      count(deleted.metric_series));
}

}  // namespace

void StoreCommand::DefineDelete(CLI::App* app) {
  delete_ =
      app->add_subcommand("delete", "permanently delete data of a service, tenant or time range");
  delete_->add_option("--data-dir", data_dir_, "data directory of serve")->required();
  delete_
      ->add_option("--tenant", tenant_, "data of this tenant; without other conditions, all of it")
      ->type_name("NAME");
  delete_->add_option("--service", service_, "data of this service")->type_name("NAME");
  delete_
      ->add_option("-q,--query", selector_,
                   "selector over resources, such as '{host.name=\"web-1\"}'")
      ->type_name("SELECTOR");
  delete_->add_option("--from", from_, "start time, such as now-2d; whole hours")
      ->type_name("TIME");
  delete_->add_option("--to", to_, "end time")->type_name("TIME");
  delete_->add_flag("--dry-run", is_dry_run_, "count what would be deleted, without deleting");
  DefineFormat(delete_, &format_);
  delete_->footer(
      "Deletes profiles, traces, logs and metrics, and rewrites the files without them. A time "
      "range\n"
      "covers only the whole hours within it. Deleted data can be restored only from a backup.\n\n"
      "Examples:\n"
      "  flarestack store delete --data-dir /srv/flarestack --service cart --dry-run\n"
      "  flarestack store delete --data-dir /srv/flarestack --service cart\n"
      "  flarestack store delete --data-dir /srv/flarestack --from 2026-03-01T00:00:00Z --to "
      "2026-03-02T00:00:00Z\n"
      "  flarestack store delete --data-dir /srv/flarestack --tenant blue");
}

absl::StatusOr<store::DeleteQuery> StoreCommand::ReadDeleteQuery() const {
  store::DeleteQuery query;
  FLARE_ASSIGN(query.matchers, store::ParseSelector(selector_));
  if (!service_.empty()) {
    FLARE_ASSIGN(query.matchers.emplace_back(),
                 store::Matcher::Make("service.name", store::Matcher::Kind::kEqual, service_));
  }
  const uint64_t now = base::NowNanos();
  if (!from_.empty()) {
    FLARE_ASSIGN(query.range.from, query::ParseTime(from_, now));
  }
  if (!to_.empty()) {
    FLARE_ASSIGN(query.range.to, query::ParseTime(to_, now));
  }
  if (query.range.from >= query.range.to)
    return absl::InvalidArgumentError("--from must be before --to");
  query.is_dry_run = is_dry_run_;
  return query;
}

int StoreCommand::DeleteTenant() {
  const std::string directory = server::TenantDirectory(data_dir_, tenant_);
  if (!is_dry_run_) {
    if (const absl::Status status = store::DeleteDirectory(directory); !status.ok())
      return Fail(status);
  }
  if (format_ == ReportFormat::kJson) {
    fmt::print("{}", JsonText({{"schema", "flarestack.store.delete/1"},
                               {"dry_run", is_dry_run_},
                               {"tenant", tenant_}}));
  } else {
    fmt::print("{} all data of the tenant {}\n", is_dry_run_ ? "would delete" : "deleted", tenant_);
  }
  return kSuccess;
}

int StoreCommand::Delete() {
  const bool is_limited = !service_.empty() || !selector_.empty() || !from_.empty() || !to_.empty();
  if (!is_limited && tenant_.empty()) {
    return Report({"cannot delete the data", "no selection given",
                   "--service NAME, -q SELECTOR, --tenant NAME, or --from TIME --to TIME"},
                  kUsage);
  }
  const std::vector<std::string> tenants = server::TenantNames(data_dir_);
  if (tenant_.empty() != tenants.empty() ||
      (!tenant_.empty() && std::ranges::find(tenants, tenant_) == tenants.end())) {
    std::string names;
    for (const std::string& name : tenants)
      names += (names.empty() ? "" : ", ") + name;
    return Report({"cannot delete the data",
                   tenants.empty() ? data_dir_ + " has no tenants" : "it has the tenants " + names,
                   tenants.empty() ? "omit --tenant" : "--tenant with one of these"},
                  kFailed);
  }
  if (!is_limited)
    return DeleteTenant();
  const auto query = ReadDeleteQuery();
  if (!query.ok())
    return Fail(query.status());
  const auto deleted = store::DeleteData(
      tenant_.empty() ? data_dir_ : server::TenantDirectory(data_dir_, tenant_), *query);
  if (!deleted.ok())
    return Fail(deleted.status());
  const nlohmann::ordered_json json = DeletedJson(*deleted, is_dry_run_);
  if (format_ == ReportFormat::kText) {
    fmt::print("{}", DeletedText(*deleted, is_dry_run_));
  } else if (format_ == ReportFormat::kJson) {
    fmt::print("{}", JsonText(json));
  } else {
    ReportRows rows({"what", "count"});
    for (const char* const name :
         {"series", "chunks", "spans", "log_records", "metric_series", "points"})
      rows.Add({std::string(name), json[name].get<int64_t>()});
    fmt::print("{}", rows.In(format_));
  }
  return kSuccess;
}

}  // namespace flarestack::cli

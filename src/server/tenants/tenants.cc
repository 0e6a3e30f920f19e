// SPDX-License-Identifier: Apache-2.0
#include "server/tenants/tenants.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/status.h"
#include "net/tenant_name.h"

namespace flarestack::server {
namespace {

constexpr std::string_view kFolder = "tenants";

// Returns nullopt if the header is missing.
absl::StatusOr<std::optional<std::string>> NameInHeader(const net::HttpHeaders& headers) {
  std::optional<std::string> name;
  for (const auto& [key, value] : headers) {
    if (!net::EqualsIgnoringCase(key, kTenantHeader))
      continue;
    // A proxy may have added one of them, and we cannot know which one applies.
    if (name.has_value() && *name != value)
      return absl::InvalidArgumentError(base::StrCat(kTenantHeader, " names more than one tenant"));
    FLARE_RETURN_IF_ERROR(base::WithContext(kTenantHeader, net::CheckTenantName(value)));
    name = value;
  }
  return name;
}

}  // namespace

bool MayUse(const net::Principal& principal, std::string_view tenant) {
  const std::vector<std::string>& bound = principal.tenants;
  return bound.empty() || std::find(bound.begin(), bound.end(), tenant) != bound.end();
}

std::string TenantDirectory(const std::string& data_dir, std::string_view name) {
  return base::StrCat(data_dir, "/", kFolder, "/", name);
}

std::vector<std::string> TenantNames(const std::string& data_dir) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(TenantDirectory(data_dir, ""), ignored)) {
    std::string name = entry.path().filename().string();
    if (entry.is_directory(ignored) && store::HoldsStore(entry.path().string()) &&
        net::CheckTenantName(name).ok()) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::unique_ptr<Tenants>> Tenants::Open(TenantsOptions options) {
  std::unique_ptr<Tenants> tenants(new Tenants(std::move(options)));
  FLARE_RETURN_IF_ERROR(tenants->OpenExisting());
  return tenants;
}

absl::Status Tenants::OpenExisting() {
  const std::string& directory = options_.directory;
  const std::vector<std::string> names = TenantNames(directory);
  if (!options_.is_on) {
    if (!names.empty()) {
      return absl::FailedPreconditionError(
          base::StrCat("the data directory ", directory, " was used with --tenants"));
    }
    return OpenStore("").status();
  }
  FLARE_ASSIGN(directory_lock_, store::LockDirectory(directory));
  if (store::HoldsStore(directory)) {
    return absl::FailedPreconditionError(
        base::StrCat("the data directory ", directory, " was used without --tenants"));
  }
  const auto stores_max = std::max(options_.tenants_max, static_cast<uint32_t>(names.size()));
  // At least two: a single store must leave memory for the next one.
  options_.store.memory =
      store::MakeStoreMemory(options_.store.memory_bytes_max, std::max(stores_max, 2u));
  for (const std::string& name : names)
    FLARE_RETURN_IF_ERROR(OpenStore(name).status());
  return absl::OkStatus();
}

absl::StatusOr<std::string> Tenants::NameFor(const Caller& caller) const {
  if (!is_on())
    return "";
  FLARE_ASSIGN(std::optional<std::string> name, NameInHeader(caller.headers));
  if (!name.has_value()) {
    if (caller.principal.tenants.size() == 1)
      return caller.principal.tenants.front();
    return absl::UnauthenticatedError(
        base::StrCat("missing header ", kTenantHeader, ", which names the tenant"));
  }
  if (!MayUse(caller.principal, *name)) {
    options_.log->Write(base::LogLevel::kWarn, "auth.refused",
                        {{"name", caller.principal.name}, {"reason", "bound to other tenants"}});
    return absl::PermissionDeniedError(
        base::StrCat("'", caller.principal.name, "' may not use tenant ", *name));
  }
  return *std::move(name);
}

absl::StatusOr<TenantData> Tenants::ForWriting(const std::string& name) {
  if (const TenantData found = Find(name); found.store != nullptr)
    return found;
  const base::MutexLock opening(opening_mutex_);
  if (const TenantData found = Find(name); found.store != nullptr)
    return found;
  if (All().size() >= options_.tenants_max) {
    return absl::ResourceExhaustedError(base::StrCat("tenant limit of ", options_.tenants_max,
                                                     " reached; tenant ", name, " is new"));
  }
  FLARE_ASSIGN(const TenantData opened, OpenStore(name));
  options_.log->Write(base::LogLevel::kInfo, "tenant.new", {{"tenant", name}});
  return opened;
}

std::vector<Tenants::Named> Tenants::All() const {
  const base::MutexLock lock(mutex_);
  std::vector<Named> all;
  all.reserve(tenants_.size());
  for (const auto& [name, tenant] : tenants_)
    all.push_back({name, tenant.store.get()});
  return all;
}

absl::StatusOr<TenantData> Tenants::OpenStore(const std::string& name) {
  store::RocksStoreOptions options = options_.store;
  options.directory = is_on() ? TenantDirectory(options_.directory, name) : options_.directory;
  options.on_reopening = [this, name](const absl::Status& status) { NoteReopening(name, status); };
  Tenant tenant;
  FLARE_ASSIGN(tenant.store, store::OpenRocksStore(options));
  if (options_.symbols.has_value()) {
    SymbolServiceOptions symbols = *options_.symbols;
    symbols.directory = options.directory + "/symbols";
    FLARE_ASSIGN(tenant.symbols, SymbolService::Open(symbols));
    tenant.names = std::make_unique<query::ProfileNames>(&tenant.symbols->symbolizer());
  }
  const base::MutexLock lock(mutex_);
  return tenants_.emplace(name, std::move(tenant)).first->second.data();
}

void Tenants::NoteReopening(std::string_view name, const absl::Status& status) const {
  options_.counters->Add("flarestack_store_reopenings_total",
                         {{"result", status.ok() ? "ok" : "failed"}}, 1);
  if (status.ok()) {
    options_.log->Write(base::LogLevel::kWarn, "store.reopened", {{"tenant", name}});
  } else {
    options_.log->Write(base::LogLevel::kError, "store.reopen_failed",
                        {{"tenant", name}, {"error", base::Message(status)}});
  }
}

TenantData Tenants::Find(const std::string& name) const {
  const base::MutexLock lock(mutex_);
  const auto found = tenants_.find(name);
  return found == tenants_.end() ? TenantData() : found->second.data();
}

SymbolService* Tenants::Symbols(const std::string& name) const {
  const base::MutexLock lock(mutex_);
  const auto found = tenants_.find(name);
  return found == tenants_.end() ? nullptr : found->second.symbols.get();
}

}  // namespace flarestack::server

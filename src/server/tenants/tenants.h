// SPDX-License-Identifier: Apache-2.0
//
// Whose data a request is about, and the store that holds it. With tenants each has a store of its
// own in DATA_DIR/tenants/NAME, and nothing of one can be seen by another; without, there is one
// store in DATA_DIR for everybody.
//
// Thread-safe. Stores are opened with the first data of a tenant and stay open until the end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/counters.h"
#include "base/event_log.h"
#include "base/mutex.h"
#include "net/http/http_message.h"
#include "net/principal.h"
#include "query/data/profile_names.h"
#include "server/symbols/symbol_service.h"
#include "store/rocks/rocks_store.h"
#include "store/store.h"

namespace flarestack::server {

inline constexpr std::string_view kTenantHeader = "X-Scope-OrgID";

struct TenantsOptions {
  std::string directory;  // DATA_DIR
  bool is_on = false;
  uint32_t tenants_max = 100;
  store::RocksStoreOptions store;  // of each; directory and memory are filled in
  // Of each, where names are looked for at all; the directory is filled in.
  std::optional<SymbolServiceOptions> symbols;
  // Both must be set, and outlive the tenants.
  base::Counters* counters = nullptr;
  base::EventLog* log = nullptr;
};

// What a request says about who sent it: its headers, or the metadata of a call.
struct Caller {
  const net::HttpHeaders& headers;
  const net::Principal& principal;
};

// Whether the credentials are for this tenant, or for all.
bool MayUse(const net::Principal& principal, std::string_view tenant);

// What a tenant has. Both are null for one without data; names also where none are looked up.
struct TenantData {
  store::Store* store = nullptr;
  query::ProfileNames* names = nullptr;
};

class Tenants {
 public:
  // Opens the stores that are there. kFailedPrecondition when the directory was used in the other
  // mode, or is in use.
  static absl::StatusOr<std::unique_ptr<Tenants>> Open(TenantsOptions options);

  bool is_on() const { return options_.is_on; }
  uint32_t tenants_max() const { return options_.tenants_max; }

  // Empty when tenants are off. kUnauthenticated when the header is missing, kInvalidArgument for
  // what is no name, kPermissionDenied when the credentials are bound to other tenants.
  absl::StatusOr<std::string> NameFor(const Caller& caller) const;

  // Makes the store of a tenant that is new. kResourceExhausted when there are too many.
  absl::StatusOr<TenantData> ForWriting(const std::string& name);

  // Creates nothing.
  TenantData ForReading(const std::string& name) const { return Find(name); }

  // Null for a tenant without data, and where names are not looked for.
  SymbolService* Symbols(const std::string& name) const;

  struct Named {
    std::string name;
    store::Store* store = nullptr;
  };
  std::vector<Named> All() const;  // by name

 private:
  explicit Tenants(TenantsOptions options) : options_(std::move(options)) {}
  absl::Status OpenExisting();
  absl::StatusOr<TenantData> OpenStore(const std::string& name);
  void NoteReopening(std::string_view name, const absl::Status& status) const;
  TenantData Find(const std::string& name) const;

  struct Tenant {
    TenantData data() const { return {.store = store.get(), .names = names.get()}; }

    std::unique_ptr<SymbolService> symbols;  // first: the names use it
    std::unique_ptr<query::ProfileNames> names;
    std::unique_ptr<store::Store> store;
  };

  TenantsOptions options_;
  std::shared_ptr<void> hold_;  // on the directory of all
  base::Mutex opening_mutex_;   // held while a store is opened, which takes a while
  mutable base::Mutex mutex_;
  std::map<std::string, Tenant, std::less<>> tenants_ FLARE_GUARDED_BY(mutex_);
};

// The names of the tenants in a data directory, sorted; none where it has none.
std::vector<std::string> TenantNames(const std::string& data_dir);
std::string TenantDirectory(const std::string& data_dir, std::string_view name);

}  // namespace flarestack::server

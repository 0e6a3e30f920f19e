// SPDX-License-Identifier: Apache-2.0
//
// The table of API endpoints, one row per endpoint. Routes, parameter checks and the OpenAPI
// document are all generated from it, so they always agree.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/counters.h"
#include "base/memory/byte_budget.h"
#include "net/http/http_message.h"
#include "net/http/http_router.h"
#include "net/principal.h"
#include "query/data/data_source.h"
#include "store/store.h"

namespace flarestack::server {
struct Guide;
class HealthSource;
class ScratchUploads;
class SourceService;
class SymbolService;
}  // namespace flarestack::server

namespace flarestack::server::api {

using Json = nlohmann::ordered_json;  // keeps members in insertion order

inline constexpr std::string_view kPrefix = "/api/v1";

// Select the upload that a request reads, and the one for its baseline.
inline constexpr std::string_view kScratchParameter = "scratch";
inline constexpr std::string_view kBaselineScratchParameter = "b.scratch";

struct Parameter {
  enum class Kind { kText, kNumber, kTexts };  // kTexts: may be repeated

  std::string_view name;
  Kind kind = Kind::kText;
  std::string_view summary;
  std::string_view fallback = {};  // the default
};

// The data that a request reads: everything a tenant has stored, or one of its uploads.
struct DataSet {
  store::Store* store = nullptr;               // null: there is no data
  query::ProfileNames* names = nullptr;        // null: frames keep their addresses
  store::NoteStore* notes = nullptr;           // null: there are none, and none can be added
  const query::DataSource* source = {};        // the above, within the bounds of the request
  std::optional<store::TimeRange> range = {};  // time range of an upload, whose data never changes
  std::shared_ptr<const void> hold = {};       // keeps the upload alive while it is read
  std::string default_type = {};  // "inuse_space:bytes"; empty: query::DefaultType selects it
};

// One request, as an endpoint handler sees it.
struct Call {
  DataSet data;
  std::optional<DataSet> baseline = {};  // of a comparison, if it reads other data
  std::string tenant = {};               // empty without tenants
  base::ByteBudget* budget = nullptr;    // memory for the response
  net::HttpRequest& request;
  uint64_t now_nanos = 0;
  SymbolService* symbols = nullptr;      // null: no symbolization
  ScratchUploads* scratch = nullptr;     // null: uploads are disabled
  SourceService* sources = nullptr;      // null: no source code
  const HealthSource* health = nullptr;  // null: unknown
  const Guide* guide = nullptr;          // null: none
  bool is_other_baseline = false;        // the time range of the first side does not apply
  // Reports progress of long work. Returns false when the deadline has passed or the client has
  // disconnected. Reads from source() call it automatically.
  std::function<bool(const store::ReadProgress&)> report = {};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  const query::DataSource& source() const { return *data.source; }

  // The same request for its baseline.
  Call OfBaseline() const {
    Call call = *this;
    if (baseline.has_value()) {
      call.data = *baseline;
      call.data.default_type = data.default_type;  // both sides use one type
      call.is_other_baseline = true;
    }
    return call;
  }

  std::optional<std::string_view> Find(std::string_view name) const {
    return request.query.Find(name);
  }
  std::string_view Text(std::string_view name, std::string_view fallback = {}) const {
    return Find(name).value_or(fallback);
  }
};

// How much was read for a response, and whether it is complete.
struct Scanned {
  uint64_t parts = 0;    // series or chunks of them
  uint64_t samples = 0;  // read individually; excludes samples summed in roll-ups
  std::string missing;   // the data missing from the response and why; empty: complete
};

struct Answer {
  Json json = Json::object();  // `meta` is added
  // If set, these bytes are the body and `meta` is sent as a header.
  std::string bytes = {};
  std::string content_type = {};
  Json empty = {};  // why the response is empty, if it is
  Scanned scanned = {};
  std::string location = {};  // set: redirect target, with status 302
};

using Handler = std::function<absl::StatusOr<Answer>(Call& call)>;

struct Endpoint {
  std::string_view method = "GET";
  std::string_view path;  // below `prefix`; {name} is a path parameter
  std::string_view summary;
  std::vector<Parameter> parameters;
  std::vector<std::string_view> media_types = {"application/json"};
  // Names of schema.h: a JSON response is one of them. None: JSON of another program's format.
  std::vector<std::string_view> responses = {};
  Handler handler;
  net::Role role = net::Role::kRead;
  std::string_view prefix = kPrefix;
  int status = 200;      // on success
  bool has_etag = true;  // GET only; false: the response may change without new data or names
  std::vector<std::string_view> body_types = {};  // of the request; empty: no body
  std::string_view timeout = "30s";               // default read timeout
  std::chrono::nanoseconds timeout_max = std::chrono::minutes(1);
};

// An error with a hint on how to fix it.
absl::Status WithHint(absl::Status status, std::string_view hint);
std::string HintOf(const absl::Status& status);

// Runs an endpoint: rejects unknown parameters, adds `meta` and ETag, compresses.
struct RunOptions {
  // The tenant of a request, and its store.
  std::function<absl::StatusOr<std::string>(const net::HttpRequest&)> find_tenant;
  std::function<DataSet(const std::string& tenant)> find_data;
  // The tenant's symbol service. `makes_tenant` creates a new tenant, for writes. May be null.
  std::function<absl::StatusOr<SymbolService*>(const std::string& tenant, bool makes_tenant)>
      find_symbols;
  base::ByteBudget* budget = nullptr;
  std::function<uint64_t()> now_nanos;
  ScratchUploads* scratch = nullptr;
  SourceService* sources = nullptr;
  const HealthSource* health = nullptr;
  const Guide* guide = nullptr;
  base::Counters* counters = nullptr;  // null: do not count
};
net::HttpRoute MakeRoute(Endpoint endpoint, RunOptions options);

}  // namespace flarestack::server::api

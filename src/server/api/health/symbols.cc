// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include <algorithm>

#include "base/status.h"
#include "elf/build_id.h"
#include "query/reports/nameless_costs.h"
#include "server/api/health/symbol_health.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"
#include "server/symbols/symbol_service.h"
#include "symbol/file_facts.h"
#include "symbol/file_ids.h"

namespace flarestack::server::api {
namespace {

using Kind = Parameter::Kind;

constexpr uint64_t kModulesMax = 1000;

absl::Status NoSymbolsHere() {
  return WithHint(absl::NotFoundError("no symbol data yet"),
                  "symbols are looked up when profiles arrive; send some, or push a file");
}

absl::StatusOr<std::string> ReadKey(const Call& call) {
  std::string key(call.request.path_parameters.Find("id").value_or(""));
  if (!elf::IsSafeBuildId(key)) {
    return WithHint(
        absl::InvalidArgumentError("not a build id"),
        "use hexadecimal digits as printed by `file` and `readelf -n`, or go-HEX, htl-HEX");
  }
  return key;
}

absl::StatusOr<Answer> GetHealth(Call& call) {
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  FLARE_ASSIGN(const uint64_t limit,
               ReadNumber(call, "limit", {.fallback = 100, .min = 1, .max = kModulesMax}));
  ScopeReader reader(call);
  const query::ReadLimits limits = reader.Limits();
  FLARE_ASSIGN(const query::NamelessCosts costs, query::ReadNameless(call.source(), scope, limits));
  Json modules = Json::array();
  for (const query::NamelessModule& module : costs.modules) {
    if (modules.size() >= limit)
      break;
    const std::string key = module.module.Key();
    const symbol::ModuleState state = call.symbols != nullptr && !key.empty()
                                          ? call.symbols->symbolizer().State(key)
                                          : symbol::ModuleState();
    modules.push_back(NamelessJson(module, state, costs.total));
  }
  Answer response;
  response.json = {{"type", costs.type},
                   {"total", costs.total},
                   {"nameless", costs.nameless},
                   {"share", costs.total == 0 ? 0.0
                                              : static_cast<double>(costs.nameless) /
                                                    static_cast<double>(costs.total)},
                   {"modules", std::move(modules)},
                   {"module_count", costs.modules.size()}};
  response.scanned = ScannedFrom(costs.extent);
  return response;
}

Json FileJson(const symbol::UploadedFile& file) {
  Json ids = Json::object();
  for (const symbol::FileId& id : file.record.ids)
    ids[id.kind == symbol::IdKind::kGnu  ? "gnu"
        : id.kind == symbol::IdKind::kGo ? "go"
                                         : "htlhash"] = id.text;
  return {{"id", file.key},
          {"kind", file.kind == symbol::UploadKind::kExecutable ? "executable" : "debuginfo"},
          {"name", file.record.name},
          {"bytes", file.record.bytes},
          {"sha256", file.record.sha256},
          {"time", std::to_string(file.record.time_nanos)},
          {"build_ids", std::move(ids)}};
}

// True if any of its ids has this key.
bool IsOf(const symbol::UploadedFile& file, const std::string& key) {
  return file.key == key || std::ranges::any_of(file.record.ids, [&](const symbol::FileId& id) {
           return symbol::KeyOf(id) == key;
         });
}

absl::StatusOr<Answer> ListFiles(Call& call) {
  Json files = Json::array();
  if (call.symbols != nullptr) {
    for (const symbol::UploadedFile& file : call.symbols->uploads().List())
      files.push_back(FileJson(file));
  }
  return Answer{.json = {{"files", std::move(files)}}};
}

absl::StatusOr<Answer> GetModule(Call& call) {
  FLARE_ASSIGN(const std::string key, ReadKey(call));
  if (call.symbols == nullptr)
    return NoSymbolsHere();
  const symbol::ModuleState state = call.symbols->symbolizer().State(key);
  Json files = Json::array();
  for (const symbol::UploadedFile& file : call.symbols->uploads().List()) {
    if (IsOf(file, key))
      files.push_back(FileJson(file));
  }
  return Answer{.json = {{"id", key},
                         {"state", StateName(state.kind)},
                         {"module", state.path},
                         {"functions", state.function_count},
                         {"table_bytes", state.table_bytes},
                         {"attempts", AttemptsJson(state)},
                         {"files", std::move(files)}}};
}

// Drops cached results for the file under each of its ids.
void Forget(SymbolService& symbols, const std::string& key,
            const std::vector<symbol::FileId>& ids) {
  symbols.symbolizer().Forget(key);
  for (const symbol::FileId& id : ids)
    symbols.symbolizer().Forget(symbol::KeyOf(id));
}

// Debug files pushed before their shared file (dwz) have incomplete tables, so build them again.
void RenewThoseThatShare(SymbolService& symbols, const std::vector<symbol::FileId>& shared_ids) {
  const std::string shared = symbol::IdText(shared_ids, symbol::IdKind::kGnu);
  for (const symbol::UploadedFile& file : symbols.uploads().List()) {
    const auto files = symbols.uploads().Find({.ids = file.record.ids, .path = ""});
    if (shared.empty() || !files.ok() || files->debug_file.empty())
      continue;
    const auto facts = symbol::ReadFileFacts(files->debug_file);
    if (!facts.ok() || facts->supplementary_id != shared)
      continue;
    Forget(symbols, file.key, file.record.ids);
    symbols.symbolizer().Want({.ids = file.record.ids, .path = ""});
  }
}

absl::StatusOr<Answer> PutFile(Call& call) {
  FLARE_ASSIGN(const std::string key, ReadKey(call));
  if (call.symbols == nullptr)
    return NoSymbolsHere();
  const std::string_view body = call.request.body;
  symbol::NewUpload upload = {.key = key,
                              .sha256 = std::string(call.Text("sha256")),
                              .name = std::string(call.Text("name"))};
  FLARE_ASSIGN(upload.total_bytes, ReadNumber(call, "total", {.fallback = body.size(), .min = 1}));
  FLARE_ASSIGN(const uint64_t offset, ReadNumber(call, "offset", {}));
  FLARE_RETURN_IF_ERROR(call.symbols->Admit());
  symbol::Uploads& uploads = call.symbols->uploads();
  const uint64_t total = upload.total_bytes;
  FLARE_ASSIGN(const std::string id, uploads.Begin(std::move(upload)));
  FLARE_ASSIGN(uint64_t received, uploads.Received(id));
  if (!body.empty()) {
    const auto appended = uploads.Append(id, offset, body);
    if (!appended.ok()) {
      return WithHint(appended.status(), base::StrCat("continue with offset=", received,
                                                      "; a PUT without a body returns the offset"));
    }
    received = *appended;
  }
  if (received < total)
    return Answer{.json = {{"id", key}, {"received", received}, {"total", total}, {"done", false}}};
  FLARE_ASSIGN(const symbol::UploadedFile file, uploads.Finish(id));
  Forget(*call.symbols, key, file.record.ids);
  // Omits the path: the name is a path of the sender, not of this host.
  call.symbols->symbolizer().Want({.ids = file.record.ids, .path = ""});
  RenewThoseThatShare(*call.symbols, file.record.ids);
  Json json = FileJson(file);
  json["received"] = received;
  json["total"] = total;
  json["done"] = true;
  return Answer{.json = std::move(json)};
}

absl::StatusOr<Answer> DeleteFile(Call& call) {
  FLARE_ASSIGN(const std::string key, ReadKey(call));
  if (call.symbols == nullptr)
    return NoSymbolsHere();
  std::vector<symbol::FileId> ids;
  for (const symbol::UploadedFile& file : call.symbols->uploads().List()) {
    if (IsOf(file, key))
      ids.insert(ids.end(), file.record.ids.begin(), file.record.ids.end());
  }
  FLARE_RETURN_IF_ERROR(call.symbols->uploads().Remove(key));
  Forget(*call.symbols, key, ids);
  return Answer{.json = {{"id", key}, {"removed", true}}};
}

}  // namespace

std::vector<Endpoint> SymbolEndpoints() {
  return {
      {.path = "/symbols/health",
       .summary = "modules missing symbols, with cost, cause and fix",
       .parameters = ScopeParameters({{.name = "limit",
                                       .kind = Kind::kNumber,
                                       .summary = "maximum modules",
                                       .fallback = "100"}}),
       .responses = {"SymbolHealth"},
       .handler = GetHealth,
       .has_etag = false},
      {.path = "/symbols",
       .summary = "list pushed executables and debug files",
       .parameters = {},
       .responses = {"SymbolFiles"},
       .handler = ListFiles,
       .has_etag = false},
      {.path = "/symbols/{id}",
       .summary = "symbol status of a module: lookups tried, and files",
       .parameters = {},
       .responses = {"SymbolModule"},
       .handler = GetModule,
       .has_etag = false},
      {.method = "PUT",
       .path = "/symbols/{id}",
       .summary = "upload an executable or debug file with this build id, whole or in parts",
       .parameters = {{.name = "sha256", .summary = "SHA-256 of the whole file, in hexadecimal"},
                      {.name = "total",
                       .kind = Kind::kNumber,
                       .summary = "size of the whole file in bytes",
                       .fallback = "those of the body"},
                      {.name = "offset",
                       .kind = Kind::kNumber,
                       .summary = "offset of this part in the file",
                       .fallback = "0"},
                      {.name = "name", .summary = "file name to display"}},
       .responses = {"SymbolUpload"},
       .handler = PutFile,
       .role = net::Role::kWrite,
       .body_types = {"application/octet-stream"}},
      {.method = "DELETE",
       .path = "/symbols/{id}",
       .summary = "delete the files of a build id and the symbols from them",
       .parameters = {},
       .responses = {"Removed"},
       .handler = DeleteFile,
       .role = net::Role::kWrite}};
}

}  // namespace flarestack::server::api

// SPDX-License-Identifier: Apache-2.0
#include "server/api/scratch.h"

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/status.h"
#include "query/scope/catalogue.h"
#include "query/scope/profile_scope.h"
#include "server/api/endpoints.h"
#include "server/api/parameters.h"

namespace flarestack::server::api {
namespace {

constexpr size_t kNameBytesMax = 1024;
constexpr uint64_t kLifeMin = base::kNanosPerSecond;
constexpr uint64_t kLifeMax = 7 * base::kNanosPerDay;

absl::Status NoUploadsHere() {
  return WithHint(absl::NotFoundError("uploads are disabled on this server"),
                  "it was started with --max-scratch-bytes 0");
}

absl::StatusOr<Json> UploadJson(const Upload& upload) {
  FLARE_ASSIGN(const auto services, query::ListServices(query::DataSource(upload.store.get()), {}));
  Json names = Json::array();
  std::set<std::string> types;
  for (const query::Service& service : services) {
    names.push_back(service.name);
    types.insert(service.types.begin(), service.types.end());
  }
  std::string default_type = upload.default_type;
  if (default_type.empty()) {
    FLARE_ASSIGN(default_type, query::DefaultType(query::DataSource(upload.store.get()), {}));
  }
  return Json{{"id", upload.id},
              {"name", upload.name},
              {"expires", std::to_string(upload.expires_nanos)},
              {"format", upload.format},
              {"samples", upload.samples},
              {"from", std::to_string(upload.range.from)},
              {"to", std::to_string(upload.range.to)},
              {"types", types},
              {"default_type", default_type},
              {"services", std::move(names)},
              {"disk_bytes", upload.disk_bytes},
              {"warnings", upload.warnings}};
}

absl::StatusOr<uint64_t> ReadLife(const Call& call) {
  FLARE_ASSIGN(const uint64_t life, ReadDuration(call, "ttl", "24h"));
  if (life < kLifeMin || life > kLifeMax)
    return absl::InvalidArgumentError("`ttl` must be from 1s to 7d");
  return life;
}

absl::Status Explain(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) {
    return WithHint(
        status, "delete an upload (DELETE /api/v1/scratch/ID), use a smaller file, or retry later");
  }
  if (absl::IsInvalidArgument(status)) {
    return WithHint(status,
                    "send the file itself as the body: OTLP, pprof, folded stacks or perf script "
                    "text, optionally compressed");
  }
  return status;
}

absl::StatusOr<Answer> AddUpload(Call& call) {
  if (call.scratch == nullptr)
    return NoUploadsHere();
  FLARE_ASSIGN(const uint64_t life, ReadLife(call));
  const std::string_view name = call.Text("name");
  if (name.size() > kNameBytesMax)
    return absl::InvalidArgumentError(
        base::StrCat("`name` must not have more than ", kNameBytesMax, " bytes"));
  const auto upload = call.scratch->Add({.tenant = call.tenant,
                                         .name = std::string(name),
                                         .bytes = std::move(call.request.body),
                                         .lease = &call.request.lease,
                                         .now_nanos = call.now_nanos,
                                         .life_nanos = life});
  if (!upload.ok())
    return Explain(upload.status());
  FLARE_ASSIGN(Json json, UploadJson(**upload));
  return Answer{.json = std::move(json)};
}

UploadName NameIn(const Call& call) {
  return {call.tenant, call.request.path_parameters.Find("id").value_or("")};
}

absl::Status NoSuchUpload() {
  return WithHint(absl::NotFoundError("no such upload"),
                  "it expired, was evicted, was lost in a server restart, or never existed; upload "
                  "the file again");
}

absl::StatusOr<Answer> GetUpload(Call& call) {
  FLARE_ASSIGN(const auto upload, FindUpload(call.scratch, NameIn(call), call.now_nanos));
  FLARE_ASSIGN(Json json, UploadJson(*upload));
  return Answer{.json = std::move(json)};
}

absl::StatusOr<Answer> RemoveUpload(Call& call) {
  if (call.scratch == nullptr)
    return NoUploadsHere();
  const UploadName name = NameIn(call);
  if (!call.scratch->Remove(name, call.now_nanos))
    return NoSuchUpload();
  return Answer{.json = {{"id", name.id}, {"removed", true}}};
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Upload>> FindUpload(const ScratchUploads* scratch,
                                                         const UploadName& name,
                                                         uint64_t now_nanos) {
  if (scratch == nullptr)
    return NoUploadsHere();
  std::shared_ptr<const Upload> upload = scratch->Find(name, now_nanos);
  if (upload == nullptr)
    return NoSuchUpload();
  return upload;
}

std::vector<Endpoint> ScratchEndpoints() {
  return {
      {.method = "POST",
       .path = "/scratch",
       .summary = "upload a profile in any format temporarily, to query with scratch=ID",
       .parameters = {{.name = "ttl", .summary = "time to live, from 1s to 7d", .fallback = "24h"},
                      {.name = "name", .summary = "file name to display"}},
       .responses = {"Scratch"},
       .handler = AddUpload,
       .status = 201,
       .body_types = {"application/octet-stream"}},
      {.path = "/scratch/{id}",
       .summary = "contents and expiry of an upload",
       .parameters = {},
       .responses = {"Scratch"},
       .handler = GetUpload},
      {.method = "DELETE",
       .path = "/scratch/{id}",
       .summary = "delete an upload",
       .parameters = {},
       .responses = {"Removed"},
       .handler = RemoveUpload}};
}

}  // namespace flarestack::server::api

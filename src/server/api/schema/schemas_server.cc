// SPDX-License-Identifier: Apache-2.0
//
// Responses of the endpoints about the server itself: health, uploads, short links, symbols.
#include "server/api/schema/schema.h"

namespace flarestack::server::api::schema {
namespace {

Schema HealthStore() {
  return Object(
      {{"state", OneOf({"open", "full", "unavailable"})},
       {"disk_bytes", Integer()},
       {"disk_limit_bytes", Integer(), "0: none"},
       {"memory_bytes", Integer()},
       {"waiting_bytes", Integer(), "not merged yet"},
       {"series", Integer()},
       {"series_limit", Integer()},
       {"stacks", Integer()},
       {"oldest", Nullable(Time())},
       {"newest", Nullable(Time())},
       {"signals", MapOf(Object({{"oldest", Nullable(Time())}, {"newest", Nullable(Time())}}))},
       {"reopened", Integer()},
       {"reopen_failed", Integer()}});
}

NamedSchema HealthSchema() {
  const Schema problem = Object({{"severity", OneOf({"info", "warning", "error"})},
                                 {"code", Text()},
                                 {"message", Text()},
                                 {"advice", Text()}});
  const Schema drop = Object({{"what", Text()},
                              {"signal", Text(), "may be empty"},
                              {"port", Text(), "may be empty"},
                              {"reason", Text()},
                              {"count", Integer()}});
  const Schema sender = Object({{"host", Text()},
                                {"service", Text()},
                                {"requests", Integer()},
                                {"failed", Integer()},
                                {"bytes", Integer()},
                                {"last_seen", Nullable(Time())},
                                {"last_error", Text(), "may be empty"}});
  return Response("Health",
                  {{"status", OneOf({"ok", "warning", "error"})},
                   {"problems", ListOf(problem), "worst first"},
                   {"version", Text()},
                   {"started", Time()},
                   {"uptime_seconds", Integer()},
                   {"ingest", MapOf(Named("Ingested")), "by signal"},
                   {"drops", ListOf(drop)},
                   {"senders", ListOf(sender)},
                   {"senders_forgotten", Integer()},
                   {"store", HealthStore()},
                   {"scratch", Object({{"uploads", Integer()},
                                       {"disk_bytes", Integer()},
                                       {"disk_limit_bytes", Integer()}})},
                   {"memory", Object({{"resident_bytes", Integer()},
                                      {"limit_bytes", Integer()},
                                      {"requests_bytes", Integer(), "used by requests now"},
                                      {"requests_bytes_max", Integer(), "the most so far"},
                                      {"requests_bytes_limit", Integer()}})},
                   {"listening", Object({{"scheme", OneOf({"http", "https"})},
                                         {"otlp_grpc_port", Integer(), "0: not yet"},
                                         {"otlp_http_port", Integer(), "0: not yet"}})}});
}

Schema ModuleStateName() { return OneOf({"unknown", "waiting", "ready", "missing", "failed"}); }

Schema UploadKind() { return OneOf({"executable", "debuginfo"}); }

std::vector<NamedSchema> SymbolSchemas() {
  const Schema attempt = Object({{"source", Text()}, {"outcome", Text()}, {"found", Boolean()}});
  return {
      {"SymbolHealthModule", Object({{"module", Text()},
                                     {"key", Text(), "build id; may be empty"},
                                     {"build_ids", ListOf(Text())},
                                     {"total", Integer(), "cost of stacks with such a frame"},
                                     {"self", Integer()},
                                     {"share", Number()},
                                     {"self_share", Number()},
                                     {"addresses", Integer()},
                                     {"state", ModuleStateName()},
                                     {"reason", Text()},
                                     {"fix", Text()}})},
      Response("SymbolHealth", {{"type", Text()},
                                {"total", Integer()},
                                {"nameless", Integer(), "cost of stacks without symbols"},
                                {"share", Number()},
                                {"modules", ListOf(Named("SymbolHealthModule"))},
                                {"module_count", Integer()}}),
      {"SymbolFile", Object({{"id", Text()},
                             {"kind", UploadKind()},
                             {"name", Text()},
                             {"bytes", Integer()},
                             {"sha256", Text()},
                             {"time", Time(), "of the upload"},
                             {"build_ids", MapOf(Text()), "by kind: gnu, go, htlhash"}})},
      Response("SymbolFiles", {{"files", ListOf(Named("SymbolFile"))}}),
      Response("SymbolModule", {{"id", Text()},
                                {"state", ModuleStateName()},
                                {"module", Text()},
                                {"functions", Integer()},
                                {"table_bytes", Integer()},
                                {"attempts", ListOf(attempt), "lookups, in order"},
                                {"files", ListOf(Named("SymbolFile"))}}),
      Response("SymbolUpload", {{"id", Text()},
                                {"received", Integer()},
                                {"total", Integer()},
                                {"done", Boolean(), "true: also has the fields of SymbolFile"},
                                Optional("kind", UploadKind()),
                                Optional("name", Text()),
                                Optional("bytes", Integer()),
                                Optional("sha256", Text()),
                                Optional("time", Time()),
                                Optional("build_ids", MapOf(Text()))}),
  };
}

}  // namespace

std::vector<NamedSchema> ServerSchemas() {
  std::vector<NamedSchema> all = {
      Response("Scratch", {{"id", Text()},
                           {"name", Text(), "of the file; may be empty"},
                           {"expires", Time()},
                           {"format", Text()},
                           {"samples", Integer()},
                           {"from", Time()},
                           {"to", Time()},
                           {"types", ListOf(Text()), "NAME:UNIT"},
                           {"default_type", Text()},
                           {"services", ListOf(Text())},
                           {"disk_bytes", Integer()},
                           {"warnings", ListOf(Text())}}),
      Response("Removed", {{"id", Text()}, {"removed", Boolean()}}),
      Response("ShortLink", {{"id", Text()},
                             {"url", Text(), "path of the short link"},
                             {"target", Text(), "path and query of its target"}}),
      {"Ingested", Object({{"requests", Integer()},
                           {"failed", Integer()},
                           {"items", Integer()},
                           {"rejected", Integer()},
                           {"bytes", Integer()},
                           {"last_seen", Nullable(Time()), "null: nothing received yet"}})},
      HealthSchema(),
      {"GuideStep", Object({{"title", Text()},
                            {"text", Text()},
                            {"path", Text(), "address of a page; may be empty"}})},
      Response("Guide", {{"title", Text()}, {"steps", ListOf(Named("GuideStep"))}}),
  };
  const std::vector<NamedSchema> symbols = SymbolSchemas();
  all.insert(all.end(), symbols.begin(), symbols.end());
  return all;
}

}  // namespace flarestack::server::api::schema

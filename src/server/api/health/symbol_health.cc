// SPDX-License-Identifier: Apache-2.0
#include "server/api/health/symbol_health.h"

#include "base/text/text.h"

namespace flarestack::server::api {
namespace {

using Kind = symbol::ModuleState::Kind;

std::string NameOf(const symbol::Module& module) {
  return module.path.empty() ? module.Key() : module.path;
}

std::string PushCommand(const symbol::Module& module) {
  return base::StrCat("flarestack symbols push FILE --server URL    with the file of ",
                      NameOf(module), " that has symbols: the unstripped file, or its debug file");
}

std::string TriedText(const symbol::ModuleState& state) {
  std::string text;
  for (const symbol::Attempt& attempt : state.attempts)
    base::StrAppend(&text, text.empty() ? "" : "; ", attempt.source, ": ", attempt.outcome);
  return text;
}

}  // namespace

std::string_view StateName(Kind kind) {
  switch (kind) {
    case Kind::kUnknown:
      return "unknown";
    case Kind::kWaiting:
      return "waiting";
    case Kind::kReady:
      return "ready";
    case Kind::kMissing:
      return "missing";
    case Kind::kFailed:
      return "failed";
  }
  return "unknown";
}

Json AttemptsJson(const symbol::ModuleState& state) {
  Json attempts = Json::array();
  for (const symbol::Attempt& attempt : state.attempts) {
    attempts.push_back(
        {{"source", attempt.source}, {"outcome", attempt.outcome}, {"found", attempt.is_found}});
  }
  return attempts;
}

NamelessReason ReasonFor(const symbol::Module& module, const symbol::ModuleState& state) {
  if (module.Key().empty()) {
    return {"the profiler sent no build id for it, so the file is unknown",
            "build it with a build id (-Wl,--build-id), or let the profiler symbolize"};
  }
  switch (state.kind) {
    case Kind::kUnknown:
      return {"not looked up yet", "retry in a moment"};
    case Kind::kWaiting:
      return {"symbol lookup in progress", "retry in a moment"};
    case Kind::kReady:
      return {"its symbols do not cover these addresses", PushCommand(module)};
    case Kind::kMissing:
      return {base::StrCat("no symbols found: ", TriedText(state)), PushCommand(module)};
    case Kind::kFailed:
      return {base::StrCat("its files could not be read: ", TriedText(state)), PushCommand(module)};
  }
  return {};
}

Json NamelessJson(const query::NamelessModule& module, const symbol::ModuleState& state,
                  int64_t total) {
  const auto share = [&](int64_t value) {
    return total == 0 ? 0.0 : static_cast<double>(value) / static_cast<double>(total);
  };
  Json ids = Json::array();
  for (const symbol::FileId& id : module.module.ids)
    ids.push_back(id.text);
  NamelessReason why = ReasonFor(module.module, state);
  return {{"module", module.module.path},
          {"key", module.module.Key()},
          {"build_ids", std::move(ids)},
          {"total", module.total},
          {"self", module.self},
          {"share", share(module.total)},
          {"self_share", share(module.self)},
          {"addresses", module.addresses},
          {"state", StateName(state.kind)},
          {"reason", std::move(why.reason)},
          {"fix", std::move(why.fix)}};
}

}  // namespace flarestack::server::api

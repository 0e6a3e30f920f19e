// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/mcp_session.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "cli/command/command.h"

namespace flarestack::cli {
namespace {

using Json = nlohmann::ordered_json;
// Objects as trees: lookup in a message with a hundred thousand members must not be quadratic.
using Message = nlohmann::json;

constexpr std::array<std::string_view, 3> kVersions = {"2025-06-18", "2025-03-26", "2024-11-05"};

constexpr char kInstructions[] =
    "Read-only queries to a Flarestack server with profiles, traces, logs and metrics. Start with "
    "services. Selectors look like {service.name=\"cart\"}, times like now-1h or "
    "2026-03-01T12:00:00Z. flame_subtree shows the hash of each call path; root=HASH zooms into "
    "that path.";

enum ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
};

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json Envelope(const Json& id) { return {{"jsonrpc", "2.0"}, {"id", id}}; }

Json ErrorObject(int code, std::string_view message) {
  return {{"error", {{"code", code}, {"message", message}}}};
}

std::string ErrorLine(const Json& id, int code, std::string_view message) {
  Json response = Envelope(id);
  response.update(ErrorObject(code, message));
  return Dump(response);
}

// Copying or printing deeply nested JSON recurses and would overflow the stack.
bool IsTooDeep(std::string_view text) {
  size_t depth = 0;
  bool is_in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      i += c == '\\' ? 1 : 0;
      is_in_string = c != '"';
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > McpSession::kDepthMax)
        return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

// A string or a number, as JSON-RPC requires; null for anything else.
Json IdOf(const Message& message) {
  const auto id = message.find("id");
  if (id == message.end())
    return nullptr;
  if (id->is_string())
    return id->get<std::string>();
  if (id->is_number_unsigned())
    return id->get<uint64_t>();
  if (id->is_number_integer())
    return id->get<int64_t>();
  return id->is_number_float() ? Json(id->get<double>()) : Json();
}

std::string TextAt(const Message& object, const char* name) {
  if (!object.is_object())
    return "";
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

Json Initialize(const Message& params) {
  const std::string wanted = TextAt(params, "protocolVersion");
  const auto version = std::ranges::find(kVersions, wanted);
  return {{"protocolVersion", version == kVersions.end() ? kVersions.front() : *version},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "flarestack"}, {"version", ProgramVersion()}}},
          {"instructions", kInstructions}};
}

std::string ArgumentText(const Message& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Message::error_handler_t::replace);
}

McpArguments ArgumentsOf(const Message& params) {
  McpArguments arguments;
  const auto given = params.find("arguments");
  if (given == params.end() || !given->is_object())
    return arguments;
  for (const auto& [name, value] : given->items()) {
    if (value.is_array()) {
      for (const Message& element : value)
        arguments[name].push_back(ArgumentText(element));
    } else if (!value.is_null()) {
      arguments[name].push_back(ArgumentText(value));
    }
  }
  return arguments;
}

}  // namespace

// {"result":...} or {"error":...}
nlohmann::ordered_json McpSession::Call(const nlohmann::json& params) const {
  const std::string name = TextAt(params, "name");
  const auto tool = std::ranges::find(tools_, name, &McpTool::name);
  if (tool == tools_.end())
    return ErrorObject(kInvalidParams, base::StrCat("unknown tool \"", name, "\""));
  const McpResult result = tool->call(ArgumentsOf(params));
  return {{"result",
           {{"content", Json::array({{{"type", "text"}, {"text", result.text}}})},
            {"isError", result.is_error}}}};
}

std::optional<std::string> McpSession::Answer(std::string_view line) const {
  if (IsTooDeep(line))
    return ErrorLine(nullptr, kParseError, "the message is nested too deeply");
  const Message message = Message::parse(line, nullptr, /*allow_exceptions=*/false);
  if (message.is_discarded())
    return ErrorLine(nullptr, kParseError, "the line is not JSON");
  if (!message.is_object())
    return ErrorLine(nullptr, kInvalidRequest,
                     "a message must be an object; batches are not supported");
  const std::string method = TextAt(message, "method");
  const bool is_answer = message.contains("result") || message.contains("error");
  if (method.empty() && is_answer)
    return std::nullopt;  // a response, but we never send requests
  const Json id = IdOf(message);
  if (!message.contains("id") && !method.empty())
    return std::nullopt;  // a notification
  if (method.empty() || id.is_null() || TextAt(message, "jsonrpc") != "2.0")
    return ErrorLine(id, kInvalidRequest, "a request needs jsonrpc 2.0, an id and a method");
  const auto found = message.find("params");
  const Message params = found == message.end() ? Message::object() : *found;
  Json response = Envelope(id);
  if (method == "initialize") {
    response["result"] = Initialize(params);
  } else if (method == "ping") {
    response["result"] = Json::object();
  } else if (method == "tools/list") {
    Json list = Json::array();
    for (const McpTool& tool : tools_) {
      list.push_back({{"name", tool.name},
                      {"description", tool.description},
                      {"inputSchema", tool.input_schema},
                      {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
    }
    response["result"] = {{"tools", std::move(list)}};
  } else if (method == "tools/call") {
    response.update(Call(params));
  } else {
    response.update(ErrorObject(kMethodNotFound, base::StrCat("unknown method ", method)));
  }
  return Dump(response);
}

std::string McpSession::AnswerToLongLine() {
  return ErrorLine(nullptr, kInvalidRequest,
                   base::StrCat("maximum line length: ", kLineBytesMax, " bytes"));
}

void LineSplitter::Feed(std::string_view bytes,
                        const std::function<void(std::optional<std::string_view>)>& take) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > bytes_max_) {
      is_too_long_ = true;
      line_.clear();
    }
    if (!is_too_long_)
      line_ += piece;
    if (end == std::string_view::npos)
      return;
    bytes.remove_prefix(end + 1);
    if (is_too_long_) {
      take(std::nullopt);
    } else {
      if (line_.ends_with('\r'))
        line_.pop_back();
      if (!line_.empty())
        take(line_);
    }
    line_.clear();
    is_too_long_ = false;
  }
}

}  // namespace flarestack::cli

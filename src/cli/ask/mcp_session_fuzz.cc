// SPDX-License-Identifier: Apache-2.0
//
// For any input, each request with an id gets one response: JSON on one line, with the same id.
// Notifications get none.
#include <string>

#include "base/check.h"
#include "cli/ask/mcp_session.h"

using flarestack::cli::LineSplitter;
using flarestack::cli::McpArguments;
using flarestack::cli::McpResult;
using flarestack::cli::McpSession;

namespace {

McpSession MakeSession() {
  return McpSession({{.name = "echo",
                      .description = "returns its arguments",
                      .input_schema = {{"type", "object"}},
                      .call = [](const McpArguments& arguments) {
                        McpResult result;
                        for (const auto& [name, values] : arguments) {
                          result.text += name;
                          for (const std::string& value : values)
                            result.text += value;
                        }
                        return result;
                      }}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const McpSession session = MakeSession();
  constexpr size_t kLineBytesMax = 4096;
  LineSplitter splitter(kLineBytesMax);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto take = [&](std::optional<std::string_view> line) {
    if (!line.has_value())
      return;
    FLARE_CHECK(line->size() <= kLineBytesMax, line->size());
    const auto response = session.Answer(*line);
    if (response.has_value()) {
      FLARE_CHECK(response->find('\n') == std::string::npos, *response);
      FLARE_CHECK(nlohmann::json::accept(*response), *response);
    }
    const auto message = nlohmann::json::parse(*line, nullptr, false);
    if (!message.is_object() || !message.contains("method") || !message["method"].is_string() ||
        message["method"].get<std::string>().empty())
      return;
    const auto parsed =
        response.has_value() ? nlohmann::json::parse(*response, nullptr, false) : nlohmann::json();
    // Input that is nested too deeply is rejected before it is parsed, so the response has no id.
    const bool is_rejected_unread = parsed.is_object() && parsed["id"].is_null();
    if (!message.contains("id")) {
      FLARE_CHECK(!response.has_value() || is_rejected_unread, *line);
      return;
    }
    FLARE_CHECK(response.has_value(), *line);
    if (message["id"].is_number_integer() && !is_rejected_unread)
      FLARE_CHECK(parsed["id"] == message["id"], *response);
  };
  // In two pieces: the position of the cut must not matter.
  splitter.Feed(bytes.substr(0, size / 2), take);
  splitter.Feed(bytes.substr(size / 2), take);
  splitter.Feed("\n", take);
  return 0;
}

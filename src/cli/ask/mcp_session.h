// SPDX-License-Identifier: Apache-2.0
//
// The server side of the Model Context Protocol: one line of JSON-RPC 2.0 in, at most one line out.
// Handles the messages and does not know the tools. Input is untrusted.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::cli {

// Arguments of a tool call, by name. A list has several values, everything else has one. Numbers
// and booleans are converted to text.
using McpArguments = std::map<std::string, std::vector<std::string>>;

struct McpResult {
  std::string text;
  bool is_error = false;  // the tool failed; the text explains it to the caller
};

struct McpTool {
  std::string name;
  std::string description;
  nlohmann::ordered_json input_schema;
  std::function<McpResult(const McpArguments&)> call;
};

class McpSession {
 public:
  static constexpr size_t kLineBytesMax = 1 << 20;
  static constexpr size_t kDepthMax = 32;

  explicit McpSession(std::vector<McpTool> tools) : tools_(std::move(tools)) {}

  // `line` is a message without its line break. Returns a response for every request with an id:
  // valid JSON on a single line, without a line break. Returns nullopt for notifications and
  // responses.
  std::optional<std::string> Answer(std::string_view line) const;

  // The response to a line longer than kLineBytesMax.
  static std::string AnswerToLongLine();

 private:
  nlohmann::ordered_json Call(const nlohmann::json& params) const;

  std::vector<McpTool> tools_;
};

// Splits bytes into lines. Drops a line that is too long and reports it once.
class LineSplitter {
 public:
  explicit LineSplitter(size_t bytes_max) : bytes_max_(bytes_max) {}

  // Calls `take` with each complete line, or with nullopt for one that was too long.
  void Feed(std::string_view bytes,
            const std::function<void(std::optional<std::string_view>)>& take);

 private:
  size_t bytes_max_;
  std::string line_;
  bool is_too_long_ = false;
};

}  // namespace flarestack::cli

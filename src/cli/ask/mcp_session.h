// SPDX-License-Identifier: Apache-2.0
//
// One end of the Model Context Protocol: a line of JSON-RPC 2.0 in, at most one line out. Knows the
// messages and not the tools. What comes in is not to be trusted.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::cli {

// What a tool was called with, by name. A list has several values, everything else has one; numbers
// and truth values are text here.
using McpArguments = std::map<std::string, std::vector<std::string>>;

struct McpResult {
  std::string text;
  bool is_error = false;  // the tool failed, which whoever asked is to read and to mend
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

  // A message without its line break. Every request with an id is answered, by valid JSON in one
  // line without a break; notifications and answers are not.
  std::optional<std::string> Answer(std::string_view line) const;

  // The answer to a line that is longer than kLineBytesMax.
  static std::string AnswerToLongLine();

 private:
  nlohmann::ordered_json Call(const nlohmann::json& params) const;

  std::vector<McpTool> tools_;
};

// Cuts bytes into lines. A line that is too long is dropped, and said to be so once.
class LineSplitter {
 public:
  explicit LineSplitter(size_t bytes_max) : bytes_max_(bytes_max) {}

  // Calls `take` with each complete line, or with nothing for one that was too long.
  void Feed(std::string_view bytes,
            const std::function<void(std::optional<std::string_view>)>& take);

 private:
  size_t bytes_max_;
  std::string line_;
  bool is_too_long_ = false;
};

}  // namespace flarestack::cli

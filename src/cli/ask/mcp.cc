// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "cli/ask/mcp_session.h"
#include "cli/ask/mcp_tools.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/input/api_client.h"

namespace flarestack::cli {
namespace {

// Serves the Model Context Protocol on standard input and output until end of input.
class McpCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  ApiClient client_{"http://127.0.0.1:4040"};
};

}  // namespace

void McpCommand::Define(CLI::App* app) {
  client_.DefineFlags(app, "Server");
  app->footer(
      "An MCP client starts this command to query profiles, traces, logs and metrics. Access is\n"
      "read-only. The server is http://127.0.0.1:4040 unless --server or FLARESTACK_SERVER is "
      "set.\n\n"
      "Examples:\n"
      "  flarestack mcp --server http://127.0.0.1:4040\n"
      "  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | flarestack mcp");
}

int McpCommand::Run() {
  const McpSession session(MakeMcpTools(client_));
  LineSplitter splitter(McpSession::kLineBytesMax);
  const auto print = [](const std::string& response) {
    std::fwrite(response.data(), 1, response.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);  // the client is waiting for it
  };
  const auto take = [&](std::optional<std::string_view> line) {
    if (!line.has_value()) {
      print(McpSession::AnswerToLongLine());
    } else if (const auto response = session.Answer(*line)) {
      print(*response);
    }
  };
  std::array<char, 64 * 1024> buffer;
  while (std::ferror(stdout) == 0) {
    const ssize_t size = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0)
      return Report({"cannot read standard input", std::strerror(errno), ""}, kFailed);
    if (size == 0)
      break;
    splitter.Feed({buffer.data(), static_cast<size_t>(size)}, take);
  }
  splitter.Feed("\n", take);  // the last line may lack a line break
  return kSuccess;
}

std::unique_ptr<Command> MakeMcpCommand() { return std::make_unique<McpCommand>(); }

}  // namespace flarestack::cli

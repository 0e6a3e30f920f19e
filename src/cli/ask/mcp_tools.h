// SPDX-License-Identifier: Apache-2.0
//
// The tools that `flarestack mcp` offers: questions to the API of a server, each with a short text
// as its answer.
#pragma once

#include <vector>

#include "cli/ask/mcp_session.h"
#include "cli/input/api_client.h"

namespace flarestack::cli {

// An answer is cut to so many bytes, at the end of a line.
inline constexpr size_t kMcpTextBytesMax = 8000;

// They use `client`, which must outlive them.
std::vector<McpTool> MakeMcpTools(const ApiClient& client);

// At most `bytes_max` bytes of whole lines; "... N more lines" where some are missing.
std::string CutLines(std::string text, size_t bytes_max);

}  // namespace flarestack::cli

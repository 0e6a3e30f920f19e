// SPDX-License-Identifier: Apache-2.0
//
// The tools of `flarestack mcp`: queries to the API of a server, each with a short text as its
// result.
#pragma once

#include <vector>

#include "cli/ask/mcp_session.h"
#include "cli/input/api_client.h"

namespace flarestack::cli {

// A result is cut to this many bytes, at the end of a line.
inline constexpr size_t kMcpTextBytesMax = 8000;

// The tools use `client`, which must outlive them.
std::vector<McpTool> MakeMcpTools(const ApiClient& client);

// At most `bytes_max` bytes of whole lines; ends with "... N more lines" if some were cut.
std::string CutLines(std::string text, size_t bytes_max);

}  // namespace flarestack::cli

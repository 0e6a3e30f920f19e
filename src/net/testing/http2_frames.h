// SPDX-License-Identifier: Apache-2.0
//
// HTTP/2 by hand, for calls that no gRPC library would make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flarestack::net {

inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string Http2Frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload);

inline constexpr uint8_t kHttp2EndStream = 1;
inline constexpr uint8_t kHttp2EndHeaders = 4;

// HEADERS that begin a call.
std::string GrpcHeadersFrame(uint32_t stream, std::string_view path,
                             const std::vector<std::pair<std::string, std::string>>& headers = {},
                             uint8_t flags = kHttp2EndHeaders);

// The bytes of one whole gRPC call on a new connection. `message` is the payload behind the five
// bytes that carry `compressed_flag` and its length.
std::string GrpcCallBytes(std::string_view path,
                          const std::vector<std::pair<std::string, std::string>>& headers,
                          uint8_t compressed_flag, std::string_view message);

}  // namespace flarestack::net

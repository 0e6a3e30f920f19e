// SPDX-License-Identifier: Apache-2.0
//
// Hand-made HTTP/2, for calls that no gRPC library would make.
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

// A HEADERS frame that begins a call.
std::string GrpcHeadersFrame(uint32_t stream, std::string_view path,
                             const std::vector<std::pair<std::string, std::string>>& headers = {},
                             uint8_t flags = kHttp2EndHeaders);

// The bytes of one complete gRPC call on a new connection. `message` is the payload after the
// five-byte prefix of `compressed_flag` and length.
std::string GrpcCallBytes(std::string_view path,
                          const std::vector<std::pair<std::string, std::string>>& headers,
                          uint8_t compressed_flag, std::string_view message);

}  // namespace flarestack::net

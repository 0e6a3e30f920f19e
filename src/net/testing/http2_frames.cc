// SPDX-License-Identifier: Apache-2.0
#include "net/testing/http2_frames.h"

#include "base/check.h"

namespace flarestack::net {
namespace {

constexpr uint8_t kData = 0;
constexpr uint8_t kHeaders = 1;
constexpr uint8_t kSettings = 4;

std::string BigEndian(uint32_t number, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(number >> shift));
  return out;
}

// HPACK: a literal without indexing, both strings plain and short.
std::string Literal(std::string_view name, std::string_view value) {
  FLARE_CHECK(name.size() < 127 && value.size() < 127);
  std::string out(1, '\0');
  out += static_cast<char>(name.size());
  out += name;
  out += static_cast<char>(value.size());
  out += value;
  return out;
}

}  // namespace

std::string Http2Frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
  std::string out = BigEndian(static_cast<uint32_t>(payload.size()), 3);
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  out += BigEndian(stream, 4);
  out += payload;
  return out;
}

std::string GrpcHeadersFrame(uint32_t stream, std::string_view path,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             uint8_t flags) {
  std::string block = Literal(":method", "POST") + Literal(":scheme", "http") +
                      Literal(":path", path) + Literal(":authority", "localhost") +
                      Literal("content-type", "application/grpc") + Literal("te", "trailers");
  for (const auto& [name, value] : headers)
    block += Literal(name, value);
  return Http2Frame(kHeaders, flags, stream, block);
}

std::string GrpcCallBytes(std::string_view path,
                          const std::vector<std::pair<std::string, std::string>>& headers,
                          uint8_t compressed_flag, std::string_view message) {
  std::string data(1, static_cast<char>(compressed_flag));
  data += BigEndian(static_cast<uint32_t>(message.size()), 4);
  data += message;
  return std::string(kHttp2Preface) + Http2Frame(kSettings, 0, 0, "") +
         GrpcHeadersFrame(1, path, headers) + Http2Frame(kData, kHttp2EndStream, 1, data);
}

}  // namespace flarestack::net

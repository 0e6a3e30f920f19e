// SPDX-License-Identifier: Apache-2.0
//
// HTTP framing: rejects requests whose end is ambiguous, and encodes the chunks of responses.
// Internal to the HTTP server; only http_connection.cc includes it.
#pragma once

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "net/http/http_server.h"
#include "net/rejection.h"

namespace flarestack::net {

using HttpParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

// Maps an error in parsing the head.
inline HttpRejection RejectionOfHead(const boost::system::error_code& error,
                                     const HttpParser& parser, const HttpLimits& limits) {
  namespace http = boost::beast::http;
  if (error == http::error::header_limit) {
    const bool is_in_request_line = parser.get().target().empty();
    return {is_in_request_line ? 414 : 431, RejectionReason::kHeadTooLarge,
            base::StrCat("the headers are larger than ", limits.header_bytes_max, " bytes")};
  }
  if (error == http::error::bad_version)
    return {505, RejectionReason::kBadHead, "only HTTP/1.1 and HTTP/1.0 are supported"};
  return {400, RejectionReason::kBadHead, base::StrCat("not an HTTP request: ", error.message())};
}

// Rejects requests about whose end two servers could disagree.
inline std::optional<HttpRejection> CheckFraming(const HttpParser& parser) {
  namespace http = boost::beast::http;
  const auto& head = parser.get();
  if (head.version() >= 11 && head.count(http::field::host) != 1)
    return HttpRejection{400, RejectionReason::kBadHead,
                         "an HTTP/1.1 request needs exactly one Host header"};
  const auto encoding = head[http::field::transfer_encoding];
  const bool is_plain_chunked = EqualsIgnoringCase({encoding.data(), encoding.size()}, "chunked") &&
                                head.count(http::field::transfer_encoding) == 1;
  if (head.count(http::field::transfer_encoding) > 0 && !is_plain_chunked)
    return HttpRejection{501, RejectionReason::kBadHead,
                         "only the chunked transfer encoding is supported"};
  if (parser.chunked() && head.count(http::field::content_length) > 0)
    return HttpRejection{400, RejectionReason::kBadHead, "both Content-Length and chunked"};
  return std::nullopt;
}

// Encodes one chunk of a response of unknown length. Empty input gives no chunk, because an empty
// chunk would end the response.
inline std::string ChunkOf(std::string_view bytes) {
  if (bytes.empty())
    return "";
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string size;
  for (size_t rest = bytes.size(); rest > 0; rest /= 16)
    size.insert(size.begin(), kDigits[rest % 16]);
  return base::StrCat(size, "\r\n", bytes, "\r\n");
}
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace flarestack::net

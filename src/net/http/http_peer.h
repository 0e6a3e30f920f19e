// SPDX-License-Identifier: Apache-2.0
//
// The client of a request while its handler runs: still there or not, and reached before the answer
// is complete.
#pragma once

#include <string_view>

namespace flarestack::net {

struct HttpResponse;

// From any thread, one call at a time, until the handler returns.
class HttpPeer {
 public:
  virtual ~HttpPeer() = default;

  // What is done for a client that has gone is done in vain.
  virtual bool IsGone() = 0;

  // Begins an answer that is sent as it is made, by its status and headers; its body is the first
  // part. The body of what the handler returns is then the last part, and its status and headers
  // say nothing any more. Waits until the bytes are on their way; false when the client is gone.
  virtual bool BeginAnswer(const HttpResponse& head) = 0;
  virtual bool SendPart(std::string_view bytes) = 0;

  // An answer that was begun is left without its end, so that nobody takes it for complete.
  virtual void Abandon() = 0;
};

}  // namespace flarestack::net

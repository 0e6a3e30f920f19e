// SPDX-License-Identifier: Apache-2.0
//
// The client of a request while its handler runs: whether it is still connected, and a way to
// stream the response.
#pragma once

#include <string_view>

namespace flarestack::net {

struct HttpResponse;

// Call from any thread, one call at a time, until the handler returns.
class HttpPeer {
 public:
  virtual ~HttpPeer() = default;

  // True if the client has disconnected, so that further work is wasted.
  virtual bool IsGone() = 0;

  // Starts a streamed response with the status and headers of `head`; its body is the first part.
  // The body of the response that the handler returns is then the last part, and its status and
  // headers are ignored. Blocks until the bytes are sent; returns false if the client is gone.
  virtual bool BeginResponse(const HttpResponse& head) = 0;
  virtual bool SendPart(std::string_view bytes) = 0;

  // Leaves a started response without its end, so that the client sees that it is incomplete.
  virtual void Abandon() = 0;
};

}  // namespace flarestack::net

// SPDX-License-Identifier: Apache-2.0
//
// Writes a request in chronological order. All work and waits advance one clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "demo/code/random.h"
#include "demo/request.h"

namespace flarestack::demo {

// A call from one service to another.
struct Call {
  std::string_view method;
  std::string_view route;
  Process to;
  Code await;  // the code in which the caller's thread waits
};

class RequestWriter {
 public:
  RequestWriter(uint32_t thread, Random* random);

  // Add work or a wait to the innermost open span.
  void Work(Code code, uint64_t ticks);
  void Wait(Code code, uint64_t nanos);

  void Open(const Process& process, std::string name, model::SpanKind kind);
  void OpenServer(const Process& process, std::string_view method, std::string_view route);
  void Close();

  // Writes a client span, a server span, and the time between. `serve` does the work of the server.
  template <typename Serve>
  void Send(const Call& call, Serve serve) {
    const uint64_t sent = BeginCall(call);
    serve();
    EndCall(call, sent);
  }

  // These apply to the innermost open span.
  void Set(std::string_view key, std::string value);
  void Set(std::string_view key, int64_t value);
  void Fail(int64_t status, std::string why);
  void AddEvent(std::string_view name, Attributes attributes);
  void Log(model::SeverityNumber severity, std::string body, Attributes attributes = {});
  uint64_t elapsed_nanos() const { return clock_ - span().start_nanos; }

  Request Finish() &&;

 private:
  const Span& span() const { return request_.spans[open_.back()]; }
  Span& span() { return request_.spans[open_.back()]; }
  uint64_t BeginCall(const Call& call);
  void EndCall(const Call& call, uint64_t sent);
  void Hop();

  uint32_t thread_;
  Random* random_;
  uint64_t clock_ = 0;
  Request request_;
  std::vector<size_t> open_;  // innermost last
};

}  // namespace flarestack::demo

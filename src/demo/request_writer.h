// SPDX-License-Identifier: Apache-2.0
//
// Writes a request down as it happens: one clock, which every piece of work and every wait moves
// on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "demo/code/random.h"
#include "demo/request.h"

namespace flarestack::demo {

// What goes over the wire from one service to another.
struct Call {
  std::string_view method;
  std::string_view route;
  Process to;
  Code await;  // what the caller's thread waits in
};

class RequestWriter {
 public:
  RequestWriter(uint32_t thread, Random* random);

  // The innermost span that is open gets what is done.
  void Work(Code code, uint64_t ticks);
  void Wait(Code code, uint64_t nanos);

  void Open(const Process& process, std::string name, model::SpanKind kind);
  void OpenServer(const Process& process, std::string_view method, std::string_view route);
  void Close();

  // A span of the caller, one of the server, and the time between. `serve` does what the server
  // does.
  template <typename Serve>
  void Send(const Call& call, Serve serve) {
    const uint64_t sent = BeginCall(call);
    serve();
    EndCall(call, sent);
  }

  // Of the innermost span that is open.
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
  std::vector<size_t> open_;  // the innermost last
};

}  // namespace flarestack::demo

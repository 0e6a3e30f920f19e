// SPDX-License-Identifier: Apache-2.0
//
// The program under test as a running server on free ports of this machine.
#pragma once

#include <signal.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "running_program.h"

namespace flarestack::testing {

class ServerProcess {
 public:
  // Returns once it takes requests, or has ended; `log()` then says why.
  // `file_bytes_max` is the largest file it may write, until AllowLargeFiles(); a write beyond is
  // answered by an error.
  explicit ServerProcess(const std::string& data_dir, const std::vector<std::string>& flags = {},
                         std::optional<uint64_t> file_bytes_max = std::nullopt);
  // `flarestack demo` with these flags, with its temporary folder below `folder`. Returns once its
  // forty minutes are told. Its page is `http()`.
  static std::unique_ptr<ServerProcess> OfDemo(const std::string& folder,
                                               const std::vector<std::string>& flags = {});

  bool is_running() const { return program_.is_running(); }
  const std::string& otlp_grpc() const { return otlp_grpc_; }  // HOST:PORT
  const std::string& otlp_http() const { return otlp_http_; }  // http://HOST:PORT
  const std::string& http() const { return http_; }            // http://HOST:PORT

  // The most memory it had so far, in bytes.
  uint64_t MemoryPeak() const;
  // The value of a line of /metrics that begins with this; 0 when there is none.
  uint64_t Metric(std::string_view name_and_labels) const;

  // What it had printed by then: all of it once it has ended.
  const std::string& log() const { return program_.printed(); }

  void AllowLargeFiles() const;

  void Kill();  // at once and for good
  void CloseOutput() { program_.CloseOutput(); }
  // As an operator does it; answers the exit code.
  int Stop(int signal = SIGTERM);

 private:
  ServerProcess() = default;
  // Until it has said `last_words`.
  void Start(std::vector<std::string> words, std::string_view last_words,
             std::optional<uint64_t> file_bytes_max);
  std::string AfterLabel(std::string_view label) const;

  RunningProgram program_;
  std::string otlp_grpc_;
  std::string otlp_http_;
  std::string http_;
};

// The port at the end of HOST:PORT, with or without a scheme in front.
uint16_t PortOf(std::string_view address);

// GET with the answer's body; the status where it is not 200.
struct Answer {
  int status = 0;  // 0: no answer at all
  std::string body;
  std::string content_type;
  std::string retry_after;
  std::string error;  // why there is none, with status 0
};
// `tenant` is the header X-Scope-OrgID, which is left out where there is none.
Answer Get(const std::string& url, const std::string& authorization = {},
           const std::optional<std::string>& tenant = std::nullopt);

struct Post {
  std::string url;
  std::string content_type = "application/x-protobuf";
  std::string body;
  std::string content_encoding = {};
  std::string authorization = {};
  std::optional<std::string> tenant = std::nullopt;  // the header X-Scope-OrgID
};
Answer Send(const Post& post);

// `text` with what a URL does not take written as %XX.
std::string UrlEncode(std::string_view text);

}  // namespace flarestack::testing

// SPDX-License-Identifier: Apache-2.0
//
// The program under test as a running server on free local ports.
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
  // Returns once the server accepts requests, or has ended; `log()` then has the reason.
  //
  // `file_bytes_max` is the largest file it may write, until AllowLargeFiles(); a larger write
  // fails with an error.
  explicit ServerProcess(const std::string& data_dir, const std::vector<std::string>& flags = {},
                         std::optional<uint64_t> file_bytes_max = std::nullopt);
  // Runs `flarestack demo` with these flags, with its temporary folder below `folder`. Returns once
  // its forty minutes of data are sent. Its page is `http()`.
  static std::unique_ptr<ServerProcess> OfDemo(const std::string& folder,
                                               const std::vector<std::string>& flags = {});

  bool is_running() const { return program_.is_running(); }
  const std::string& otlp_grpc() const { return otlp_grpc_; }  // HOST:PORT
  const std::string& otlp_http() const { return otlp_http_; }  // http://HOST:PORT
  const std::string& http() const { return http_; }            // http://HOST:PORT

  // Peak memory so far, in bytes.
  uint64_t MemoryPeak() const;
  // The value of the line of /metrics with this prefix; 0 if there is none.
  uint64_t Metric(std::string_view name_and_labels) const;

  // The output read so far; complete once the server has ended.
  const std::string& log() const { return program_.printed(); }
  // What a server that could not start reports to its caller; the log is not part of it. Empty for
  // a server that started.
  std::string startup_error() const;

  void AllowLargeFiles() const;

  void Kill();  // SIGKILL
  void CloseOutput() { program_.CloseOutput(); }
  // Stops it as an operator would; returns the exit code.
  int Stop(int signal = SIGTERM);

 private:
  ServerProcess() = default;
  // Returns once the server has printed `last_words`.
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

// A response to GET: its body, or its status if that is not 200.
// A response of the API that its OpenAPI schema does not allow fails the test; also in Send().
struct Answer {
  int status = 0;  // 0: no response
  std::string body;
  std::string content_type;
  std::string retry_after;
  std::string error;  // the reason if status is 0
};
// `tenant` is the header X-Scope-OrgID; nullopt omits it.
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

// Escapes characters that are invalid in a URL as %XX.
std::string UrlEncode(std::string_view text);

}  // namespace flarestack::testing

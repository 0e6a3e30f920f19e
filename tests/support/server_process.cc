// SPDX-License-Identifier: Apache-2.0
#include "server_process.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <utility>

#include "base/text/text.h"
#include "net/http/http_client.h"
#include "run_program.h"
#include "server/api/testing/response_check.h"

namespace flarestack::testing {

ServerProcess::ServerProcess(const std::string& data_dir, const std::vector<std::string>& flags,
                             std::optional<uint64_t> file_bytes_max) {
  std::vector<std::string> words = {FLARESTACK_PROGRAM, "serve", "--data-dir", data_dir};
  const auto unless_given = [&](const std::string& flag, const std::string& value) {
    if (std::ranges::find(flags, flag) == flags.end())
      words.insert(words.end(), {flag, value});
  };
  unless_given("--otlp-grpc", "127.0.0.1:0");
  unless_given("--otlp-http", "127.0.0.1:0");
  unless_given("--http", "127.0.0.1:0");
  unless_given("--memory-limit", "256MiB");
  words.insert(words.end(), flags.begin(), flags.end());
  Start(std::move(words), "send to it:", file_bytes_max);
  if (is_running())
    http_ = AfterLabel("UI and API");
}

std::unique_ptr<ServerProcess> ServerProcess::OfDemo(const std::string& folder,
                                                     const std::vector<std::string>& flags) {
  // env replaces itself by the program, so the program gets the signals.
  std::vector<std::string> words = {"/usr/bin/env", "TMPDIR=" + folder, FLARESTACK_PROGRAM, "demo",
                                    "--no-open",    "--http",           "127.0.0.1:0"};
  words.insert(words.end(), flags.begin(), flags.end());
  std::unique_ptr<ServerProcess> process(new ServerProcess);
  process->Start(std::move(words), "Ctrl-C to stop", std::nullopt);
  if (process->is_running()) {
    process->http_ = process->AfterLabel("open ");
    process->http_.resize(process->http_.find("/ in a browser"));
  }
  return process;
}

void ServerProcess::Start(std::vector<std::string> words, std::string_view last_words,
                          std::optional<uint64_t> file_bytes_max) {
  program_ = RunningProgram(std::move(words), [&] {
    if (!file_bytes_max.has_value())
      return;
    signal(SIGXFSZ, SIG_IGN);  // writes fail with EFBIG instead
    rlimit limit = {};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = *file_bytes_max;
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  if (!program_.ReadUntil(last_words)) {
    program_.Wait();
    return;
  }
  otlp_grpc_ = AfterLabel("OTLP/gRPC");
  otlp_http_ = AfterLabel("OTLP/HTTP");
}

std::string ServerProcess::AfterLabel(std::string_view label) const {
  const size_t begin = log().find_first_not_of(' ', log().find(label) + label.size());
  return log().substr(begin, log().find('\n', begin) - begin);
}

std::string ServerProcess::startup_error() const {
  constexpr std::string_view kPrefix = "flarestack: ";
  if (!http_.empty())
    return "";
  const size_t at = log().starts_with(kPrefix) ? 0 : log().find(base::StrCat("\n", kPrefix));
  return at == std::string::npos ? "" : log().substr(at);
}

void ServerProcess::AllowLargeFiles() const {
  rlimit limit = {};
  prlimit(program_.pid(), RLIMIT_FSIZE, nullptr, &limit);
  limit.rlim_cur = limit.rlim_max;
  prlimit(program_.pid(), RLIMIT_FSIZE, &limit, nullptr);
}

uint64_t ServerProcess::MemoryPeak() const {
  const std::string text = ReadWhole("/proc/" + std::to_string(program_.pid()) + "/status");
  const size_t at = text.find("VmHWM:");
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + 6)) << 10;
}

uint64_t ServerProcess::Metric(std::string_view name_and_labels) const {
  std::istringstream lines(Get(http_ + "/metrics").body);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name_and_labels) && line.size() > name_and_labels.size() &&
        line[name_and_labels.size()] == ' ')
      return std::stoull(line.substr(name_and_labels.size() + 1));
  }
  return 0;
}

uint16_t PortOf(std::string_view address) {
  return static_cast<uint16_t>(std::stoi(std::string(address.substr(address.rfind(':') + 1))));
}

void ServerProcess::Kill() { program_.End(SIGKILL); }

int ServerProcess::Stop(int signal) {
  const int code = program_.End(signal);
  return code < 0 ? -1 : code;
}

namespace {

// Path and query of a URL.
std::string_view PathOf(std::string_view url) {
  const size_t scheme = url.find("://");
  const size_t path = url.find('/', scheme == std::string_view::npos ? 0 : scheme + 3);
  return path == std::string_view::npos ? std::string_view() : url.substr(path);
}

Answer Request(const net::HttpClientRequest& request) {
  // A long timeout, because a machine flooded by other senders responds late.
  static net::HttpClient* const client = new net::HttpClient(
      {.connect_timeout = std::chrono::minutes(1), .response_bytes_max = uint64_t{256} << 20});
  const auto response = client->Send(request);
  if (!response.ok())
    return {.error = std::string(response.status().message())};
  EXPECT_EQ(
      server::api::testing::CheckExchange({.method = request.method,
                                           .path = PathOf(request.url),
                                           .status = response->status,
                                           .content_type = response->headers.Get("Content-Type"),
                                           .body = response->body}),
      "")
      << request.method << " " << request.url << " does not match its OpenAPI schema";
  return {.status = response->status,
          .body = response->body,
          .content_type = std::string(response->headers.Get("Content-Type")),
          .retry_after = std::string(response->headers.Get("Retry-After")),
          .error = {}};
}

}  // namespace

Answer Get(const std::string& url, const std::string& authorization,
           const std::optional<std::string>& tenant) {
  net::HttpClientRequest request;
  request.url = url;
  if (!authorization.empty())
    request.headers.Set("Authorization", authorization);
  if (tenant.has_value())
    request.headers.Set("X-Scope-OrgID", *tenant);
  request.timeout = std::chrono::minutes(2);
  return Request(request);
}

Answer Send(const Post& post) {
  net::HttpClientRequest request;
  request.method = "POST";
  request.url = post.url;
  request.body = post.body;
  request.timeout = std::chrono::minutes(2);
  if (!post.content_type.empty())
    request.headers.Set("Content-Type", post.content_type);
  if (!post.content_encoding.empty())
    request.headers.Set("Content-Encoding", post.content_encoding);
  if (!post.authorization.empty())
    request.headers.Set("Authorization", post.authorization);
  if (post.tenant.has_value())
    request.headers.Set("X-Scope-OrgID", *post.tenant);
  return Request(request);
}

std::string UrlEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_') {
      encoded += c;
    } else {
      encoded += '%';
      encoded += kDigits[byte >> 4];
      encoded += kDigits[byte & 15];
    }
  }
  return encoded;
}

}  // namespace flarestack::testing

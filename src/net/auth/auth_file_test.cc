// SPDX-License-Identifier: Apache-2.0
#include "net/auth/auth_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "base/file/file.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "net/grpc/grpc_client.h"
#include "net/grpc/grpc_server.h"
#include "net/http/http_client.h"
#include "net/http/http_server.h"
#include "net/testing/certificates.h"

namespace flarestack::net {
namespace {

using absl::StatusCode;
using ::testing::HasSubstr;
using ::testing::Not;

RoleSet Roles(std::string_view text) { return *ParseRoles(text); }

std::string Basic(std::string_view name, std::string_view password) {
  return "Basic " + base::Base64Encode(base::StrCat(name, ":", password));
}

class AuthTest : public ::testing::Test {
 protected:
  std::shared_ptr<AuthFile> Load() {
    auto file = AuthFile::Load({.path = path_,
                                .on_reload_error = [this](const absl::Status&) { ++error_count_; },
                                .poll_interval = std::chrono::milliseconds(0)});
    FLARE_CHECK(file.ok(), std::string(base::Message(file.status())));
    return *file;
  }
  static StatusCode CodeOf(AuthFile& file, std::string_view header, std::string_view tls = "") {
    return file.Authenticate({header, tls}).status().code();
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.PathOf("auth");
  int error_count_ = 0;
};

TEST_F(AuthTest, TokenIdentifiesItsPrincipal) {
  const auto token =
      AddToken(path_, {.name = "agent", .roles = Roles("write"), .tenants = {"shop"}});
  ASSERT_TRUE(token.ok()) << token.status();
  const auto file = Load();
  const auto principal = file->Authenticate({"bearer  " + *token, ""});
  ASSERT_TRUE(principal.ok()) << principal.status();
  EXPECT_EQ(principal->name, "agent");
  EXPECT_EQ(principal->tenants, std::vector<std::string>{"shop"});
  EXPECT_TRUE(principal->roles.Has(Role::kWrite));
  EXPECT_FALSE(principal->roles.Has(Role::kRead));
  for (const std::string& bad : {std::string(), std::string("Bearer"), std::string("Bearer "),
                                 "Bearer " + *token + "x", *token, "Basic " + *token}) {
    EXPECT_EQ(CodeOf(*file, bad), StatusCode::kUnauthenticated) << bad;
  }
}

TEST_F(AuthTest, CachesCheckedPasswords) {
  ASSERT_TRUE(AddUser(path_, {.name = "anna", .roles = Roles("read,write")}, "secret: word").ok());
  const auto file = Load();
  EXPECT_EQ(CodeOf(*file, Basic("anna", "wrong one")), StatusCode::kUnauthenticated);
  for (int i = 0; i < 1000; ++i)  // would take minutes without the cache
    ASSERT_EQ(CodeOf(*file, Basic("anna", "secret: word")), StatusCode::kOk);
  EXPECT_EQ(CodeOf(*file, Basic("otto", "secret: word")), StatusCode::kUnauthenticated);
  EXPECT_EQ(CodeOf(*file, "Basic !!!"), StatusCode::kUnauthenticated);
}

TEST_F(AuthTest, RejectsUnknownNamesAfterTheSameWork) {
  ASSERT_TRUE(AddUser(path_, {.name = "anna", .roles = Roles("read")}, "secret word").ok());
  // Give the user more rounds than the default.
  std::string text = *base::ReadFile(path_, 1 << 20);
  const std::string rounds = std::to_string(kPasswordRoundsMin);
  const size_t at = text.find(rounds);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, rounds.size(), std::to_string(8 * kPasswordRoundsMin));
  std::ofstream(path_) << text;
  const auto file = Load();
  const auto seconds_of = [&](const std::string& name) {
    const auto processor_time = [] {
      timespec now = {};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
      return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
    };
    const double before = processor_time();
    EXPECT_EQ(CodeOf(*file, Basic(name, "wrong one")), StatusCode::kUnauthenticated);
    return processor_time() - before;
  };
  const double known = seconds_of("anna");
  const double unknown = seconds_of("otto");
  EXPECT_LT(unknown, 2 * known);
  EXPECT_GT(unknown, known / 2);
}

TEST_F(AuthTest, LimitsConcurrentPasswordHashes) {
  ASSERT_TRUE(AddUser(path_, {.name = "anna", .roles = Roles("read")}, "secret word").ok());
  const auto file = AuthFile::Load({.path = path_, .hashing_max = 0});
  const auto rejected = (*file)->Authenticate({Basic("anna", "secret word"), ""});
  EXPECT_EQ(rejected.status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(RetryDelay(rejected.status()).has_value());
}

TEST_F(AuthTest, CertificateIdentifiesItsPrincipalUnlessThereIsAHeader) {
  ASSERT_TRUE(AddCertificate(path_, {.name = "agent.example.com", .roles = Roles("write")}).ok());
  const auto file = Load();
  EXPECT_EQ(CodeOf(*file, "", "agent.example.com"), StatusCode::kOk);
  EXPECT_EQ(CodeOf(*file, "", "other"), StatusCode::kUnauthenticated);
  EXPECT_EQ(CodeOf(*file, "Bearer x", "agent.example.com"), StatusCode::kUnauthenticated);
}

TEST_F(AuthTest, ReloadsAChangedFile) {
  const auto token = AddToken(path_, {.name = "a", .roles = Roles("read")});
  const auto file = Load();
  const auto second = AddToken(path_, {.name = "b", .roles = Roles("read")});
  EXPECT_EQ(CodeOf(*file, "Bearer " + *second), StatusCode::kOk);
  ASSERT_TRUE(RemoveAuthEntry(path_, AuthKind::kToken, "a").ok());
  EXPECT_EQ(CodeOf(*file, "Bearer " + *token), StatusCode::kUnauthenticated);
  EXPECT_EQ(CodeOf(*file, "Bearer " + *second), StatusCode::kOk);
}

TEST_F(AuthTest, ReportsABadNewFileAndKeepsTheOldEntries) {
  const auto token = AddToken(path_, {.name = "a", .roles = Roles("read")});
  const auto file = Load();
  folder_.Write("auth", "nonsense\n");
  EXPECT_EQ(CodeOf(*file, "Bearer " + *token), StatusCode::kOk);
  EXPECT_EQ(CodeOf(*file, "Bearer " + *token), StatusCode::kOk);
  EXPECT_EQ(error_count_, 1);
}

TEST_F(AuthTest, ReloadDoesNotResetRateLimits) {
  const auto token = AddToken(
      path_, {.name = "a", .roles = Roles("read"), .limits = {.requests_per_second = 1e-3}});
  const auto file = Load();
  const std::string header = "Bearer " + *token;
  EXPECT_TRUE(Admit(file.get(), {header, ""}, Role::kRead).ok());
  EXPECT_EQ(Admit(file.get(), {header, ""}, Role::kRead).status().code(),
            StatusCode::kResourceExhausted);
  ASSERT_TRUE(AddToken(path_, {.name = "b", .roles = Roles("read")}).ok());
  const auto rejected = Admit(file.get(), {header, ""}, Role::kRead);
  EXPECT_EQ(rejected.status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(RetryDelay(rejected.status()).has_value());
}

TEST_F(AuthTest, FileIsPrivateAndContainsNoSecret) {
  const auto token = AddToken(path_, {.name = "a", .roles = Roles("admin")});
  ASSERT_TRUE(AddUser(path_, {.name = "u", .roles = Roles("read")}, "my password").ok());
  struct stat info = {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const std::string text = *base::ReadFile(path_, 1 << 20);
  EXPECT_THAT(text, Not(HasSubstr(token->substr(4))));
  EXPECT_THAT(text, Not(HasSubstr("my password")));

  ASSERT_EQ(chmod(path_.c_str(), 0640), 0);
  EXPECT_EQ(AuthFile::Load({.path = path_}).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(AddToken(path_, {.name = "b", .roles = Roles("read")}).status().code(),
            StatusCode::kFailedPrecondition);
}

TEST_F(AuthTest, ListsEntriesAndSeparatesThemByKind) {
  ASSERT_TRUE(AddToken(path_, {.name = "x",
                               .roles = Roles("read"),
                               .tenants = {"t", "u"},
                               .limits = {.requests_per_second = 2.5, .bytes_per_second = 1e6}})
                  .ok());
  ASSERT_TRUE(AddCertificate(path_, {.name = "x", .roles = Roles("write,read")}).ok());
  EXPECT_EQ(AddCertificate(path_, {.name = "x", .roles = Roles("read")}).code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(RemoveAuthEntry(path_, AuthKind::kUser, "x").code(), StatusCode::kNotFound);
  const auto entries = ListAuthEntries(path_);
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].limits.requests_per_second, 2.5);
  EXPECT_EQ((*entries)[0].tenants, (std::vector<std::string>{"t", "u"}));
  EXPECT_EQ(ToString((*entries)[1].roles), "read,write");
}

TEST_F(AuthTest, KeepsAllEntriesAddedConcurrently) {
  constexpr int kWriters = 4;
  constexpr int kEach = 8;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([this, writer] {
      for (int i = 0; i < kEach; ++i) {
        const std::string name = base::StrCat("agent-", writer, "-", i);
        EXPECT_TRUE(AddToken(path_, {.name = name, .roles = Roles("write")}).ok());
        if (i % 2 == 1) {
          EXPECT_TRUE(RemoveAuthEntry(path_, AuthKind::kToken, name).ok());
        }
      }
    });
  }
  for (std::thread& writer : writers)
    writer.join();
  EXPECT_EQ(ListAuthEntries(path_)->size(), size_t{kWriters} * kEach / 2);
}

TEST_F(AuthTest, RemovingFromAMissingFileLeavesNothingBehind) {
  EXPECT_FALSE(RemoveAuthEntry(path_, AuthKind::kToken, "a").ok());
  EXPECT_NE(access((path_ + ".lock").c_str(), F_OK), 0);
}

TEST_F(AuthTest, RejectsBadInput) {
  EXPECT_FALSE(AddToken(path_, {.name = "a b", .roles = Roles("read")}).ok());
  EXPECT_FALSE(AddToken(path_, {.name = "a"}).ok());
  EXPECT_FALSE(AddUser(path_, {.name = "a", .roles = Roles("read")}, "short").ok());
  EXPECT_FALSE(ParseRoles("read,root").ok());
  EXPECT_FALSE(ParseRoles("").ok());
  const std::string hash(64, 'a');
  for (const std::string& line :
       {std::string("key name=a roles=read"), std::string("token name=a roles=read"),
        "token roles=read sha256=" + hash, "token name=a sha256=" + hash,
        "token name=a roles=read sha256=" + hash + "a",
        "token name=a name=a roles=read sha256=" + hash,
        "token name=a roles=read requests=-1 sha256=" + hash,
        "token name=a roles=read requests=nan sha256=" + hash,
        "user name=a roles=read rounds=1000 salt=aa pbkdf2=" + hash,
        "user name=a roles=read rounds=1e12 salt=aa pbkdf2=" + hash,
        "token name=a roles=read sha256=" + hash + "\ntoken name=a roles=read sha256=" + hash}) {
    const auto records = ParseAuthRecords(line);
    EXPECT_EQ(records.status().code(), StatusCode::kInvalidArgument) << line;
    EXPECT_THAT(std::string(base::Message(records.status())), Not(HasSubstr(hash)));
  }
  EXPECT_TRUE(ParseAuthRecords("# comment\n\ntoken name=a roles=read sha256=" + hash).ok());
}

TEST_F(AuthTest, LimitsTheNumberOfEntries) {
  std::string text;
  for (size_t i = 0; i <= kAuthEntriesMax; ++i)
    base::StrAppend(&text, "certificate name=c", i, " roles=read\n");
  EXPECT_EQ(ParseAuthRecords(text).status().code(), StatusCode::kResourceExhausted);
}

// Both servers with the same file.
class AuthServerTest : public AuthTest {
 protected:
  void Start() {
    const auto file = Load();
    HttpServerOptions http;
    const HttpHandler who = [](HttpRequest& request) {
      return HttpResponse{.body = request.principal.name};
    };
    http.routes = {{"POST", "/write", who, Role::kWrite},
                   {"GET", "/read", who, Role::kRead},
                   {"GET", "/open", who}};
    http.authenticator = file;
    http_ = *HttpServer::Start(std::move(http));
    GrpcServerOptions grpc;
    grpc.methods = {
        {"/s/Write",
         [](GrpcRequest& request) { return GrpcResponse{.message = request.principal.name}; },
         Role::kWrite}};
    grpc.details = [](const absl::Status&, auto delay) {
      return std::string(delay.has_value() ? "retry" : "no");
    };
    grpc.authenticator = file;
    grpc_ = *GrpcServer::Start(std::move(grpc));
  }

  HttpResponse Http(const char* method, const char* path, const std::string& header) {
    HttpHeaders headers;
    if (!header.empty())
      headers.Add("Authorization", header);
    return *client_.Send({.method = method,
                          .url = base::StrCat("http://127.0.0.1:", http_->port(), path),
                          .headers = headers,
                          .body = std::string(method) == "POST" ? "12345" : ""});
  }

  GrpcResult Grpc(const std::string& header) {
    HttpHeaders metadata;
    if (!header.empty())
      metadata.Add("authorization", header);
    const auto client = GrpcClient::Create({.target = base::StrCat("127.0.0.1:", grpc_->port())});
    return (*client)->Call("/s/Write", "12345", {.metadata = metadata});
  }

  HttpClient client_{HttpClientOptions{}};
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<GrpcServer> grpc_;
};

TEST_F(AuthServerTest, RolesControlAccessToRoutes) {
  const auto writer = AddToken(path_, {.name = "writer", .roles = Roles("write")});
  const auto admin = AddToken(path_, {.name = "admin", .roles = Roles("admin")});
  Start();
  EXPECT_EQ(Http("GET", "/open", "").status, 200);
  EXPECT_EQ(Http("GET", "/read", "").status, 401);
  EXPECT_THAT(std::string(Http("GET", "/read", "").headers.Get("WWW-Authenticate")),
              HasSubstr("Bearer"));
  EXPECT_EQ(Http("GET", "/read", "Bearer " + *writer).status, 403);
  EXPECT_EQ(Http("POST", "/write", "Bearer " + *writer).body, "writer");
  EXPECT_EQ(Http("GET", "/read", "Bearer " + *admin).body, "admin");
  EXPECT_EQ(Grpc("").code, StatusCode::kUnauthenticated);
  EXPECT_EQ(Grpc("Bearer x").code, StatusCode::kUnauthenticated);
  EXPECT_EQ(Grpc("Bearer " + *writer).message, "writer");
}

// With Basic offered, the browser would show its own login prompt before the page can.
TEST_F(AuthServerTest, DoesNotOfferBasicToScripts) {
  ASSERT_TRUE(AddToken(path_, {.name = "reader", .roles = Roles("read")}).ok());
  Start();
  const auto challenge = [&](const char* requested_with) {
    HttpHeaders headers;
    headers.Add("X-Requested-With", requested_with);
    const HttpResponse response =
        *client_.Send({.method = "GET",
                       .url = base::StrCat("http://127.0.0.1:", http_->port(), "/read"),
                       .headers = headers});
    return std::string(response.headers.Get("WWW-Authenticate"));
  };
  EXPECT_EQ(challenge("XMLHttpRequest"), "Bearer");
  EXPECT_EQ(challenge("something"), "Bearer, Basic realm=\"flarestack\"");
}

TEST_F(AuthServerTest, ReportsAMissingRoleOverGrpc) {
  const auto reader = AddToken(path_, {.name = "reader", .roles = Roles("read")});
  Start();
  EXPECT_EQ(Grpc("Bearer " + *reader).code, StatusCode::kPermissionDenied);
}

TEST_F(AuthServerTest, EnforcesRateLimitsAndReportsTheRetryDelay) {
  const auto by_requests = AddToken(
      path_, {.name = "r", .roles = Roles("write"), .limits = {.requests_per_second = 1e-3}});
  const auto by_bytes =
      AddToken(path_, {.name = "b", .roles = Roles("write"), .limits = {.bytes_per_second = 1e-3}});
  Start();
  for (const auto& token : {by_requests, by_bytes}) {
    EXPECT_EQ(Http("POST", "/write", "Bearer " + *token).status, 200);
    const HttpResponse rejected = Http("POST", "/write", "Bearer " + *token);
    EXPECT_EQ(rejected.status, 429);
    EXPECT_NE(rejected.headers.Get("Retry-After"), "");
    const GrpcResult call = Grpc("Bearer " + *token);
    EXPECT_EQ(call.code, StatusCode::kResourceExhausted);
    EXPECT_EQ(call.error_details, "retry");
  }
}

}  // namespace
}  // namespace flarestack::net

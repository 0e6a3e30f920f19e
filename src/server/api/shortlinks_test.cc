// SPDX-License-Identifier: Apache-2.0
#include "server/api/shortlinks.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "server/api/endpoints.h"
#include "store/note_store.h"

namespace flarestack::server::api {
namespace {

TEST(ShortlinkTest, LeadsOnlyToThisServer) {
  for (const std::string_view good : {"/", "/explore?q=%7B%7D&from=now-1h", "/diff?b.q={a=\"b\"}",
                                      "/?u=https://elsewhere.example//x", "/a//b", "/symbols"})
    EXPECT_TRUE(CheckLinkTarget(good).ok()) << good;
  for (const std::string_view bad :
       {"", "explore", "//elsewhere.example", "https://elsewhere.example/", "javascript:alert(1)",
        "/\\elsewhere.example", "/a\\b", "/\t/elsewhere.example", "/a\nSet-Cookie: x", "/a b",
        "/\x7f", "/\xc3\xa4", "/s/abcdefgh", " /explore"})
    EXPECT_EQ(CheckLinkTarget(bad).code(), absl::StatusCode::kInvalidArgument) << bad;
  EXPECT_FALSE(CheckLinkTarget(std::string_view("/a\0b", 4)).ok());
  EXPECT_TRUE(CheckLinkTarget("/" + std::string((16 << 10) - 1, 'a')).ok());
  EXPECT_FALSE(CheckLinkTarget("/" + std::string(16 << 10, 'a')).ok());
}

// Notes in memory.
class NotesInMemory : public store::NoteStore {
 public:
  absl::Status AddNote(std::string_view key, std::string_view text) override {
    const auto [at, is_new] = notes.emplace(key, text);
    return is_new || at->second == text ? absl::OkStatus() : absl::AlreadyExistsError("taken");
  }
  absl::StatusOr<std::optional<std::string>> FindNote(std::string_view key) override {
    const auto at = notes.find(std::string(key));
    return at == notes.end() ? std::nullopt : std::optional<std::string>(at->second);
  }

  std::map<std::string, std::string> notes;
};

TEST(ShortlinkTest, CollidingIdsBecomeLonger) {
  NotesInMemory notes;
  RunOptions options;
  options.find_tenant = [](const net::HttpRequest&) { return std::string(); };
  options.find_data = [&](const std::string&) { return DataSet{.notes = &notes}; };
  options.now_nanos = [] { return uint64_t{0}; };
  std::vector<net::HttpRoute> routes;
  for (Endpoint& endpoint : ShortlinkEndpoints())
    routes.push_back(MakeRoute(std::move(endpoint), options));
  const auto make = [&] {
    net::HttpRequest request;
    request.body = R"({"url":"/explore"})";
    const net::HttpResponse response = routes[0].handler(request);
    return response.status == 201 ? Json::parse(response.body)["id"].get<std::string>() : "";
  };
  const std::string first = make();
  ASSERT_EQ(first.size(), 8u);
  ASSERT_EQ(notes.notes.size(), 1u);
  notes.notes.begin()->second = "/another";
  const std::string second = make();
  EXPECT_EQ(second.size(), 12u);
  EXPECT_EQ(make(), second);
  net::HttpRequest request;
  request.path_parameters.Add("id", second);
  const net::HttpResponse response = routes[2].handler(request);
  EXPECT_EQ(response.status, 302);
  EXPECT_EQ(response.headers.Get("Location"), "/explore");
  for (auto& [key, text] : notes.notes)
    text = "/another";
  EXPECT_EQ(make().size(), 16u);
  for (auto& [key, text] : notes.notes)
    text = "/another";
  EXPECT_EQ(make().size(), 20u);
  for (auto& [key, text] : notes.notes)
    text = "/another";
  EXPECT_EQ(make(), "") << "gives up at the maximum length";
}

}  // namespace
}  // namespace flarestack::server::api

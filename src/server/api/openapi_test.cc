// SPDX-License-Identifier: Apache-2.0
#include "server/api/openapi.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "server/api/endpoints.h"

namespace flarestack::server::api {
namespace {

// The document as checked in, which has no version.
std::string CheckedInText() {
  Json document = OpenApiDocument(Endpoints());
  document["info"]["version"] = "development";
  return document.dump(1) + "\n";
}

TEST(OpenApiTest, TheDocumentInTheTreeIsWhatTheServerServes) {
  std::ifstream file(FLARESTACK_TESTDATA "/../docs/reference/openapi.json", std::ios::binary);
  const std::string kept((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string served = CheckedInText();
  if (kept == served)
    return;
  const std::string path = ::testing::TempDir() + "openapi.json";
  std::ofstream(path, std::ios::binary) << served;
  FAIL() << "docs/reference/openapi.json is out of date. Update it and the types of the UI:\n"
         << "  cp " << path << " docs/reference/openapi.json && (cd ui && npm run types:api)";
}

TEST(OpenApiTest, DescribesResponsesAndTheirTypes) {
  const Json document = OpenApiDocument(Endpoints());
  const Json& flame = document["paths"]["/api/v1/flame"]["get"]["responses"]["200"]["content"];
  EXPECT_EQ(flame["application/json"]["schema"]["$ref"], "#/components/schemas/Flame");
  EXPECT_TRUE(flame.contains("application/vnd.flarestack.flame.v1"));
  EXPECT_TRUE(flame.contains("text/event-stream"));
  EXPECT_TRUE(document["components"]["schemas"].contains("Flame"));
  const Json& logs = document["paths"]["/api/v1/logs"]["get"]["responses"];
  EXPECT_EQ(logs["200"]["content"]["application/json"]["schema"]["anyOf"].size(), 2u);
  EXPECT_EQ(logs["default"]["content"]["application/json"]["schema"]["$ref"],
            "#/components/schemas/Error");
  const Json& made = document["paths"]["/api/v1/shortlinks"]["post"]["responses"]["201"];
  EXPECT_FALSE(made["content"].contains("text/event-stream"));
}

}  // namespace
}  // namespace flarestack::server::api

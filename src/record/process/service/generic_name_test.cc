// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/generic_name.h"

#include <gtest/gtest.h>

namespace flarestack::record::agent {
namespace {

TEST(GenericName, RecognisesGenericNames) {
  for (const char* name : {"app", "main", "main.py", "server.js", "index.mjs", "gunicorn", "1.24.3",
                           "v2", "__main__.py", "a.out"})
    EXPECT_TRUE(IsGenericName(name)) << name;
  for (const char* name : {"cart", "cart.py", "nginx", "mainframe", "com.example.Main", "w", ""})
    EXPECT_FALSE(IsGenericName(name)) << name;
}

TEST(GenericName, IsQualifiedByTheNearestMeaningfulFolder) {
  EXPECT_EQ(QualifiedName("/srv/shop/main"), "shop/main");
  EXPECT_EQ(QualifiedName("/srv/shop/bin/server.js"), "shop/server.js");
  EXPECT_EQ(QualifiedName("/opt/shop/releases-7/./dist/index.js"), "releases-7/index.js");
  EXPECT_EQ(QualifiedName("/usr/share/shop/1.24.3"), "shop/1.24.3");
  EXPECT_EQ(QualifiedName("/app/server.js"), "app/server.js");
  EXPECT_EQ(QualifiedName("/main"), "main");
  EXPECT_EQ(QualifiedName("main"), "main");
}

}  // namespace
}  // namespace flarestack::record::agent

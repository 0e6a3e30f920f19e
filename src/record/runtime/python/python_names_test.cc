// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_names.h"

#include <gtest/gtest.h>

namespace flarestack::record::runtime {
namespace {

TEST(PythonNamesTest, ModulesFollowFromPaths) {
  EXPECT_EQ(PythonModuleOf("/srv/shop/app.py"), "app");
  EXPECT_EQ(PythonModuleOf("app.py"), "app");
  EXPECT_EQ(PythonModuleOf("/srv/shop/app"), "app");
  EXPECT_EQ(PythonModuleOf("/srv/shop/.hidden"), ".hidden");
  EXPECT_EQ(PythonModuleOf("/srv/shop/__init__.py"), "shop");
  EXPECT_EQ(PythonModuleOf("/srv/shop/__main__.py"), "shop.__main__");
  EXPECT_EQ(PythonModuleOf("/__init__.py"), "");
  EXPECT_EQ(PythonModuleOf("__main__.py"), "__main__");
  EXPECT_EQ(PythonModuleOf("/usr/lib/python3.11/threading.py"), "threading");
  EXPECT_EQ(PythonModuleOf("/usr/lib/python3.11/asyncio/base_events.py"), "asyncio.base_events");
  EXPECT_EQ(PythonModuleOf("/usr/lib/python3.11/asyncio/__init__.py"), "asyncio");
  EXPECT_EQ(PythonModuleOf("/usr/lib64/python3.9/json/decoder.py"), "json.decoder");
  EXPECT_EQ(PythonModuleOf("/home/lib/python3.11"), "python3");
  EXPECT_EQ(PythonModuleOf("/usr/lib/python3/dist-packages/django/db/models/base.py"),
            "django.db.models.base");
  EXPECT_EQ(PythonModuleOf("/venv/lib/python3.12/site-packages/flask/app.py"), "flask.app");
  EXPECT_EQ(PythonModuleOf("<frozen importlib._bootstrap>"), "importlib._bootstrap");
  EXPECT_EQ(PythonModuleOf("<string>"), "");
  EXPECT_EQ(PythonModuleOf("<stdin>"), "");
  EXPECT_EQ(PythonModuleOf(""), "");
}

}  // namespace
}  // namespace flarestack::record::runtime

// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/perf_map/jit_name.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::record::runtime {
namespace {

std::string Named(std::string_view name) {
  const NamedFrame frame = NameJitFrame(name);
  const NamedFunction& function = frame.functions.at(0);
  std::string text = base::StrCat(frame.type, " ", function.name);
  if (!function.file.empty() || function.start_line != 0)
    base::StrAppend(&text, " | ", function.file, ":", function.start_line);
  return text;
}

TEST(JitNameTest, NamesJavaScript) {
  EXPECT_EQ(Named("JS:*add /srv/app.js:12:3"), "v8js add | /srv/app.js:12");
  EXPECT_EQ(Named("JS:^outer file:///srv/app.mjs:3:15"), "v8js outer | file:///srv/app.mjs:3");
  EXPECT_EQ(Named("JS:~ node:internal/main/run_main_module:1:1"),
            "v8js (anonymous) | node:internal/main/run_main_module:1");
  EXPECT_EQ(Named("JS:+get total /srv/my shop/cart.js:7:5"),
            "v8js get total | /srv/my shop/cart.js:7");
  EXPECT_EQ(Named("LazyCompile:*checkout /srv/app.js:12"), "v8js checkout | /srv/app.js:12");
  EXPECT_EQ(Named("Function:~f evalmachine.<anonymous>:1:10"),
            "v8js f | evalmachine.<anonymous>:1");
  EXPECT_EQ(Named("Eval:~ /srv/app.js:1:1"), "v8js (anonymous) | /srv/app.js:1");
  EXPECT_EQ(Named("JS:*f :4:2"), "v8js f | :4");
  EXPECT_EQ(Named("JS:*f"), "v8js f");
  EXPECT_EQ(Named("JS:*f x:99999999999999999999:1"), "v8js f | x:99999999999999999999:1");
  EXPECT_EQ(Named("RegExp:a+b"), "v8js RegExp:a+b");
  EXPECT_EQ(Named("Builtin:ArrayMap"), "v8js Builtin:ArrayMap");
}

TEST(JitNameTest, NamesJava) {
  EXPECT_EQ(Named("Lcom/shop/Cart;::add"), "jvm com.shop.Cart.add");
  EXPECT_EQ(Named("Lcom/shop/Cart;::<init>"), "jvm com.shop.Cart.<init>");
  EXPECT_EQ(Named("LMain;::main"), "jvm Main.main");
  EXPECT_EQ(Named("Lcom/shop/Cart$Inner;add(Ljava/lang/String;)I"), "jvm com.shop.Cart$Inner.add");
  EXPECT_EQ(Named("com.shop.Cart::add"), "jvm com.shop.Cart.add");
  EXPECT_EQ(Named("void java.lang.Object::<init>(int, long)"), "jvm java.lang.Object.<init>");
  EXPECT_EQ(Named("int com.shop.Cart.add(int)"), "jvm com.shop.Cart.add");
  EXPECT_EQ(Named("java.lang.String[] com.shop.Cart.names(java.lang.String[], long)"),
            "jvm com.shop.Cart.names");
  EXPECT_EQ(Named("void Main.main(java.lang.String[])"), "jvm Main.main");
  EXPECT_EQ(Named("void com.shop.Cart$$Lambda$1/0x00007f3eb4000c28.run()"),
            "jvm com.shop.Cart$$Lambda$1.run");
}

TEST(JitNameTest, NamesDotnetAndPython) {
  EXPECT_EQ(Named("void [shop] Shop.Cart::Add(int32)[OptimizedTier1]"), "dotnet Shop.Cart.Add");
  EXPECT_EQ(Named("instance void [System.Private.CoreLib] "
                  "System.Collections.Generic.List`1[System.__Canon]::.ctor()[PreJIT]"),
            "dotnet System.Collections.Generic.List`1[System.__Canon]..ctor");
  EXPECT_EQ(Named("py::Shop.checkout:/srv/shop.py"), "cpython Shop.checkout | /srv/shop.py:0");
}

TEST(JitNameTest, OtherNamesAreNative) {
  for (const char* name : {"I2C/C2I adapters",
                           "SafepointBlob",
                           "TRACE_12::shop.lua:3",
                           "julia_add_123",
                           "void shop::Cart::add(int)",
                           "shop::Cart::add",
                           "std::vector<a.b>::push_back",
                           "a.b",
                           "py::",
                           "Function:f",
                           "JS:",
                           "JS::f",

                           "L;::",
                           "add.cold::x y",
                           "x::y.z(",
                           "",
                           ":",
                           "int add(int)",
                           "Builtin:",
                           "void [shop] add"})
    EXPECT_EQ(Named(name), base::StrCat("native ", name));
}

TEST(JitNameTest, NamesAreShortAndValidUtf8) {
  const std::string longest = "JS:*" + std::string(3000, 'x') + "\xc3\xa4";
  EXPECT_LE(NameJitFrame(longest).functions[0].name.size(), 1024u);
  for (const std::string& name : {std::string("JS:*a\xff /b\xc3:1:1"), std::string(2000, '\xff')}) {
    const NamedFunction function = NameJitFrame(name).functions[0];
    EXPECT_TRUE(base::IsValidUtf8(function.name) && base::IsValidUtf8(function.file));
    EXPECT_LE(function.name.size(), 1024u);
  }
}

}  // namespace
}  // namespace flarestack::record::runtime

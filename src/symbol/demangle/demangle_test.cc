// SPDX-License-Identifier: Apache-2.0
#include "symbol/demangle/demangle.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "symbol/demangle/bounded_text.h"
#include "symbol/demangle/cpp_demangle.h"
#include "symbol/demangle/punycode.h"

namespace flarestack::symbol {
namespace {

struct Pair {
  std::string_view raw;
  std::string_view readable;
};

void ExpectAll(const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs)
    EXPECT_EQ(Demangle(pair.raw), pair.readable) << pair.raw;
}

TEST(Demangle, ReadsCpp) {
  ExpectAll({{"_Z3foov", "foo()"},
             {"__Z3foov", "foo()"},
             {"_ZN3foo3barEi", "foo::bar(int)"},
             {"_ZN3FooC2Ev", "Foo::Foo()"},
             {"_ZNK3FoocvbEv", "Foo::operator bool() const"},
             {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()"},
             {"_Z3fooI1AEvT_S1_", "void foo<A>(A, A)"},
             {"_ZTV3Foo", "vtable for Foo"}});
}

TEST(Demangle, ReadsLegacyRustBeforeCpp) {
  ExpectAll({
      {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
      {"_ZN4core3fmt5write17h0123456789abcdefE.llvm.1234", "core::fmt::write"},
      {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
       "3bar17h930b740aa94f1d3aE",
       "<Test + 'static as foo::Bar<Test>>::bar"},
      {"_ZN3app4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "app::main::{{closure}}"},
      {"_ZN28_$RF$$BP$$SP$$LP$$C$$RP$$GT$1f17h0123456789abcdefE", "&*@(,)>::f"},
  });
  // Looks like a hash, but is not one.
  EXPECT_EQ(Demangle("_ZN3foo17h0123456789abcdegE"), "foo::h0123456789abcdeg");
}

TEST(Demangle, ReadsRustV0Paths) {
  ExpectAll({
      {"_RNvC5hello4main", "hello::main"},
      {"__RNvC5hello4main", "hello::main"},
      {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
      {"_RNCNvC5hello4main0", "hello::main::{closure#0}"},
      {"_RNCNvC5hello4mains_0", "hello::main::{closure#1}"},
      {"_RNSC5hello6vtable", "hello::{shim:vtable#0}"},
      {"_RNvMC5helloNtB2_3Foo3new", "<hello::Foo>::new"},
      {"_RNvXs_C5helloNtB4_3FooNtB4_3Bar3run", "<hello::Foo as hello::Bar>::run"},
      {"_RNvYhNtC5hello3Bar3run", "<u8 as hello::Bar>::run"},
      {"_RINvC5hello3mapmNtB2_3FooE", "hello::map::<u32, hello::Foo>"},
      {"_RINvC5hello3mapINtB2_3VechEE", "hello::map::<hello::Vec<u8>>"},
      // Instantiated in another crate, and cloned by the optimizer.
      {"_RINvC5hello3maphEC5other.llvm.123", "hello::map::<u8>"},
      {"_RNvC5hellou10Gre_l0c1eax", "_RNvC5hellou10Gre_l0c1eax"},
      {"_RNvC1mu9Gre_6ka8i", "m::Größe"},
      {"_RNvC5hello6_1tenth", "hello::1tenth"},
      {"_RNvC5hello6_1tenths", "_RNvC5hello6_1tenths"},
  });
}

TEST(Demangle, ReadsRustV0Types) {
  ExpectAll({
      {"_RINvC1a1fRhE", "a::f::<&u8>"},
      {"_RINvC1a1fQhE", "a::f::<&mut u8>"},
      {"_RINvC1a1fPhOlE", "a::f::<*const u8, *mut i32>"},
      {"_RINvC1a1fShAhj4_E", "a::f::<[u8], [u8; 4]>"},
      {"_RINvC1a1fTEThETheEE", "a::f::<(), (u8,), (u8, str)>"},
      {"_RINvC1a1fFhEuE", "a::f::<fn(u8)>"},
      {"_RINvC1a1fFUKChEbE", "a::f::<unsafe extern \"C\" fn(u8) -> bool>"},
      {"_RINvC1a1fFK11rust_coldcchEuE", "a::f::<extern \"rust-coldcc\" fn(u8)>"},
      {"_RINvC1a1fFK10sysv64_abiEuE", "a::f::<extern \"sysv64-abi\" fn()>"},
      {"_RINvC1a1fFG_RL0_hEL0_uE", "_RINvC1a1fFG_RL0_hEL0_uE"},
      {"_RINvC1a1fFG_RL0_hEuE", "a::f::<for<'a> fn(&'a u8)>"},
      {"_RINvC1a1fDNtB2_5ShapeEL_E", "a::f::<dyn a::Shape>"},
      {"_RINvC1a1fDNtB2_4Iterp4ItemhEL_E", "a::f::<dyn a::Iter<Item = u8>>"},
      {"_RINvC1a1fDINtB2_2FnThEEp6OutputbNtB2_4SendEL_E",
       "a::f::<dyn a::Fn<(u8,), Output = bool> + a::Send>"},
      {"_RINvC1a1fL_hE", "a::f::<'_, u8>"},
      {"_RINvC1a1fpzE", "a::f::<_, !>"},
  });
}

TEST(Demangle, ReadsRustV0Constants) {
  ExpectAll({
      {"_RINvC1a1fKj7b_E", "a::f::<123>"},
      {"_RINvC1a1fKln5_E", "a::f::<-5>"},
      {"_RINvC1a1fKb1_Kb0_KpE", "a::f::<true, false, _>"},
      {"_RINvC1a1fKc78_Kca_Kc27_E", "a::f::<'x', '\\n', '\\''>"},
      {"_RINvC1a1fKc1f600_E", "a::f::<'😀'>"},
      {"_RINvC1a1fKoffffffffffffffffff_E", "a::f::<0xffffffffffffffffff>"},
      {"_RINvC1a1fKRe68c3a9_E", "a::f::<\"hé\">"},
      {"_RINvC1a1fKRe22090a_E", "a::f::<\"\\\"\\t\\n\">"},
      {"_RINvC1a1fKRAhj1_h2_EE", "_RINvC1a1fKRAhj1_h2_EE"},
      {"_RINvC1a1fKAh1_h2_EE", "a::f::<{[1, 2]}>"},
      {"_RINvC1a1fKTh1_EE", "a::f::<{(1,)}>"},
      {"_RINvC1a1fKVNtB2_4NoneUE", "a::f::<{a::None}>"},
      {"_RINvC1a1fKVNtB2_4SomeTh1_EE", "a::f::<{a::Some(1)}>"},
      {"_RINvC1a1fKVNtB2_5PointS1xh1_1yh2_EE", "a::f::<{a::Point { x: 1, y: 2 }}>"},
      {"_RINvC1a1fKRh7_E", "a::f::<{&7}>"},
      {"_RINvC1a1fKj1_KB8_E", "a::f::<1, 1>"},
  });
}

TEST(Demangle, ReadsD) {
  ExpectAll({
      {"_Dmain", "D main"},
      {"_D5hello4mainFZv", "hello.main()"},
      {"_D3foo3barFiKAyaZv", "foo.bar(int, ref immutable(char)[])"},
      {"_D3foo3Bar3bazMxFZi", "foo.Bar.baz() const"},
      {"_D3foo3Bar6__ctorMFiZC3foo3Bar", "foo.Bar.this(int)"},
      {"_D3foo3Bar6__vtblZ", "vtable for foo.Bar"},
      {"_D3foo1xi", "foo.x"},
      {"_D3foo__T3barTiVii5Z3bazFZv", "foo.bar!(int, 5).baz()"},
      {"_D3foo11__T3barTAyaZ3bazFZv", "_D3foo11__T3barTAyaZ3bazFZv"},
      {"_D3foo12__T3barTAyaZ3bazFZv", "foo.bar!(immutable(char)[]).baz()"},
      {"_D3foo__T3barVAyaa3_616263Z3bazFZv", "foo.bar!(\"abc\").baz()"},
      {"_D3foo__T3barVbi1Va97Z1xi", "foo.bar!(true, 'a').x"},
      {"_D3foo3barFPFiZvDFZiZv", "foo.bar(void(int) function, int() delegate)"},
      {"_D3foo3barFHiAaG4hPvZv", "foo.bar(char[][int], ubyte[4], void*)"},
      {"_D3foo3barFAyaQdZv", "foo.bar(immutable(char)[], immutable(char)[])"},
      {"_D3foo3barQiFZv", "foo.bar.foo()"},
  });
}

TEST(Demangle, KeepsOtherNamesUnchanged) {
  for (const std::string_view name : {"",
                                      "_",
                                      "_R",
                                      "_D",
                                      "_Z",
                                      "main",
                                      "memcpy",
                                      "entry_SYSCALL_64_after_hwframe",
                                      "foo.cold",
                                      "finish_task_switch.isra.0",
                                      "main.main",
                                      "main.(*T).Method",
                                      "main.cold",
                                      "github.com/x/y.Map[...].func1",
                                      "_start",
                                      "_Rust",
                                      "_Discard",
                                      "_ZNotAName",
                                      "_DQaZ",
                                      "_D3fo",
                                      "_RNvC99999999999999999999a",
                                      "[unknown]",
                                      "java.lang.String.length()"})
    EXPECT_EQ(Demangle(name), name);
  EXPECT_EQ(Demangle(std::string("_Z3f\0ov", 7)), std::string("_Z3f\0ov", 7));
}

TEST(Demangle, DropsCloneSuffixes) {
  ExpectAll({{"_Z3foov.cold", "foo()"},
             {"_Z3foov.cold.3", "foo()"},
             {"_Z3foov.part.0.isra.12", "foo()"},
             {"_Z3foov.constprop.1.cold", "foo()"},
             {"_Z3foov.llvm.8125", "foo()"},
             {"_Z3foov.localalias", "foo()"},
             {"_Z3foov.lto_priv.0", "foo()"}});
  EXPECT_EQ(WithoutCloneSuffix("foo.isra.0.cold"), "foo");
  EXPECT_EQ(WithoutCloneSuffix("foo.part"), "foo.part");
  EXPECT_EQ(WithoutCloneSuffix(".cold"), ".cold");
}

TEST(Demangle, NeverSplitsACharacter) {
  EXPECT_EQ(Demangle("_Z4\xc3\xa9tev"), "\xc3\xa9te()");
  const std::string cut =
      "_ZN1\xc3"
      "2\xa9"
      "aEv";
  EXPECT_EQ(Demangle(cut), cut);
}

// Each level refers to the previous one twice: 2 to the power of `levels` leaves.
std::string DoublingCpp(int levels, std::string_view before) {
  std::string name = "_Z1f" + std::string(before) + "1pI";
  for (int i = 1; i < levels; ++i)
    name += "S_I";
  name += "iiE";
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int i = 0; i + 1 < levels; ++i)
    name += "S" + std::string(1, kDigits[static_cast<size_t>(i) % 36]) + "_E";
  return name;
}

TEST(DemangleLimits, KeepsCppNamesThatWouldGrowWithoutLimit) {
  EXPECT_EQ(Demangle(DoublingCpp(2, "")), "f(p<p<int, int>, p<int, int> >)");
  for (const std::string_view before : {"", "Dp"}) {
    for (int levels = 12; levels <= 35; ++levels) {
      const std::string name = DoublingCpp(levels, before);
      EXPECT_EQ(Demangle(name), name) << levels;
    }
    EXPECT_GT(CppExpansionBound(DoublingCpp(30, before)), kCppExpandedBytesMax);
  }
  EXPECT_LT(CppExpansionBound("_ZNSt6vectorIiSaIiEE9push_backERKi"), 1000u);
}

TEST(DemangleLimits, CountsTemplateParametersAsReferences) {
  std::string name = "_Z1f";
  for (int i = 0; i < 40; ++i)
    name += "I1pIT_T_E";
  EXPECT_EQ(CppExpansionBound(name) > kCppExpandedBytesMax, true);
  EXPECT_EQ(Demangle(name), name);
}

TEST(DemangleLimits, KeepsLongAndDeepCppNames) {
  for (const size_t depth : {2'000, 4'000, 100'000}) {
    const std::string name = "_Z1f" + std::string(depth, 'P') + "i";
    EXPECT_EQ(Demangle(name), name);
  }
}

TEST(DemangleLimits, RustNamesEndAtTheDepthLimit) {
  const auto nested = [](int depth) {
    std::string name = "_RINvC1a1f";
    name.append(static_cast<size_t>(depth), 'R');
    return name + "hE";
  };
  EXPECT_EQ(Demangle(nested(kNameDepthMax - 3)),
            "a::f::<" + std::string(static_cast<size_t>(kNameDepthMax - 3), '&') + "u8>");
  EXPECT_EQ(Demangle(nested(kNameDepthMax)), nested(kNameDepthMax));
}

TEST(DemangleLimits, RustBackReferencesCannotGrowWithoutLimit) {
  // Positions are counted after `_R`: each tuple refers to the previous one twice.
  constexpr std::string_view kDigits =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "INvC1a1fThhE";
  size_t last = 8;
  for (int i = 0; i < 12; ++i) {
    const std::string reference = {'B', kDigits[last - 1], '_'};
    last = name.size();
    name += "T" + reference + reference + "E";
    if (last > 61)
      break;
  }
  name = "_R" + name + "E";
  EXPECT_LE(Demangle(name).size(), kReadableBytesMax);
  // A reference to itself, or a forward reference.
  EXPECT_EQ(Demangle("_RINvC1a1fB7_E"), "_RINvC1a1fB7_E");
  EXPECT_EQ(Demangle("_RINvC1a1fSB7_E"), "_RINvC1a1fSB7_E");
  EXPECT_EQ(Demangle("_RB_"), "_RB_");
}

TEST(DemangleLimits, KeepsSelfReferencingDNames) {
  EXPECT_EQ(Demangle("_D3foo3barFAQbZv"), "_D3foo3barFAQbZv");
  EXPECT_EQ(Demangle("_DQb"), "_DQb");
  const std::string deep = "_D1a1bF" + std::string(1000, 'A') + "iZv";
  EXPECT_EQ(Demangle(deep), deep);
}

TEST(DemangleLimits, OverlongResultFallsBackToTheRawName) {
  const std::string path = "2000" + std::string(2000, 'x');
  std::string name = "_RNvNtNtNtNtNtNtNtNtC" + path;
  for (int i = 0; i < 9; ++i)
    name += path;
  EXPECT_EQ(Demangle(name), name);
  EXPECT_GT(name.size(), kReadableBytesMax);
}

TEST(Punycode, DecodesValidAndRejectsInvalidText) {
  EXPECT_EQ(DecodePunycode("Gre_6ka8i"), "Größe");
  EXPECT_EQ(DecodePunycode("bcher_kva"), "bücher");
  EXPECT_EQ(DecodePunycode("n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
            "なぜみんな日本語を話してくれないのか");
  EXPECT_EQ(DecodePunycode("abc_"), "");
  EXPECT_EQ(DecodePunycode("99999999999999"), "");
  EXPECT_EQ(DecodePunycode("!"), "");
  EXPECT_EQ(DecodePunycode(std::string(2000, 'a')), "");
}

}  // namespace
}  // namespace flarestack::symbol

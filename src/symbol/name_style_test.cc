// SPDX-License-Identifier: Apache-2.0
#include "symbol/name_style.h"

#include <gtest/gtest.h>

namespace flarestack::symbol {
namespace {

std::string Simple(std::string_view name) { return ShortenName(name, NameStyle::kSimple); }
std::string NoTemplates(std::string_view name) {
  return ShortenName(name, NameStyle::kNoTemplates);
}

TEST(NameStyle, FullKeepsTheName) {
  EXPECT_EQ(ShortenName("void f<int>(int) const", NameStyle::kFull), "void f<int>(int) const");
}

TEST(NameStyle, SimpleDropsParametersAndReturnType) {
  EXPECT_EQ(Simple("foo()"), "foo");
  EXPECT_EQ(Simple("ns::foo(int, char const*)"), "ns::foo");
  EXPECT_EQ(Simple("void foo<int>(int)"), "foo<int>");
  EXPECT_EQ(Simple("unsigned long foo<int>(int)"), "foo<int>");
  EXPECT_EQ(Simple("std::vector<int, std::allocator<int> > foo<int>(int)"), "foo<int>");
  EXPECT_EQ(Simple("ns::Foo::bar(std::function<void (int)>) const"), "ns::Foo::bar");
  EXPECT_EQ(Simple("ns::Foo::bar() &&"), "ns::Foo::bar");
  EXPECT_EQ(Simple("ns::Foo::~Foo()"), "ns::Foo::~Foo");
  EXPECT_EQ(Simple("decltype (fp(0)) foo<int>(int)"), "foo<int>");
}

TEST(NameStyle, SimpleDropsAbiTagsAndClones) {
  EXPECT_EQ(Simple("foo::name[abi:cxx11](int) const"), "foo::name");
  EXPECT_EQ(Simple("foo<bar[abi:cxx11]>()"), "foo<bar>");
  EXPECT_EQ(Simple("foo() [clone .part.0]"), "foo");
}

TEST(NameStyle, KeepsOperatorNames) {
  EXPECT_EQ(Simple("Foo::operator()(int) const"), "Foo::operator()");
  EXPECT_EQ(Simple("Foo::operator[](int)"), "Foo::operator[]");
  EXPECT_EQ(Simple("Foo::operator->() const"), "Foo::operator->");
  EXPECT_EQ(Simple("operator<(A const&, A const&)"), "operator<");
  EXPECT_EQ(Simple("bool operator< <int>(A<int> const&)"), "operator< <int>");
  EXPECT_EQ(Simple("std::ostream& operator<< <char>(std::ostream&, char)"), "operator<< <char>");
  EXPECT_EQ(Simple("Foo::operator<=>(Foo const&) const"), "Foo::operator<=>");
  EXPECT_EQ(Simple("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(Simple("operator delete[](void*)"), "operator delete[]");
  EXPECT_EQ(Simple("operator\"\" _kb(unsigned long long)"), "operator\"\" _kb");
  EXPECT_EQ(Simple("Foo::operator bool() const"), "Foo::operator bool");
  EXPECT_EQ(Simple("Foo::operator std::vector<int> const&() const"),
            "Foo::operator std::vector<int> const&");
  EXPECT_EQ(Simple("Foo::operators(int)"), "Foo::operators");
  EXPECT_EQ(NoTemplates("void Foo::operator()<std::string>(std::string)"), "Foo::operator()<...>");
  EXPECT_EQ(NoTemplates("foo<&(operator<(A, A))>()"), "foo<...>");
}

TEST(NameStyle, LocalNamesKeepTheirFunction) {
  EXPECT_EQ(Simple("foo(int)::{lambda(int)#1}::operator()(int) const"),
            "foo::{lambda(int)#1}::operator()");
  EXPECT_EQ(Simple("ns::Foo::bar(int) const::Local::run()"), "ns::Foo::bar::Local::run");
  EXPECT_EQ(Simple("foo()::{unnamed type#1}::x()"), "foo::{unnamed type#1}::x");
  EXPECT_EQ(Simple("(anonymous namespace)::foo((anonymous namespace)::Bar)"),
            "(anonymous namespace)::foo");
  EXPECT_EQ(Simple("void (anonymous namespace)::foo<int>()"), "(anonymous namespace)::foo<int>");
}

TEST(NameStyle, HandlesFunctionsThatReturnFunctions) {
  EXPECT_EQ(Simple("void (*foo<int>(int))(char)"), "foo<int>");
  EXPECT_EQ(Simple("int (&ns::foo<int>())[3]"), "ns::foo<int>");
}

TEST(NameStyle, KeepsCompilerPrefixes) {
  EXPECT_EQ(Simple("vtable for Foo<int>"), "vtable for Foo<int>");
  EXPECT_EQ(Simple("guard variable for foo(int)::x"), "guard variable for foo::x");
  EXPECT_EQ(NoTemplates("non-virtual thunk to Foo<std::string>::bar(int)"),
            "non-virtual thunk to Foo<...>::bar");
}

TEST(NameStyle, TemplatesCollapse) {
  EXPECT_EQ(NoTemplates("std::vector<int, std::allocator<int> >::push_back(int const&)"),
            "std::vector<...>::push_back");
  EXPECT_EQ(NoTemplates("a<b<c<d> > >::e<(1>0)>()"), "a<...>::e<...>");
  EXPECT_EQ(NoTemplates("foo<int (*)(char), {lambda()#1}>()"), "foo<...>");
  EXPECT_EQ(NoTemplates("foo<T>()"), "foo<T>");  // would not get shorter
  EXPECT_EQ(NoTemplates("foo<decltype(x->y)>()"), "foo<...>");
  EXPECT_EQ(NoTemplates("Foo<std::string>::value"), "Foo<...>::value");
}

TEST(NameStyle, KeepsNamesOfOtherLanguages) {
  for (const std::string_view name :
       {"main.(*T).Method", "main.Map[...].func1", "github.com/x/y.(*Z[go.shape.int]).W", "main",
        "foo.bar!(int, 5).baz(int)", "java.util.List.add(Object)", "<u8 as hello::Bar>::run",
        "hello::map::<u32, a::B>", "core::ops::function::FnOnce::call_once", "foo(", "foo<bar",
        "foo)bar(", "[unknown]", ""}) {
    EXPECT_EQ(Simple(name), name);
    EXPECT_EQ(NoTemplates(name), name);
  }
}

}  // namespace
}  // namespace flarestack::symbol

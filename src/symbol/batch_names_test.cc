// SPDX-License-Identifier: Apache-2.0
#include "symbol/batch_names.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "model/builder/batch_builder.h"
#include "model/frame.h"
#include "symbol/table/table_writer.h"

namespace flarestack::symbol {
namespace {

constexpr std::string_view kGnuKey = "process.executable.build_id.gnu";

// A library with one function at 0x1100 and another one inlined into its second half. Its code is
// at 0x1000 in the file and at 0x2000 in memory.
std::string ShopTable() {
  TableWriter writer;
  writer.AddId({.kind = IdKind::kGnu, .text = "ab12"});
  writer.SetSegments(
      {{.type = 1, .flags = 1, .offset = 0x1000, .address = 0x2000, .file_bytes = 0x1000}});
  const elf::SourceFrame outer = {
      .function = "_ZN4shop4cart3addEi", .file = "cart.cc", .line = 12, .start_line = 10};
  const std::vector<elf::SourceFrame> inlined = {
      {.function = "price", .file = "price.h", .line = 3}, outer};
  EXPECT_TRUE(
      writer.Add({.begin = 0x2100, .end = 0x2110, .frames = {&outer, 1}}, Quality::kDwarf).ok());
  EXPECT_TRUE(
      writer.Add({.begin = 0x2110, .end = 0x2120, .frames = inlined}, Quality::kDwarf).ok());
  const elf::SourceFrame nameless;
  for (const uint64_t begin : {0x2130u, 0x2140u}) {
    EXPECT_TRUE(
        writer
            .Add({.begin = begin, .end = begin + 0x10, .frames = {&nameless, 1}}, Quality::kEhFrame)
            .ok());
  }
  return *writer.Finish();
}

class BatchNamesTest : public ::testing::Test {
 protected:
  model::MappingIndex Mapping(const model::Mapping& fields, std::string_view id) {
    model::DictionaryBuilder& dictionary = builder_.dictionary();
    model::Mapping mapping = fields;
    mapping.filename = dictionary.String("libshop.so");
    std::vector<model::AttributeIndex> attributes;
    if (!id.empty())
      attributes.push_back(dictionary.Attribute(kGnuKey, model::AnyValue::String(id)));
    return dictionary.Mapping(mapping, attributes);
  }

  void Location(model::MappingIndex mapping, uint64_t address) {
    builder_.dictionary().Location({.mapping = mapping, .address = address}, {}, {});
  }

  // Returns the names of the locations, or their addresses.
  std::string Named() {
    model::Batch batch = *std::move(builder_).Finish();
    const std::string bytes = ShopTable();
    const auto table = std::make_shared<const SymbolTable>(*SymbolTable::Open(bytes));
    const auto table_of = [&](const Module& module) {
      ++requested_;
      return module.Key() == "ab12" ? table : nullptr;
    };
    result_ = NameLocations(table_of, &names_, &batch);
    const model::Dictionary& dictionary = batch.dictionary;
    std::string text;
    for (size_t i = 1; i < dictionary.locations.size(); ++i) {
      const model::Location& location = dictionary.locations[i];
      base::StrAppend(&text, base::Hex(location.address));
      if (const auto begin = model::FunctionAddress(dictionary, {static_cast<uint32_t>(i)});
          begin.has_value())
        base::StrAppend(&text, " in ", base::Hex(*begin));
      for (const model::Line& line : model::In(dictionary.lines, location.lines)) {
        const model::Function& function = dictionary.functions[line.function.value];
        base::StrAppend(&text, " ", dictionary.Text(function.name), "@",
                        dictionary.Text(function.filename), ":", line.line);
      }
      text += "\n";
    }
    return text;
  }

  model::BatchBuilder builder_;
  NameCache names_;
  NamingResult result_;
  int requested_ = 0;
};

TEST_F(BatchNamesTest, SymbolizesFileAddresses) {
  const model::MappingIndex mapping = Mapping({}, "ab12");
  Location(mapping, 0x2100);
  Location(mapping, 0x2118);
  Location(mapping, 0x2120);
  EXPECT_EQ(Named(),
            "0x2100 shop::cart::add(int)@cart.cc:12\n"
            "0x2118 price@price.h:3 shop::cart::add(int)@cart.cc:12\n"
            "0x2120\n");
  EXPECT_EQ(result_.named, 2u);
  EXPECT_EQ(result_.unnamed, 1u);
  EXPECT_EQ(requested_, 1);
}

TEST_F(BatchNamesTest, SymbolizesProcessAddresses) {
  const model::MappingIndex mapping = Mapping(
      {.memory_start = 0x7f0000001000, .memory_limit = 0x7f0000002000, .file_offset = 0x1000},
      "ab12");
  Location(mapping, 0x7f0000001104);
  EXPECT_EQ(Named(), "0x7f0000001104 shop::cart::add(int)@cart.cc:12\n");
}

// As sent by host profilers: file addresses, mapped where the segment is.
TEST_F(BatchNamesTest, SymbolizesFileAddressesMappedAtTheSegment) {
  const model::MappingIndex mapping =
      Mapping({.memory_start = 0x2000, .memory_limit = 0x3000, .file_offset = 0x1000}, "ab12");
  Location(mapping, 0x2104);
  EXPECT_EQ(Named(), "0x2104 shop::cart::add(int)@cart.cc:12\n");
}

// A stripped file has no names, but its unwind tables give the bounds of functions.
TEST_F(BatchNamesTest, UnnamedFunctionIsIdentifiedByItsStart) {
  const model::MappingIndex mapping = Mapping({}, "ab12");
  for (const uint64_t address : {0x2130u, 0x213fu, 0x2140u, 0x2150u})
    Location(mapping, address);
  EXPECT_EQ(Named(), "0x2130 in 0x2130\n0x213f in 0x2130\n0x2140 in 0x2140\n0x2150\n");
  EXPECT_EQ(result_.unnamed, 4u);
}

TEST_F(BatchNamesTest, KeepsOtherLocationsUnchanged) {
  Location(Mapping({}, ""), 0x2100);
  Location(Mapping({}, "ab13"), 0x2100);
  EXPECT_EQ(Named(), "0x2100\n0x2100\n");
  EXPECT_EQ(result_.unnamed, 2u);
  EXPECT_EQ(requested_, 1);
}

TEST(Module, IdsBecomeKeysSafeInPaths) {
  EXPECT_EQ(KeyOf({.kind = IdKind::kGnu, .text = "ab12"}), "ab12");
  EXPECT_EQ(KeyOf({.kind = IdKind::kGnu, .text = "../ab12"}), "");
  EXPECT_EQ(KeyOf({.kind = IdKind::kGo, .text = "a/b"}), "go-612f62");
  EXPECT_EQ(KeyOf({.kind = IdKind::kHtlHash, .text = "ff"}), "htl-ff");
  EXPECT_EQ(Module{}.Key(), "");
  const Module both = {
      .ids = {{.kind = IdKind::kGnu, .text = "a b"}, {.kind = IdKind::kHtlHash, .text = "ff"}}};
  EXPECT_EQ(both.Key(), "htl-ff");
}

TEST(NameCache, StaysWithinItsLimit) {
  NameCache names(1000);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(names.Readable(base::StrCat("_Z3f", i % 10 + 10, "v")),
              base::StrCat("f", i % 10 + 10, "()"));
  EXPECT_EQ(names.Readable("_Z1fv"), "f()");
  EXPECT_EQ(names.Readable("_Z1fv"), "f()");
  EXPECT_LE(names.bytes(), 1000u);
  EXPECT_EQ(names.Readable(std::string(2000, 'x')).size(), 2000u);
  EXPECT_LE(names.bytes(), 1000u);
}

}  // namespace
}  // namespace flarestack::symbol

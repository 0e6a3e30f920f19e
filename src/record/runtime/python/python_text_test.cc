// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

namespace flarestack::record::runtime {
namespace {

using namespace std::string_view_literals;

constexpr uint64_t kAddress = 0x1000;

struct Text {
  uint32_t state = 0;
  uint64_t length = 0;
  std::string_view data;  // of a str that has only ASCII, otherwise after two more words
};

// A str object in the layout of 3.14 without GIL.
absl::StatusOr<std::string> ReadText(const Text& text) {
  PythonLayout layout;
  layout.text_length = 32;
  layout.text_state = 48;
  layout.text_ascii_data = 56;
  layout.text_data = 72;
  std::string object(layout.text_data, '\0');
  std::memcpy(object.data() + layout.text_length, &text.length, sizeof(text.length));
  std::memcpy(object.data() + layout.text_state, &text.state, sizeof(text.state));
  const bool is_ascii = text.data.find_first_of("\x80\xff\x01"sv) == std::string_view::npos;
  object.resize(is_ascii ? layout.text_ascii_data : layout.text_data);
  object += text.data;
  const auto read = [&](uint64_t address, std::span<char> out) {
    if (address < kAddress || address - kAddress + out.size() > object.size())
      return absl::OutOfRangeError("beyond the object");
    std::memcpy(out.data(), object.data() + (address - kAddress), out.size());
    return absl::OkStatus();
  };
  return ReadPythonText(layout, kAddress, read);
}

// {interned, kind, is compact, is ASCII}, from bit 0, `interned_bits` and from bit 3 and 4 after
// it.
uint32_t State(uint32_t interned, unsigned interned_bits, uint32_t kind, bool is_ascii) {
  return interned | (kind | 1u << 3 | uint32_t{is_ascii} << 4) << interned_bits;
}

TEST(PythonTextTest, DecodesTheStateOfEachBuild) {
  for (const unsigned interned_bits : {2u, 8u, 16u}) {  // with GIL, 3.14 without, 3.13 without
    for (uint32_t interned = 0; interned < 4; ++interned) {
      SCOPED_TRACE(testing::Message() << interned << " in " << interned_bits << " bits");
      EXPECT_EQ(*ReadText({State(interned, interned_bits, 1, true), 4, "cart"}), "cart");
      EXPECT_EQ(*ReadText({State(interned, interned_bits, 1, false), 2, "\x80o"sv}), "\u0080o");
      EXPECT_EQ(*ReadText({State(interned, interned_bits, 2, false), 1, "\x3c\x01"sv}), "\u013c");
      EXPECT_EQ(*ReadText({State(interned, interned_bits, 4, false), 1, "\x65\xd4\x01\x00"sv}),
                "\U0001d465");
    }
  }
}

TEST(PythonTextTest, OtherObjectsAreNotText) {
  EXPECT_EQ(ReadText({0, 4, "cart"}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadText({~0u, 4, "cart"}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flarestack::record::runtime

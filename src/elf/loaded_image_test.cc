// SPDX-License-Identifier: Apache-2.0
#include "elf/loaded_image.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/testing/loaded_image_builder.h"

namespace flarestack::elf {
namespace {

using testing::ImageMemory;
using testing::LoadedImageBuilder;

constexpr uint64_t kBase = 0x7f0000000000;

// An image at kBase together with the memory it was read from, and the queries of the tests.
class Fixture {
 public:
  explicit Fixture(const LoadedImageBuilder& builder) : memory_(kBase, builder.Build()) {}

  absl::StatusOr<LoadedImage> Read() { return LoadedImage::Read(Reader(), kBase); }
  std::optional<DynamicSymbol> Find(const LoadedImage& image, std::string_view name) {
    const auto symbol = image.FindSymbol(Reader(), name);
    EXPECT_TRUE(symbol.ok()) << symbol.status();
    return symbol.ok() ? *symbol : std::nullopt;
  }
  std::vector<ThreadLocalRelocation> Relocations(const LoadedImage& image) {
    const auto relocations = image.ThreadLocalRelocations(Reader());
    EXPECT_TRUE(relocations.ok()) << relocations.status();
    return relocations.value_or(std::vector<ThreadLocalRelocation>());
  }
  bool IsNamed(const LoadedImage& image, uint32_t index, std::string_view name) {
    return image.IsNamed(Reader(), index, name).value_or(false);
  }

 private:
  ImageReader Reader() { return read_; }

  ImageMemory memory_;
  std::function<absl::Status(uint64_t, std::span<char>)> read_ =
      [this](uint64_t address, std::span<char> out) { return memory_.Read(address, out); };
};

TEST(LoadedImageTest, FindsASymbolWithAndWithoutRelocatedPointers) {
  for (const uint64_t pointer_bias : {uint64_t{0}, kBase}) {
    Fixture fixture({.pointer_bias = pointer_bias});
    const auto image = fixture.Read();
    ASSERT_TRUE(image.ok()) << image.status();
    EXPECT_EQ(image->bias(), kBase);
    const auto symbol = fixture.Find(*image, "variable");
    ASSERT_TRUE(symbol.has_value());
    EXPECT_TRUE(symbol->is_thread_local());
    EXPECT_EQ(symbol->value, 0x18u);
    EXPECT_EQ(symbol->index, LoadedImageBuilder::kVariableIndex);
    EXPECT_FALSE(fixture.Find(*image, "variabl").has_value());
    EXPECT_FALSE(fixture.Find(*image, "variables").has_value());
    EXPECT_FALSE(fixture.Find(*image, "elsewhere").has_value()) << "not defined in this image";
    EXPECT_TRUE(fixture.IsNamed(*image, LoadedImageBuilder::kElsewhereIndex, "elsewhere"));
  }
}

TEST(LoadedImageTest, RecognisesThreadLocalRelocationsByMachine) {
  const auto slots = [](uint16_t machine, std::vector<uint32_t> types) {
    LoadedImageBuilder builder = {.machine = machine};
    for (const uint32_t type : types)
      builder.relocations.push_back({.type = type, .offset = 0x800, .symbol = 1, .addend = 5});
    Fixture fixture(builder);
    const auto image = fixture.Read();
    std::string text;
    for (const ThreadLocalRelocation& relocation : fixture.Relocations(*image)) {
      EXPECT_EQ(relocation.address, kBase + 0x800);
      EXPECT_EQ(relocation.symbol, 1u);
      EXPECT_EQ(relocation.addend, 5);
      text += "odm"[static_cast<int>(relocation.slot)];
    }
    return text;
  };
  EXPECT_EQ(slots(EM_X86_64, {18, 36, 16, 17, 8, 6}), "odm");
  EXPECT_EQ(slots(EM_AARCH64, {1030, 1031, 1028, 1029, 1027}), "odm");
  EXPECT_EQ(slots(EM_RISCV, {18, 36, 16, 1030}), "");
}

TEST(LoadedImageTest, RejectsInvalidImages) {
  const auto read_with = [](auto change) {
    std::string bytes = LoadedImageBuilder().Build();
    change(&bytes);
    const ImageMemory memory(kBase, bytes);
    return LoadedImage::Read(
               [&](uint64_t address, std::span<char> out) { return memory.Read(address, out); },
               kBase)
        .status();
  };
  EXPECT_TRUE(read_with([](std::string*) {}).ok());
  EXPECT_FALSE(read_with([](std::string* bytes) { (*bytes)[0] = 'x'; }).ok());
  EXPECT_EQ(read_with([](std::string* bytes) { (*bytes)[EI_CLASS] = ELFCLASS32; }).code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_FALSE(read_with([](std::string* bytes) { bytes->resize(63); }).ok());
  EXPECT_FALSE(read_with([](std::string* bytes) {
                 (*bytes)[offsetof(Elf64_Ehdr, e_phnum) + 1] = 2;  // 512 or more
               }).ok());
  EXPECT_FALSE(read_with([](std::string* bytes) { (*bytes)[64] = PT_NULL; }).ok())
      << "no loaded segment";
}

TEST(LoadedImageTest, RejectsTooManyRelocationsBeforeReadingAny) {
  std::string bytes = LoadedImageBuilder().Build();
  const size_t at = bytes.find(std::string("\x08\0\0\0\0\0\0\0", 8), 0x180);  // DT_RELASZ
  ASSERT_NE(at, std::string::npos);
  bytes[at + 15] = 1;
  const ImageMemory memory(kBase, bytes);
  const auto read = [&](uint64_t address, std::span<char> out) {
    return memory.Read(address, out);
  };
  const auto image = LoadedImage::Read(read, kBase);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->ThreadLocalRelocations(read).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(LoadedImageTest, CyclicHashTableEnds) {
  std::string bytes = LoadedImageBuilder().Build();
  bytes[0x380 + 4 * 5] = 2;  // symbol 2 links to itself
  const ImageMemory memory(kBase, bytes);
  const auto read = [&](uint64_t address, std::span<char> out) {
    return memory.Read(address, out);
  };
  const auto image = LoadedImage::Read(read, kBase);
  ASSERT_TRUE(image.ok());
  EXPECT_FALSE(image->FindSymbol(read, "variable")->has_value());
}

// The C library of this process, found through the dynamic linker's own list.
TEST(LoadedImageTest, FunctionAddressesMatchTheDynamicLinker) {
  const auto read = [](uint64_t address, std::span<char> out) {
    std::memcpy(out.data(), reinterpret_cast<const void*>(address), out.size());
    return absl::OkStatus();
  };
  uint64_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        if (std::string_view(info->dlpi_name).find("libc.so") != std::string_view::npos)
          *static_cast<uint64_t*>(found) = info->dlpi_addr;
        return 0;
      },
      &base);
  if (base == 0)
    GTEST_SKIP() << "the C library is not loaded as a library";
  const auto image = LoadedImage::Read(read, base);
  ASSERT_TRUE(image.ok()) << image.status();
  const auto symbol = image->FindSymbol(read, "getauxval");
  ASSERT_TRUE(symbol.ok() && symbol->has_value()) << symbol.status();
  EXPECT_EQ(image->bias() + (*symbol)->value, reinterpret_cast<uint64_t>(&getauxval));
  EXPECT_FALSE(image->FindSymbol(read, "no_such_function")->has_value());
  const auto variable = image->FindSymbol(read, "errno");
  ASSERT_TRUE(variable.ok());
  if (variable->has_value()) {
    EXPECT_TRUE((*variable)->is_thread_local());
    EXPECT_NE(image->thread_local_segment(), nullptr);
  }
}

}  // namespace
}  // namespace flarestack::elf

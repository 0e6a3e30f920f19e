// SPDX-License-Identifier: Apache-2.0
#include "server/symbols/debuginfod_routes.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/compress/compress.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "elf/testing/elf_builder.h"
#include "net/auth/credential_hash.h"
#include "server/symbols/symbol_service.h"

namespace flarestack::server {
namespace {

constexpr uint64_t kSectionBytes = 16 << 20;
constexpr char kBuildId[] = "0123456789abcdef";

// Lines of zeros, which compress to a few kilobytes.
std::string FileWithPackedSection() {
  std::string packed;
  elf::testing::Append(uint32_t{ELFCOMPRESS_ZLIB}, &packed);
  elf::testing::Append(uint32_t{0}, &packed);
  elf::testing::Append(kSectionBytes, &packed);
  elf::testing::Append(uint64_t{1}, &packed);
  packed += base::Deflate(std::string(kSectionBytes, '\0'));
  elf::testing::ElfBuilder builder;
  builder.AddSection(
      {.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000, .bytes = "code"});
  builder.AddSection({.name = ".note.gnu.build-id",
                      .type = SHT_NOTE,
                      .bytes = elf::testing::Note("GNU", 3, kBuildId)});
  builder.AddSection({.name = ".debug_line", .flags = SHF_COMPRESSED, .bytes = packed});
  return builder.Build();
}

class DebuginfodRoutesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "debuginfod_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    SymbolServiceOptions options;
    options.directory = directory_;
    options.uses_host_files = false;
    auto opened = SymbolService::Open(options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    symbols_ = *std::move(opened);
    ASSERT_TRUE(Push(FileWithPackedSection()).ok());
  }
  void TearDown() override {
    symbols_.reset();
    std::filesystem::remove_all(directory_);
  }

  absl::Status Push(const std::string& file) {
    symbol::Uploads& uploads = symbols_->uploads();
    FLARE_ASSIGN(const std::string id, uploads.Begin({.key = base::HexEncode(kBuildId),
                                                      .total_bytes = file.size(),
                                                      .sha256 = base::HexEncode(net::Sha256(file)),
                                                      .name = "cart"}));
    FLARE_RETURN_IF_ERROR(uploads.Append(id, 0, file).status());
    return uploads.Finish(id).status();
  }

  net::HttpResponse GetSection(base::ByteBudget* budget) {
    const std::vector<net::HttpRoute> routes =
        DebuginfodRoutes([this](const net::HttpRequest&) -> absl::StatusOr<SymbolService*> {
          return symbols_.get();
        });
    net::HttpRequest request;
    request.method = "GET";
    request.path_parameters.Add("id", base::HexEncode(kBuildId));
    request.path_parameters.Add("name", ".debug_line");
    request.lease = base::ByteLease(budget);
    return routes.back().handler(request);
  }

  std::string directory_;
  std::unique_ptr<SymbolService> symbols_;
};

TEST_F(DebuginfodRoutesTest, ReservesMemoryBeforeDecompressingASection) {
  base::ByteBudget enough(64 << 20);
  EXPECT_EQ(GetSection(&enough).body.size(), kSectionBytes);
  EXPECT_GE(enough.high_water_bytes(), kSectionBytes);
  EXPECT_EQ(enough.current_bytes(), 0u);

  ASSERT_TRUE(enough.TryAcquire(56 << 20));
  const net::HttpResponse later = GetSection(&enough);
  EXPECT_EQ(later.status, 503);
  EXPECT_EQ(later.headers.Get("Retry-After"), "1");

  base::ByteBudget never(8 << 20);
  EXPECT_EQ(GetSection(&never).status, 500);
}

}  // namespace
}  // namespace flarestack::server

// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_scopes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kNmethod = 0x10000;
constexpr uint64_t kOuter = 0xa00;
constexpr uint64_t kInlined = 0xb00;
constexpr uint32_t kCompileId = 7;

// An nmethod as JDK 8 has it, with everything in one blob, and smaller.
class SmallNmethod {
 public:
  SmallNmethod() {
    constexpr uint16_t kHeaderBytes = 40;
    Put(kHeaderBytesAt, kHeaderBytes);
    Put(kIdAt, kCompileId);
    Put(kMethodAt, kOuter);
    Put(kMetadataAt, uint32_t{kHeaderBytes});
    Put(kHeaderBytes, kOuter);
    Put(kHeaderBytes + 8, kInlined);
    Put(kScopesAt, kScopes);
    // Each scope is the offset of its caller's, the number of its method, its bytecode index + 1.
    const char scopes[] = {0, 0, 1, 6, 1, 2, 3, 0};
    bytes_.replace(kScopes, sizeof(scopes), scopes, sizeof(scopes));
    Put(kPcsAt, kPcs);
    const int32_t pcs[][4] = {{-1, 0, 0, 0}, {10, 1, 0, 0}, {20, 4, 0, 0}, {30, 0, 0, 0}};
    std::memcpy(bytes_.data() + kPcs, pcs, sizeof(pcs));
    Put(kDependenciesAt, uint32_t{kPcs + sizeof(pcs)});

    process_.major = 8;
    JavaLayout& layout = process_.layout;
    layout.frames.blob_header_size = kHeaderBytesAt;
    layout.frames.nmethod_bytes = kHeaderBytes;
    layout.frames.blob_code = kCodeAt;
    layout.nmethod_compile_id = kIdAt;
    layout.nmethod_method = kMethodAt;
    layout.nmethod_metadata = kMetadataAt;
    layout.nmethod_scopes = kScopesAt;
    layout.nmethod_pcs = kPcsAt;
    layout.nmethod_dependencies = kDependenciesAt;
  }

  std::vector<JavaScope> ScopesAt(uint32_t offset, bool is_return_address = false) const {
    const auto read = [&](uint64_t address, std::span<char> out) {
      if (address < kNmethod || address - kNmethod + out.size() > bytes_.size())
        return absl::OutOfRangeError("beyond the blob");
      std::memcpy(out.data(), bytes_.data() + (address - kNmethod), out.size());
      return absl::OkStatus();
    };
    const auto scopes = ReadJavaScopes(process_, read,
                                       {.nmethod = kNmethod,
                                        .compile_id = kCompileId,
                                        .offset = offset,
                                        .is_return_address = is_return_address});
    EXPECT_TRUE(scopes.ok()) << scopes.status();
    return scopes.value_or(std::vector<JavaScope>());
  }

 private:
  static constexpr uint8_t kHeaderBytesAt = 0;
  static constexpr uint8_t kCodeAt = 4;
  static constexpr uint32_t kIdAt = 8;
  static constexpr uint32_t kMetadataAt = 12;
  static constexpr uint32_t kMethodAt = 16;
  static constexpr uint32_t kScopesAt = 24;
  static constexpr uint32_t kPcsAt = 28;
  static constexpr uint32_t kDependenciesAt = 32;
  static constexpr uint32_t kScopes = 56;
  static constexpr uint32_t kPcs = 64;

  template <typename T>
  void Put(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(value));
  }

  std::string bytes_ = std::string(128, '\0');
  JavaProcess process_;
};

TEST(JavaScopesTest, FindsTheMethodsAtTheNextRecordedPosition) {
  const SmallNmethod nmethod;
  const std::vector<JavaScope> outer = {{.method = kOuter, .bci = 5}};
  const std::vector<JavaScope> both = {{.method = kInlined, .bci = 2},
                                       {.method = kOuter, .bci = 5}};
  EXPECT_EQ(nmethod.ScopesAt(5), outer);
  EXPECT_EQ(nmethod.ScopesAt(10, /*is_return_address=*/true), outer);
  EXPECT_EQ(nmethod.ScopesAt(10), both);
  EXPECT_EQ(nmethod.ScopesAt(15), both);
}

TEST(JavaScopesTest, AfterTheLastPositionOnlyTheMethodItselfIsCertain) {
  const SmallNmethod nmethod;
  EXPECT_EQ(nmethod.ScopesAt(25), (std::vector<JavaScope>{{.method = kOuter, .bci = 5}}));
  // Return addresses are recorded exactly, or not at all: in native methods.
  EXPECT_EQ(nmethod.ScopesAt(25, /*is_return_address=*/true),
            (std::vector<JavaScope>{{.method = kOuter}}));
}

}  // namespace
}  // namespace flarestack::record::runtime

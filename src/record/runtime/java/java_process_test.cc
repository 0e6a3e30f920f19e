// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_process.h"

#include <gtest/gtest.h>

#include <map>
#include <span>
#include <string>

#include "base/file/mapped_file.h"
#include "elf/elf_file.h"
#include "record/runtime/java/java_file.h"
#include "record/runtime/java/java_names.h"

namespace flarestack::record::runtime {
namespace {

// Memory of a process that has only the words that a test sets.
class Words {
 public:
  void Set(uint64_t address, uint64_t value) { words_[address] = value; }
  absl::Status Read(uint64_t address, std::span<char> out) const {
    for (size_t i = 0; i < out.size(); ++i) {
      const auto found = words_.find((address + i) & ~uint64_t{7});
      if (found == words_.end())
        return absl::OutOfRangeError("nothing there");
      out[i] = static_cast<char>(found->second >> (((address + i) & 7) * 8));
    }
    return absl::OkStatus();
  }

 private:
  std::map<uint64_t, uint64_t> words_;
};

TEST(JavaFileTest, OtherFilesAreNotHotSpot) {
  const auto file = elf::ElfFile::Parse(std::string_view("\x7f\x45\x4c\x46", 4));
  EXPECT_FALSE(file.ok());
  const auto own = base::MappedFile::Open("/proc/self/exe");
  ASSERT_TRUE(own.ok());
  const auto parsed = elf::ElfFile::Parse(own->bytes());
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(ReadJavaFile(*parsed).status().code(), absl::StatusCode::kNotFound);
}

TEST(JavaProcessTest, ReportsTheVersionAndMissingFieldsOfAnUnknownLayout) {
  Words memory;
  memory.Set(0x1000, 99);
  VmStructs structs;
  structs.AddAddress("Abstract_VM_Version", "_vm_major_version", 0x1000);
  structs.AddOffset("CodeHeap", "_memory", 8);
  const auto read = [&](uint64_t address, std::span<char> out) {
    return memory.Read(address, out);
  };
  const auto process = AttachJava(read, structs);
  EXPECT_EQ(process.status().code(), absl::StatusCode::kUnimplemented);
  const std::string message(process.status().message());
  EXPECT_NE(message.find("JDK 99"), std::string::npos) << message;
  EXPECT_NE(message.find("CodeHeap::_segmap"), std::string::npos) << message;
  EXPECT_EQ(message.find("CodeHeap::_memory"), std::string::npos) << message;
}

TEST(JavaProcessTest, IsUnavailableBeforeHotSpotHasAVersion) {
  Words memory;
  memory.Set(0x1000, 0);
  VmStructs structs;
  structs.AddAddress("Abstract_VM_Version", "_vm_major_version", 0x1000);
  const auto read = [&](uint64_t address, std::span<char> out) {
    return memory.Read(address, out);
  };
  EXPECT_EQ(AttachJava(read, structs).status().code(), absl::StatusCode::kUnavailable);
}

TEST(VmStructsTest, ATableWithoutEndIsAnError) {
  Words memory;
  const VmTables tables = {.structs = 0x1000,
                           .struct_type_name = 0x1010,
                           .struct_field_name = 0x1018,
                           .struct_is_static = 0x1020,
                           .struct_offset = 0x1028,
                           .struct_address = 0x1030,
                           .struct_stride = 0x1008};
  memory.Set(0x1000, 0x2000);
  memory.Set(0x1008, 48);
  memory.Set(0x1010, 0);
  memory.Set(0x1018, 8);
  memory.Set(0x1020, 24);
  memory.Set(0x1028, 32);
  memory.Set(0x1030, 40);
  // Every word of the table is the address of a text, "A".
  const auto read = [&](uint64_t address, std::span<char> out) {
    if (address < 0x2000 || address >= 0x10000000) {
      const auto status = memory.Read(address, out);
      if (status.ok())
        return status;
    }
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = "A\0\0\0\0\0\0\0"[(address + i) & 7];
    return absl::OkStatus();
  };
  EXPECT_EQ(VmStructs::Read(read, tables, 0).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(JavaNamesTest, OtherWordsAreAnError) {
  JavaProcess process;
  JavaNames names(process);
  const auto read = [](uint64_t, std::span<char>) { return absl::OutOfRangeError("nothing"); };
  EXPECT_EQ(names.Name(read, {0, 0}).status().code(), absl::StatusCode::kInvalidArgument);
  const JavaWords method = {
      uint64_t{bpf::FRAME_JAVA} << FRAME_KIND_SHIFT | uint64_t{1} << JAVA_KIND_SHIFT | 4096,
      uint64_t{bpf::FRAME_OPERAND} << FRAME_KIND_SHIFT};
  EXPECT_EQ(names.Name(read, method).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(names.cached_frames(), 0u);
}

}  // namespace
}  // namespace flarestack::record::runtime

// SPDX-License-Identifier: Apache-2.0
//
// Builds small 64-bit little-endian ELF files in memory, with arbitrary contents.
//
//   ElfBuilder builder;
//   const size_t text = builder.AddSection({.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR,
//                                           .address = 0x1000, .bytes = "code"});
//   builder.AddSymbols(".symtab", {{.name = "main", .address = 0x1000, .section = text}});
//   const std::string file = builder.Build();
//
// File layout: header, program headers, sections in the order they were added, names, section
// headers.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::elf::testing {

// Little-endian, for tables that a test writes by hand.
template <typename T>
void Append(T value, std::string* out) {
  for (size_t i = 0; i < sizeof(T); ++i)
    out->push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
}

struct NewSection {
  std::string name;
  uint32_t type = SHT_PROGBITS;
  uint64_t flags = 0;
  uint64_t address = 0;
  std::string bytes;
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t alignment = 8;
  uint64_t entry_bytes = 0;
  uint64_t nobits_bytes = 0;  // the size of a NOBITS section
};

struct NewSegment {
  uint32_t type = PT_LOAD;
  uint32_t flags = PF_R;
  uint64_t offset = 0;
  uint64_t address = 0;
  uint64_t file_bytes = 0;
  uint64_t memory_bytes = 0;  // 0: same as file_bytes
};

struct NewSymbol {
  std::string name;
  uint64_t address = 0;
  uint64_t size_bytes = 0;
  size_t section = SHN_ABS;
  unsigned char type = STT_FUNC;
  unsigned char binding = STB_GLOBAL;
};

class ElfBuilder {
 public:
  explicit ElfBuilder(uint16_t machine = EM_X86_64, uint16_t type = ET_DYN)
      : machine_(machine), type_(type) {}

  size_t AddSection(NewSection section);  // returns its index
  void AddSegment(const NewSegment& segment);
  // Adds a segment that covers the bytes of a section, at its address.
  void AddSegmentOver(size_t section, uint32_t type, uint32_t flags);
  // Adds ".symtab" with ".strtab", or ".dynsym" with ".dynstr".
  void AddSymbols(const std::string& table, const std::vector<NewSymbol>& symbols);

  std::string Build() const;

 private:
  struct Over {
    size_t segment = 0;
    size_t section = 0;
  };

  uint16_t machine_;
  uint16_t type_;
  std::vector<NewSection> sections_ = {{.name = "", .type = SHT_NULL}};
  std::vector<NewSegment> segments_;
  std::vector<Over> overs_;
};

// One note, in the format of PT_NOTE segments and note sections.
std::string Note(std::string_view owner, uint32_t type, std::string_view description);

// Overwrites bytes of a file with a number, to corrupt it.
template <typename T>
void Poke(std::string* file, size_t offset, T value) {
  std::string bytes;
  Append(value, &bytes);
  file->replace(offset, bytes.size(), bytes);
}

}  // namespace flarestack::elf::testing

// SPDX-License-Identifier: Apache-2.0
//
// Line programs of DWARF 4, written instruction by instruction.
//
//   LineProgram program;
//   program.File("main.c", 0);
//   program.Address(0x1000).Line(5).Row().Advance(4).End();
//   const std::string section = program.Build();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::elf::testing {

class LineProgram {
 public:
  LineProgram& Directory(std::string_view name);
  LineProgram& File(std::string_view name, uint64_t directory);

  LineProgram& Address(uint64_t address);
  LineProgram& Advance(uint64_t bytes);
  LineProgram& Line(uint32_t line);  // stored relative to the previous line of the sequence
  LineProgram& Column(uint64_t column);
  LineProgram& Row();
  LineProgram& Special(uint8_t opcode);
  LineProgram& End();

  // Uses line base -5, line range 14 and opcode base 13, like g++.
  std::string Build() const;

 private:
  std::string directories_;
  std::string files_;
  std::string program_;
  uint32_t line_ = 1;
};

}  // namespace flarestack::elf::testing

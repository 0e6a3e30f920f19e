// SPDX-License-Identifier: Apache-2.0
//
// What is constant per build of V8, the JavaScript engine of Node.js: the layout of its objects and
// frames, and where its builtins are. Read from the file once.
//
//   FLARE_ASSIGN(const V8File v8, V8File::Read(elf));
//
// V8 exports constants for debuggers as symbols (v8dbg_...). They are incomplete, so what they lack
// comes from a table by version.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"
#include "elf/elf_symbols.h"
#include "record/runtime/v8/v8_positions.h"

namespace flarestack::record::runtime {

struct V8Version {
  uint32_t major = 0;
  uint32_t minor = 0;
  uint32_t build = 0;
  uint32_t patch = 0;

  std::string Text() const;
};

// Offsets in objects count from the untagged address, those in frames from the frame pointer.
struct V8Layout {
  struct Frame {
    int32_t context = 0;  // or the frame type marker
    int32_t function = 0;
    int32_t bytecode_array = 0;
    int32_t bytecode_offset = 0;
    int32_t entry_type = 0;
    int32_t construct_entry_type = 0;
  } frame;

  struct Type {  // instance types
    int32_t function_first = 0;
    int32_t function_last = 0;
    int32_t shared = 0;
    int32_t script = 0;
    int32_t scope_info = 0;
    int32_t bytecode_array = 0;
    int32_t code = 0;
    int32_t code_header = 0;  // precedes the instructions: Code, or InstructionStream since 11
    int32_t interpreter_data = 0;
    int32_t baseline_data = 0;   // only 9
    int32_t shared_wrapper = 0;  // since 13
    int32_t string_end = 0;      // strings are below
  } type;

  struct String {
    int32_t representation_mask = 0;
    int32_t cons_tag = 0;
    int32_t external_tag = 0;
    int32_t sliced_tag = 0;
    int32_t thin_tag = 0;
    int32_t one_byte_tag = 0;
    int32_t length = 0;
    int32_t chars = 0;
    int32_t cons_first = 0;
    int32_t cons_second = 0;
    int32_t sliced_parent = 0;
    int32_t sliced_offset = 0;
    int32_t thin_actual = 0;
    int32_t external_resource = 0;
  } string;

  struct Shared {  // SharedFunctionInfo
    int32_t data = 0;
    int32_t name_or_scope = 0;
    int32_t script = 0;
    int32_t length = 0;
    int32_t literal_id = 0;
  } shared;

  struct Scope {                          // ScopeInfo
    int32_t names_inlined_max = 0;        // more names are in a hash table
    int32_t first_variable = 0;           // index of the word after the fixed ones
    bool has_plain_flags = false;         // not a Smi
    bool has_receiver = false;            // a word for the receiver
    bool has_early_positions = false;     // among the fixed words
    bool has_early_module_count = false;  // before the names
  } scope;

  struct Script {
    int32_t source = 0;
    int32_t name = 0;
    int32_t line_offset = 0;
    int32_t column_offset = 0;
    int32_t line_ends = 0;
  } script;

  struct Code {
    int32_t deoptimization = 0;  // baseline: bytecode or InterpreterData
    int32_t positions = 0;       // baseline: table of bytecode offsets
    int32_t start = 0;           // address of the instructions, if they are elsewhere
    int32_t size = 0;
    int32_t flags = 0;
    int32_t header_bytes = 0;  // from the object before the instructions to them
    int32_t header_code = 0;   // InstructionStream -> Code; 0: it is the Code
    int32_t kind_mask = 0;
    int32_t kind_baseline = 0;  // later kinds are optimized code
  } code;

  struct Bytecode {
    int32_t positions = 0;
    int32_t header_bytes = 0;
  } bytecode;

  struct Deoptimization {  // indices
    int32_t inlined_count = 0;
    int32_t literals = 0;
    int32_t shared = 0;
    int32_t positions = 0;
  } deoptimization;

  V8PositionFormat position_format = V8PositionFormat::kSigned;
  int32_t function_shared = 0;
  int32_t map_instance_type = 0;
  int32_t array_length = 0;  // of FixedArray and ByteArray
  int32_t array_data = 0;
};

struct V8Builtin {
  uint64_t begin = 0;  // address in the file
  uint64_t end = 0;
  std::string name;  // "Builtins_ArrayMap", as in the symbol table
};

struct V8File {
  // Returns kNotFound if the file is not V8, kUnimplemented for a version that is not known, and
  // kInvalidArgument if the symbols contradict the version.
  static absl::StatusOr<V8File> Read(const elf::ElfFile& file);

  // Returns the builtin at an address in the file, or null.
  const V8Builtin* FindBuiltin(uint64_t address) const;

  V8Version version;
  V8Layout layout;
  uint16_t machine = 0;  // EM_ of <elf.h>
  // The std::string with the version of Node.js, a virtual address of the file; 0 in other
  // programs.
  uint64_t node_version = 0;
  // Code of the builtins, addresses in the file. No unwind tables describe it.
  uint64_t builtins_begin = 0;
  uint64_t builtins_end = 0;
  std::vector<V8Builtin> builtins;       // sorted
  std::vector<std::string> frame_types;  // by marker; empty where unknown
  // Lengths of bytecodes with their operands, for operand scales 1, 2 and 4: three tables. Empty if
  // the file is stripped.
  std::vector<uint8_t> bytecode_sizes;
};

}  // namespace flarestack::record::runtime

// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/status.h"
#include "record/runtime/python/python_layout.h"
#include "record/runtime/python/python_loops.h"
#include "record/runtime/python/python_symbols.h"

namespace flarestack::record::runtime {
namespace {

using elf::AddressRange;
using elf::ElfFile;

constexpr std::string_view kLoop = "_PyEval_EvalFrameDefault";
constexpr std::string_view kHandlerPrefix = "_TAIL_CALL_";
// Files with more ranges than this are not built by any compiler.
constexpr size_t kRangesMax = 4096;

// A function that a minor version was the first to have.
struct FirstFunction {
  std::string_view name;
  int minor;
};

// Newest first. From 3.11 on there is Py_Version.
constexpr FirstFunction kFirstFunctions[] = {
    {"Py_NewRef", 10},
    {"PyThreadState_GetFrame", 9},
    {"PyCode_NewWithPosOnlyArgs", 8},
    {"PyInterpreterState_GetID", 7},
    {kLoop, 6},
};

class SymbolCollector {
 public:
  void Take(const NamedSymbol& symbol) {
    const std::string_view name = symbol.name;
    if (name == "_PyRuntime") {
      found_.runtime_address = symbol.value;
      found_.runtime_bytes = symbol.size_bytes;
    } else if (name == "PyCode_Type") {
      found_.code_type_address = symbol.value;
    } else if (name == "PyUnicode_Type") {
      found_.text_type_address = symbol.value;
    } else if (name == "Py_Version") {
      version_address_ = symbol.value;
    } else if (name == "PyGILState_GetThisThreadState") {
      state_function_ = symbol.value;
    } else if (name == "PyString_FromStringAndSize") {
      is_python2_ = true;
    } else if (name.starts_with("_") && symbol.type == STT_FUNC) {
      TakeCode(symbol);
    }
    for (const FirstFunction& first : kFirstFunctions) {
      if (name == first.name)
        minor_ = std::max(minor_, first.minor);
    }
  }

  PythonFile found() const { return found_; }
  uint64_t version_address() const { return version_address_; }
  uint64_t state_function() const { return state_function_; }
  bool is_python2() const { return is_python2_; }
  int minor() const { return minor_; }

 private:
  void TakeCode(const NamedSymbol& symbol) {
    const bool is_loop = symbol.name.starts_with(kLoop) &&
                         (symbol.name.size() == kLoop.size() || symbol.name[kLoop.size()] == '.');
    if (!is_loop && !symbol.name.starts_with(kHandlerPrefix))
      return;
    std::vector<AddressRange>* const ranges = is_loop ? &found_.loops : &found_.handlers;
    AddressRange range = {.begin = symbol.value};
    if (ranges->size() < kRangesMax && symbol.size_bytes != 0 &&
        !__builtin_add_overflow(symbol.value, symbol.size_bytes, &range.end))
      ranges->push_back(range);
  }

  PythonFile found_;
  uint64_t version_address_ = 0;
  uint64_t state_function_ = 0;
  bool is_python2_ = false;
  int minor_ = 0;
};

// Removes ranges that occur in both symbol tables.
void SortUnique(std::vector<AddressRange>* ranges) {
  std::sort(ranges->begin(), ranges->end(), [](const AddressRange& a, const AddressRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  const auto is_same = [](const AddressRange& a, const AddressRange& b) {
    return a.begin == b.begin;
  };
  ranges->erase(std::unique(ranges->begin(), ranges->end(), is_same), ranges->end());
}

absl::Status Unsupported(std::string_view version) {
  return absl::UnimplementedError(base::StrCat("CPython ", version, " is not supported; 3.",
                                               kPythonMinorFirst, " to 3.", kPythonMinorLast,
                                               " are"));
}

// 0x030b02f0 is 3.11.2, 0x030e00c1 is 3.14.0rc1.
std::string VersionText(uint32_t number) {
  const std::string version =
      base::StrCat(number >> 24, ".", number >> 16 & 0xff, ".", number >> 8 & 0xff);
  const uint32_t serial = number & 0xf;
  switch (number >> 4 & 0xf) {
    case 0xa:
      return base::StrCat(version, "a", serial);
    case 0xb:
      return base::StrCat(version, "b", serial);
    case 0xc:
      return base::StrCat(version, "rc", serial);
    default:
      return version;
  }
}

absl::Status ReadVersion(const ElfFile& file, const SymbolCollector& symbols, PythonFile* python) {
  const std::string_view bytes = file.BytesFromAddress(symbols.version_address());
  if (symbols.version_address() == 0 || bytes.size() < sizeof(uint32_t)) {
    python->minor = symbols.minor();
    python->version = base::StrCat("3.", python->minor);
    return absl::OkStatus();
  }
  uint32_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof(number));
  if (number >> 24 != 3)
    return Unsupported(base::StrCat(number >> 24, ".", number >> 16 & 0xff));
  python->minor = static_cast<int>(number >> 16 & 0xff);
  python->version = VersionText(number);
  return absl::OkStatus();
}

// A quick check that reads no other bytes than symbol names, because most files are not a CPython.
// Those that are export their types to extension modules.
bool HasPythonNames(const ElfFile& file) {
  const elf::Section* table = file.FindSectionOfType(SHT_DYNSYM);
  if (table == nullptr)
    table = file.FindSectionOfType(SHT_SYMTAB);
  if (table == nullptr || table->link >= file.sections().size())
    return false;
  const std::string_view names = file.SectionBytes(file.sections()[table->link]);
  constexpr std::string_view kType("\0PyCode_Type", 12);
  return names.find(kType) != std::string_view::npos;
}

}  // namespace

absl::StatusOr<PythonFile> ReadPythonFile(const ElfFile& file) {
  if (!HasPythonNames(file))
    return absl::NotFoundError("not a CPython: it has no PyCode_Type");
  SymbolCollector symbols;
  VisitDefinedSymbols(file, [&](const NamedSymbol& symbol) { symbols.Take(symbol); });
  PythonFile python = symbols.found();
  SortUnique(&python.loops);
  SortUnique(&python.handlers);
  if (symbols.is_python2() && python.code_type_address != 0)
    return Unsupported("2.7");
  if (python.loops.empty() || python.code_type_address == 0)
    return absl::NotFoundError("not a CPython: it does not export the interpreter loop");
  FLARE_RETURN_IF_ERROR(ReadVersion(file, symbols, &python));
  if (python.minor < kPythonMinorFirst || python.minor > kPythonMinorLast)
    return Unsupported(base::StrCat("3.", python.minor));
  if (python.runtime_address == 0)
    return absl::NotFoundError(
        base::StrCat("a CPython 3.", python.minor, " that does not export _PyRuntime"));
  python.machine = file.machine();
  AppendDetachedParts(file, &python.loops);
  constexpr int kMinorWithVariable = 15;
  if (python.minor >= kMinorWithVariable && symbols.state_function() != 0) {
    python.state = FindReturnedVariable(
        file.machine(), file.BytesFromAddress(symbols.state_function()), symbols.state_function());
  }
  return python;
}

}  // namespace flarestack::record::runtime

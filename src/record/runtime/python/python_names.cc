// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_names.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/status.h"
#include "record/runtime/python/python_lines.h"
#include "record/runtime/python/python_text.h"

namespace flarestack::record::runtime {
namespace {

constexpr std::string_view kFrameType = "cpython";

// The part of a code object before its instructions, read at once.
constexpr size_t kCodeBytesMax = 1024;

class CodeObject {
 public:
  static absl::StatusOr<CodeObject> Read(const PythonLayout& layout, uint64_t address,
                                         agent::MemoryReader read) {
    const uint32_t end =
        std::max({layout.object_type + 8, layout.code_file + 8, layout.code_name + 8,
                  layout.code_qualified_name + 8, layout.code_lines + 8, layout.code_first_line + 4,
                  layout.code_first_traceable + 4,
                  layout.frames.code_identity + uint32_t{bpf::PYTHON_IDENTITY_WORDS * 8}});
    if (end > kCodeBytesMax)
      return absl::InvalidArgumentError("the layout of code objects is out of range");
    CodeObject code;
    FLARE_RETURN_IF_ERROR(read(address, std::span<char>(code.bytes_.data(), end)));
    return code;
  }

  template <typename T>
  T At(uint32_t offset) const {
    T value = 0;
    std::memcpy(&value, bytes_.data() + offset, sizeof(value));
    return value;
  }

  uint32_t Cookie(const PythonLayout& layout) const {
    std::array<bpf::u64, bpf::PYTHON_IDENTITY_WORDS> words = {};
    std::memcpy(words.data(), bytes_.data() + layout.frames.code_identity, sizeof(words));
    return bpf::python_cookie(words.data());
  }

 private:
  std::array<char, kCodeBytesMax> bytes_ = {};
};

absl::StatusOr<CodeObject> ReadCode(const PythonProcess& process, uint64_t address,
                                    agent::MemoryReader read) {
  FLARE_ASSIGN(const CodeObject code, CodeObject::Read(process.layout, address, read));
  if (process.code_type != 0 && code.At<uint64_t>(process.layout.object_type) != process.code_type)
    return absl::NotFoundError(base::StrCat("no code object at ", base::Hex(address)));
  return code;
}

// Removes everything up to the last folder that is certainly in sys.path. Returns an empty view if
// the path has none.
std::string_view BelowSearchedFolder(std::string_view file) {
  size_t begin = 0;
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/", "/lib-dynload/"}) {
    const size_t at = file.rfind(folder);
    if (at != std::string_view::npos)
      begin = std::max(begin, at + folder.size());
  }
  if (begin != 0)
    return file.substr(begin);
  // "/lib/python3.11/", "/lib64/python3.11/"
  constexpr std::string_view kLibrary = "/python3.";
  const size_t at = file.rfind(kLibrary);
  if (at == std::string_view::npos)
    return {};
  const size_t end = file.find('/', at + kLibrary.size());
  const std::string_view before = file.substr(0, at);
  if (end == std::string_view::npos || !(before.ends_with("/lib") || before.ends_with("/lib64")))
    return {};
  return file.substr(end + 1);
}

// Truncates to a number of bytes, without splitting a character.
void Truncate(size_t bytes_max, std::string* text) {
  if (text->size() <= bytes_max)
    return;
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>((*text)[end]) & 0xc0) == 0x80)
    --end;
  text->resize(end);
}

}  // namespace

std::string PythonModuleOf(std::string_view file) {
  constexpr std::string_view kFrozen = "<frozen ";
  if (file.starts_with(kFrozen) && file.ends_with('>'))
    return std::string(file.substr(kFrozen.size(), file.size() - kFrozen.size() - 1));
  if (file.empty() || file.starts_with('<'))
    return "";
  const size_t dot = file.rfind('.');
  if (dot != std::string_view::npos && dot > file.rfind('/') + 1)
    file = file.substr(0, dot);
  std::string_view below = BelowSearchedFolder(file);
  constexpr std::string_view kPackage = "/__init__";
  constexpr std::string_view kMain = "/__main__";
  if (below.empty()) {
    // Keep the folder of the two names that every package has.
    size_t end = file.size();
    if (file.ends_with(kPackage) || file.ends_with(kMain))
      end = file.size() - kPackage.size();
    const size_t slash = end == 0 ? std::string_view::npos : file.rfind('/', end - 1);
    below = slash == std::string_view::npos ? file : file.substr(slash + 1);
  }
  if (below.ends_with(kPackage))
    below.remove_suffix(kPackage.size());
  std::string module(below);
  std::replace(module.begin(), module.end(), '/', '.');
  return module;
}

absl::StatusOr<PythonNames::Function> PythonNames::Read(const PythonProcess& process, uint64_t code,
                                                        agent::MemoryReader read) {
  const PythonLayout& layout = process.layout;
  FLARE_ASSIGN(const CodeObject object, ReadCode(process, code, read));
  const uint32_t name_at =
      layout.code_qualified_name != 0 ? layout.code_qualified_name : layout.code_name;
  Function function;
  FLARE_ASSIGN(std::string name, ReadPythonText(layout, object.At<uint64_t>(name_at), read));
  FLARE_ASSIGN(function.file, ReadPythonText(layout, object.At<uint64_t>(layout.code_file), read));
  Truncate(kNameBytesMax, &function.file);
  const std::string module = PythonModuleOf(function.file);
  function.name = module.empty() ? std::move(name) : base::StrCat(module, ".", name);
  Truncate(kNameBytesMax, &function.name);
  function.start_line = std::max(object.At<int32_t>(layout.code_first_line), 0);
  if (layout.code_first_traceable != 0)
    function.first_traceable = 2 * object.At<uint32_t>(layout.code_first_traceable);
  // Without its line table a function still has its name and first line.
  auto lines =
      ReadPythonBytes(layout, object.At<uint64_t>(layout.code_lines), kLineTableBytesMax, read);
  if (lines.ok())
    function.lines = *std::move(lines);
  // The object may have been replaced while we read what it refers to.
  FLARE_ASSIGN(const CodeObject after, ReadCode(process, code, read));
  if (after.Cookie(layout) != object.Cookie(layout))
    return absl::DataLossError(base::StrCat("the code object at ", base::Hex(code), " changed"));
  return function;
}

absl::StatusOr<const PythonNames::Function*> PythonNames::Find(const PythonProcess& process,
                                                               const RawFrame& frame,
                                                               agent::MemoryReader read) {
  uint32_t cookie = frame.cookie;
  if (cookie != 0) {
    const auto at = functions_.find(Key{frame.code, cookie});
    if (at != functions_.end())
      return &at->second;
  }
  FLARE_ASSIGN(const CodeObject object, ReadCode(process, frame.code, read));
  const uint32_t found = object.Cookie(process.layout);
  if (cookie != 0 && cookie != found)
    return absl::DataLossError(
        base::StrCat("another code object is at ", base::Hex(frame.code), " now"));
  cookie = found;
  if (const auto at = functions_.find(Key{frame.code, cookie}); at != functions_.end())
    return &at->second;
  FLARE_ASSIGN(Function function, Read(process, frame.code, read));
  const size_t bytes =
      sizeof(Function) + function.name.size() + function.file.size() + function.lines.size();
  if (bytes_ + bytes > bytes_max_) {
    functions_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes;
  return &functions_.insert_or_assign(Key{frame.code, cookie}, std::move(function)).first->second;
}

absl::StatusOr<NamedFrame> PythonNames::Name(const PythonProcess& process, const RawFrame& frame,
                                             agent::MemoryReader read) {
  FLARE_ASSIGN(const Function* const function, Find(process, frame, read));
  NamedFrame named = {.type = kFrameType, .functions = {}};
  const bool is_known = frame.instruction <= PYTHON_INSTRUCTION_MAX;
  const bool is_set_up =
      function->first_traceable == 0 || (is_known ? frame.instruction >= function->first_traceable
                                                  : frame.instruction != PYTHON_INSTRUCTION_NONE);
  if (!is_set_up)
    return named;
  PythonPosition position;
  if (is_known) {
    position = FindPythonPosition(process.layout.frames.minor, function->lines,
                                  function->start_line, frame.instruction);
  } else if (frame.instruction == PYTHON_INSTRUCTION_NONE) {
    position.line = function->start_line;
  }
  named.functions.push_back({.name = function->name,
                             .file = function->file,
                             .start_line = function->start_line,
                             .line = position.line,
                             .column = position.column});
  return named;
}

}  // namespace flarestack::record::runtime

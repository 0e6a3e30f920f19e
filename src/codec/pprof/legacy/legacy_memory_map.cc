// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "codec/pprof/legacy/legacy_mappings.h"
#include "codec/pprof/legacy/legacy_text.h"

namespace flarestack::codec::pprof::legacy {
namespace {

constexpr size_t kVariablesMax = 16;
constexpr size_t kPathBytesMax = 4096;  // PATH_MAX of Linux
constexpr size_t kExpandedBytesMax = 1 << 20;

struct Entry {
  Mapping mapping = {};
  bool is_executable = true;
};

constexpr std::string_view kDeleted = " (deleted)";

bool IsWordOf(std::string_view word, std::string_view letters) {
  return !word.empty() && word.find_first_not_of(letters) == std::string_view::npos;
}

bool IsHex(std::string_view word) { return IsWordOf(word, "0123456789abcdefABCDEF"); }

// Parses "START-END" or "START END", each with or without 0x, and an optional colon. google/pprof
// also accepts two numbers without a separator and so reads the word "face" as a mapping; we do
// not.
bool ReadRange(Cursor& in, Mapping& mapping) {
  in.Eat("0x");
  const std::optional<uint64_t> start = in.Hex();
  const bool has_dash = start && in.Eat("-");
  const bool has_blank = start && in.EatBlanks();
  if (!has_dash && !has_blank) {
    return false;
  }
  in.Eat("0x");
  const std::optional<uint64_t> limit = in.Hex();
  if (!limit || *limit <= *start) {
    return false;
  }
  mapping.memory_start = *start;
  mapping.memory_limit = *limit;
  in.Eat(":");
  return in.AtEnd() || in.EatBlanks();
}

// Parses the columns of /proc/self/maps after the permissions: [offset] device inode [file]. The
// file may contain spaces, at which google/pprof truncates it; the kernel's " (deleted)" is not
// part of it.
bool ReadProcColumns(Cursor in, Mapping& mapping) {
  std::string_view word = in.Word();
  std::string_view offset;
  if (IsHex(word)) {
    offset = word;
    in.EatBlanks();
    word = in.Word();
  }
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos || !IsHex(word.substr(0, colon)) ||
      !IsHex(word.substr(colon + 1))) {
    return false;
  }
  in.EatBlanks();
  if (!IsWordOf(in.Word(), "0123456789")) {
    return false;
  }
  if (!offset.empty()) {
    const std::optional<uint64_t> number = Cursor(offset).Hex();
    if (!number) {
      return false;
    }
    mapping.file_offset = *number;
  }
  in.EatBlanks();
  mapping.filename = in.rest();
  if (mapping.filename.ends_with(kDeleted)) {
    mapping.filename = Trim(mapping.filename.substr(0, mapping.filename.size() - kDeleted.size()));
  }
  return true;
}

// Parses the brief columns: [file] [(@offset)] [build id].
bool ReadBriefColumns(Cursor in, Mapping& mapping) {
  mapping.filename = in.Word();
  in.EatBlanks();
  if (in.Eat("(@")) {
    const std::optional<uint64_t> offset = in.Hex();
    if (!offset || !in.Eat(")")) {
      return false;
    }
    mapping.file_offset = *offset;
    in.EatBlanks();
  }
  if (const std::string_view word = in.Word(); IsHex(word)) {
    mapping.build_id = word;
  }
  return true;
}

std::optional<Entry> ReadEntry(std::string_view line) {
  Entry entry;
  Cursor in(line);
  if (!ReadRange(in, entry.mapping)) {
    return std::nullopt;
  }
  // google/pprof lacks 's' (shared) and loses the file of such a mapping.
  Cursor after_permissions = in;
  if (const std::string_view word = after_permissions.Word(); IsWordOf(word, "-rwxps")) {
    entry.is_executable = word.find('x') != std::string_view::npos;
    after_permissions.EatBlanks();
    in = after_permissions;
  }
  if (ReadProcColumns(in, entry.mapping) || ReadBriefColumns(in, entry.mapping)) {
    return entry;
  }
  return std::nullopt;
}

// Removes the "I0102 15:04:05.678 123 file.cc:45] " prefix of a line that went through a log.
std::string_view WithoutLogPrefix(std::string_view line) {
  const size_t bracket = line.find_first_of("[]");
  if (bracket == std::string_view::npos || line[bracket] != ']') {
    return line;
  }
  const std::string_view before = line.substr(0, bracket);
  const size_t digits = before.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits == 0 || before[digits] != ':' ||
      digits + 1 == before.size()) {
    return line;
  }
  const std::string_view message = line.substr(bracket + 1);
  const std::string_view trimmed = Trim(message);
  return trimmed.size() == message.size() ? line : trimmed;
}

// The "$name" variables of a memory map. A text may use earlier names, so a few lines could keep
// doubling a path, and many short lines could expand the same long path: the expansion is limited
// per line and in total. A line beyond the limits is kept unchanged.
class Variables {
 public:
  explicit Variables(size_t expanded_bytes_max) : left_bytes_(expanded_bytes_max) {}

  bool Define(std::string_view line) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || variables_.size() == kVariablesMax) {
      return false;
    }
    const std::string_view name = Trim(line.substr(0, equals));
    const std::string_view text = Trim(line.substr(equals + 1));
    if (name.empty() || name.find('$') != std::string_view::npos || text.size() > kPathBytesMax) {
      return false;
    }
    variables_.push_back({.name = std::string(name), .text = std::string(text)});
    return true;
  }

  // Returns nullopt if there is nothing to replace.
  std::optional<std::string> Expand(std::string_view line) {
    if (variables_.empty()) {
      return std::nullopt;
    }
    std::string out;
    bool changed = false;
    for (size_t dollar = line.find('$'); dollar != std::string_view::npos;
         dollar = line.find('$')) {
      const Variable* const found = Find(line.substr(dollar + 1));
      out += line.substr(0, dollar);
      out += found == nullptr ? "$" : found->text;
      line.remove_prefix(dollar + 1 + (found == nullptr ? 0 : found->name.size()));
      changed = changed || found != nullptr;
      if (out.size() > kPathBytesMax || out.size() > left_bytes_) {
        return std::nullopt;
      }
    }
    if (!changed) {
      return std::nullopt;
    }
    left_bytes_ -= out.size();
    out += line;
    return out;
  }

 private:
  struct Variable {
    std::string name;
    std::string text;
  };

  const Variable* Find(std::string_view text) const {
    for (const Variable& variable : variables_) {
      if (text.starts_with(variable.name)) {
        return &variable;
      }
    }
    return nullptr;
  }

  std::vector<Variable> variables_;
  size_t left_bytes_;
};

}  // namespace

void ReadMemoryMap(Lines lines, Profile* profile, base::Warnings* warnings) {
  Variables variables(kExpandedBytesMax + lines.rest().size());
  while (lines.NextMeaningful()) {
    std::string_view line = WithoutLogPrefix(lines.line());
    if (std::optional<std::string> expanded = variables.Expand(line)) {
      line = profile->arena.Adopt(*std::move(expanded));
    }
    if (const std::optional<Entry> entry = ReadEntry(line)) {
      if (entry->is_executable) {
        profile->mappings.push_back(entry->mapping);
      }
    } else if (!variables.Define(line)) {
      warnings->Add("line of the memory map that is not a mapping",
                    base::Message(lines.Error("skipped")));
    }
  }
}

}  // namespace flarestack::codec::pprof::legacy

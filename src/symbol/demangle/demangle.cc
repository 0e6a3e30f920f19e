// SPDX-License-Identifier: Apache-2.0
#include "symbol/demangle/demangle.h"

#include <array>
#include <optional>

#include "base/text/encoding.h"
#include "symbol/demangle/cpp_demangle.h"
#include "symbol/demangle/d_name.h"
#include "symbol/demangle/rust_demangle.h"

namespace flarestack::symbol {
namespace {

struct CloneMark {
  std::string_view text;
  bool may_lack_number;
};

constexpr std::array<CloneMark, 7> kCloneMarks = {{{".cold", true},
                                                   {".localalias", true},
                                                   {".part", false},
                                                   {".isra", false},
                                                   {".constprop", false},
                                                   {".llvm", false},
                                                   {".lto_priv", false}}};

// `.llvm.` is followed by a hash in decimal or, in some versions, in upper-case hexadecimal.
bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789ABCDEF") == std::string_view::npos;
}

// Returns the name without its last suffix, or all of it.
std::string_view WithoutLastMark(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0)
    return name;
  const std::string_view head = name.substr(0, dot);
  for (const CloneMark& mark : kCloneMarks) {
    if (mark.may_lack_number && name.substr(dot) == mark.text)
      return head;
    if (IsNumber(name.substr(dot + 1)) && head.size() > mark.text.size() &&
        head.ends_with(mark.text))
      return head.substr(0, head.size() - mark.text.size());
  }
  return name;
}

std::optional<std::string> DemangleAny(std::string_view name) {
  // Apple's linkers add another underscore before every name.
  if (name.starts_with("__Z") || name.starts_with("__R") || name.starts_with("__D"))
    name.remove_prefix(1);
  if (name.starts_with("_R"))
    return DemangleRustV0(name);
  if (name.starts_with("_D"))
    return DemangleD(name);
  if (!name.starts_with("_Z"))
    return std::nullopt;
  if (std::optional<std::string> rust = DemangleRustLegacy(name))
    return rust;
  return DemangleCpp(name);
}

}  // namespace

std::string_view WithoutCloneSuffix(std::string_view raw) {
  while (true) {
    const std::string_view shorter = WithoutLastMark(raw);
    if (shorter.size() == raw.size())
      return raw;
    raw = shorter;
  }
}

std::string Demangle(std::string_view raw) {
  // Most names in a profile are not mangled, or come from Go with a path prefix.
  if (raw.size() < 3 || raw[0] != '_' || raw.find('\0') != std::string_view::npos)
    return std::string(raw);
  std::optional<std::string> readable = DemangleAny(WithoutCloneSuffix(raw));
  // The lengths in a name may split a UTF-8 character.
  return readable && base::IsValidUtf8(*readable) ? *std::move(readable) : std::string(raw);
}

}  // namespace flarestack::symbol

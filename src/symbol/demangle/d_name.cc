// SPDX-License-Identifier: Apache-2.0
//
// Names: symbols, templates, back references.

#include "symbol/demangle/d_name.h"

#include <array>
#include <utility>

namespace flarestack::symbol {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Symbols that the compiler generates beside another. The marker is the last element, followed by
// Z.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kArtificial = {{
    {"__init", "initializer for "},
    {"__vtbl", "vtable for "},
    {"__Class", "ClassInfo for "},
    {"__Interface", "Interface for "},
    {"__ModuleInfo", "ModuleInfo for "},
}};

}  // namespace

std::optional<std::string> DName::Read() {
  MangledName();
  if (out_.failed() || at_ != name_.size() || out_.size() == 0)
    return std::nullopt;
  std::string text = out_.Take();
  return artificial_.empty() ? text : std::string(artificial_) + text;
}

bool DName::Take(char expected) {
  if (Peek() != expected)
    return false;
  ++at_;
  return true;
}

bool DName::Take(std::string_view expected) {
  if (out_.failed() || !name_.substr(at_).starts_with(expected))
    return false;
  at_ += expected.size();
  return true;
}

uint64_t DName::Number() {
  if (!IsDigit(Peek())) {
    out_.Fail();
    return 0;
  }
  uint64_t number = 0;
  while (IsDigit(Peek())) {
    number = number * 10 + static_cast<uint64_t>(Peek() - '0');
    ++at_;
    if (number > UINT32_MAX)
      out_.Fail();
  }
  return number;
}

// Upper-case letters are digits with more to come, a lower-case letter is the last digit.
std::optional<DName::Back> DName::BackAt(size_t at) const {
  if (at >= name_.size() || name_[at] != 'Q')
    return std::nullopt;
  uint64_t distance = 0;
  for (size_t i = at + 1; i < name_.size() && distance <= at; ++i) {
    const char c = name_[i];
    if (c >= 'A' && c <= 'Z') {
      distance = distance * 26 + static_cast<uint64_t>(c - 'A');
      continue;
    }
    if (c < 'a' || c > 'z')
      return std::nullopt;
    distance = distance * 26 + static_cast<uint64_t>(c - 'a');
    if (distance == 0 || distance > at)
      return std::nullopt;
    return Back{.target = at - static_cast<size_t>(distance), .end = i + 1};
  }
  return std::nullopt;
}

void DName::MangledName() {
  const NameLevel level(out_);
  if (!level.ok())
    return;
  if (!Take("_D"))
    return out_.Fail();
  QualifiedName();
  if (Take('Z'))
    return;  // compiler-generated, without a type
  out_.Mute();
  Take('M');
  Type();
  out_.Unmute();
}

bool DName::IsAtSymbol() const {
  if (IsDigit(Peek()) || (Peek() == '_' && Peek(1) == '_' && (Peek(2) == 'T' || Peek(2) == 'U')))
    return true;
  if (Peek() != 'Q')
    return false;
  const std::optional<Back> back = BackAt(at_);
  return back && IsDigit(name_[back->target]);
}

void DName::QualifiedName() {
  const NameLevel level(out_);
  if (!level.ok())
    return;
  if (!IsAtSymbol())
    return out_.Fail();
  for (bool is_first = true; IsAtSymbol(); is_first = false) {
    if (Take('0'))
      continue;  // an anonymous scope
    const size_t before = out_.size();
    if (!is_first && before > 0)
      out_.Append('.');
    Symbol();
    if (!artificial_.empty() && !out_.failed()) {
      static_cast<void>(out_.CutFrom(before));
      return;
    }
    OwnArguments();
  }
}

// A function's arguments follow its name. If it is not a function, nothing is consumed, and the
// text is read later as the type of the whole name.
void DName::OwnArguments() {
  const size_t before = at_;
  std::string modifiers;
  if (Take('M'))
    modifiers = Modifiers();
  if (!IsAtFunction()) {
    at_ = before;
    return;
  }
  ++at_;
  Attributes();
  out_.Append('(');
  Arguments();
  out_.Append(')');
  out_.Append(modifiers);
}

void DName::Symbol() {
  const NameLevel level(out_);
  if (!level.ok())
    return;
  if (Peek() == 'Q')
    return BackReference([&] { Symbol(); });
  if (Peek() == '_')
    return Template();
  const uint64_t length = Number();
  if (out_.failed() || length == 0 || length > name_.size() - at_)
    return out_.Fail();
  const size_t end = at_ + static_cast<size_t>(length);
  const std::string_view letters = name_.substr(at_, static_cast<size_t>(length));
  if (letters.starts_with("__T") || letters.starts_with("__U")) {
    Template();
    if (at_ != end)
      out_.Fail();
    return;
  }
  at_ = end;
  Letters(letters);
}

void DName::Letters(std::string_view letters) {
  if (letters == "__ctor")
    return out_.Append("this");
  if (letters == "__dtor")
    return out_.Append("~this");
  if (letters == "__postblit")
    return out_.Append("this(this)");
  if (Peek() == 'Z' && at_ + 1 == name_.size()) {
    for (const auto& [mark, text] : kArtificial) {
      if (letters == mark)
        artificial_ = text;
    }
  }
  out_.Append(letters);
}

void DName::Template() {
  if (!Take("__T") && !Take("__U"))
    return out_.Fail();
  if (!IsAtSymbol())
    return out_.Fail();
  Symbol();
  out_.Append("!(");
  TemplateArguments();
  out_.Append(')');
}

void DName::TemplateArguments() {
  for (bool is_first = true; !out_.failed() && !Take('Z'); is_first = false) {
    if (!is_first)
      out_.Append(", ");
    Take('H');  // the parameter was specialized
    if (Take('T')) {
      Type();
    } else if (Take('S')) {
      TemplateSymbol();
    } else if (Take('V')) {
      const std::optional<Back> back = BackAt(at_);
      const char type = back ? name_[back->target] : Peek();
      const std::string type_name = Aside([&] { Type(); });
      Value(type, type_name);
    } else if (Take('X')) {
      const uint64_t length = Number();
      if (out_.failed() || length > name_.size() - at_)
        return out_.Fail();
      out_.Append(name_.substr(at_, static_cast<size_t>(length)));
      at_ += static_cast<size_t>(length);
    } else {
      out_.Fail();
    }
  }
}

// Older compilers wrote the length before a mangled name.
void DName::TemplateSymbol() {
  const size_t before = at_;
  if (IsDigit(Peek())) {
    Number();
    if (!name_.substr(at_).starts_with("_D"))
      at_ = before;
  }
  if (Peek() == '_' && Peek(1) == 'D')
    return MangledName();
  QualifiedName();
}

std::optional<std::string> DemangleD(std::string_view mangled) {
  if (mangled == "_Dmain")
    return "D main";
  if (!mangled.starts_with("_D"))
    return std::nullopt;
  return DName(mangled).Read();
}

}  // namespace flarestack::symbol

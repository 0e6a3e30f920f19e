// SPDX-License-Identifier: Apache-2.0
#include "symbol/demangle/d_name.h"

namespace flarestack::symbol {
namespace {

std::string_view NameOfBasicType(char tag) {
  constexpr std::string_view kNames[26] = {
      "char",   "bool",    "creal",  "double",  "real",  "float",  "byte",
      "ubyte",  "int",     "ireal",  "uint",    "long",  "ulong",  "typeof(null)",
      "ifloat", "idouble", "cfloat", "cdouble", "short", "ushort", "wchar",
      "void",   "dchar",   "",       "",        ""};
  return tag >= 'a' && tag <= 'z' ? kNames[tag - 'a'] : std::string_view();
}

// The letter after an N. Other letters are types or storage classes of an argument.
std::string_view NameOfAttribute(char tag) {
  switch (tag) {
    case 'a':
      return "pure ";
    case 'b':
      return "nothrow ";
    case 'c':
      return "ref ";
    case 'd':
      return "@property ";
    case 'e':
      return "@trusted ";
    case 'f':
      return "@safe ";
    case 'i':
      return "@nogc ";
    case 'j':
      return "return ";
    case 'l':
      return "scope ";
    case 'm':
      return "@live ";
    default:
      return {};
  }
}

std::string_view NameOfLinkage(char tag) {
  switch (tag) {
    case 'U':
      return "extern(C) ";
    case 'W':
      return "extern(Windows) ";
    case 'V':
      return "extern(Pascal) ";
    case 'R':
      return "extern(C++) ";
    case 'Y':
      return "extern(Objective-C) ";
    default:
      return {};
  }
}

}  // namespace

bool DName::IsAtFunction() const {
  return Peek() != '\0' && std::string_view("FUWVRY").find(Peek()) != std::string_view::npos;
}

void DName::Type() {
  const NameLevel level(out_);
  if (!level.ok() || BasicType())
    return;
  if (Take('O'))
    return Wrapped("shared(", ")");
  if (Take('x'))
    return Wrapped("const(", ")");
  if (Take('y'))
    return Wrapped("immutable(", ")");
  if (Take("Ng"))
    return Wrapped("inout(", ")");
  if (Take("Nh"))
    return Wrapped("__vector(", ")");
  if (Take("Nn"))
    return out_.Append("typeof(*null)");
  if (Take('A'))
    return Wrapped("", "[]");
  if (Take('G')) {
    const size_t begin = at_;
    Number();
    return Wrapped("", "[" + std::string(name_.substr(begin, at_ - begin)) + "]");
  }
  if (Take('H'))
    return AssociativeArray();
  if (Take('P'))
    return PointerOrFunction();
  if (Take('D'))
    return Delegate();
  if (Take('C') || Take('S') || Take('E') || Take('T') || Take('I'))
    return QualifiedName();
  if (Take('B'))
    return TypeTuple();
  if (Peek() == 'Q')
    return BackReference([&] { Type(); });
  if (IsAtFunction())
    return FunctionType();
  out_.Fail();
}

bool DName::BasicType() {
  if (Take("zi")) {
    out_.Append("cent");
    return true;
  }
  if (Take("zk")) {
    out_.Append("ucent");
    return true;
  }
  const std::string_view name = NameOfBasicType(Peek());
  if (name.empty())
    return false;
  ++at_;
  out_.Append(name);
  return true;
}

void DName::Wrapped(std::string_view before, std::string_view after) {
  out_.Append(before);
  Type();
  out_.Append(after);
}

// The key comes first in the name, but is written last.
void DName::AssociativeArray() {
  const std::string key = Aside([&] { Type(); });
  Type();
  out_.Append("[" + key + "]");
}

void DName::PointerOrFunction() {
  if (!IsAtFunction())
    return Wrapped("", "*");
  FunctionType();
  out_.Append("function");
}

void DName::Delegate() {
  const std::string modifiers = Modifiers();
  if (Peek() == 'Q')
    BackReference([&] { FunctionType(); });
  else
    FunctionType();
  out_.Append("delegate");
  out_.Append(modifiers);
}

void DName::TypeTuple() {
  const uint64_t count = Number();
  out_.Append("Tuple!(");
  for (uint64_t i = 0; i < count && !out_.failed(); ++i) {
    if (i > 0)
      out_.Append(", ");
    Type();
  }
  out_.Append(')');
}

// Writes "int(char) pure ", to be followed by `function` or `delegate`.
void DName::FunctionType() {
  const NameLevel level(out_);
  if (!level.ok())
    return;
  if (!IsAtFunction())
    return out_.Fail();
  out_.Append(NameOfLinkage(Peek()));
  ++at_;
  const std::string attributes = Attributes();
  const std::string arguments = Aside([&] { Arguments(); });
  Type();
  out_.Append("(" + arguments + ") " + attributes);
}

std::string DName::Attributes() {
  std::string text;
  while (Peek() == 'N') {
    const std::string_view attribute = NameOfAttribute(Peek(1));
    if (attribute.empty())
      break;
    at_ += 2;
    text += attribute;
  }
  return text;
}

std::string DName::Modifiers() {
  std::string text;
  while (true) {
    if (Take('x'))
      text += " const";
    else if (Take('y'))
      text += " immutable";
    else if (Take('O'))
      text += " shared";
    else if (Take("Ng"))
      text += " inout";
    else
      return text;
  }
}

// Reads up to the closing letter: X and Y are the two kinds of variadic functions.
void DName::Arguments() {
  for (bool is_first = true; !out_.failed(); is_first = false) {
    if (Take('Z'))
      return;
    if (Take('X'))
      return out_.Append("...");
    if (!is_first)
      out_.Append(", ");
    if (Take('Y'))
      return out_.Append("...");
    if (Take('M'))
      out_.Append("scope ");
    if (Take("Nk"))
      out_.Append("return ");
    if (Take('I'))
      out_.Append("in ");
    if (Take('J'))
      out_.Append("out ");
    else if (Take('K'))
      out_.Append("ref ");
    else if (Take('L'))
      out_.Append("lazy ");
    Type();
  }
}

}  // namespace flarestack::symbol

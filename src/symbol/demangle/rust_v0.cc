// SPDX-License-Identifier: Apache-2.0
//
// Paths and types.
#include "symbol/demangle/rust_v0.h"

#include <algorithm>

namespace flarestack::symbol {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

bool IsOfScheme(char c) { return IsUpper(c) || IsLower(c) || (c >= '0' && c <= '9') || c == '_'; }

std::string_view NameOfBasicType(char tag) {
  constexpr std::string_view kNames[26] = {"i8",   "bool",  "char",  "f64", "str", "f32", "",
                                           "u8",   "isize", "usize", "",    "i32", "u32", "i128",
                                           "u128", "_",     "",      "",    "i16", "u16", "()",
                                           "...",  "",      "i64",   "u64", "!"};
  return IsLower(tag) ? kNames[tag - 'a'] : std::string_view();
}

}  // namespace

std::optional<std::string> RustV0::Read() {
  if (!std::all_of(name_.begin(), name_.end(), IsOfScheme))
    return std::nullopt;
  if (Peek() >= '0' && Peek() <= '9')
    return std::nullopt;  // a future version of the scheme
  Path(InPath::kValue);
  if (IsUpper(Peek())) {  // the instantiating crate
    out_.Mute();
    Path(InPath::kType);
    out_.Unmute();
  }
  if (out_.failed() || at_ != name_.size() || out_.size() == 0)
    return std::nullopt;
  return out_.Take();
}

void RustV0::Path(InPath in) {
  const NameLevel level(out_);
  if (!level.ok())
    return;
  switch (Next()) {
    case 'C':
      return AppendIdentifier(ReadIdentifier());
    case 'N':
      return NestedPath(in);
    case 'M':
      ImplPath();
      out_.Append('<');
      Type();
      return out_.Append('>');
    case 'X':
      ImplPath();
      [[fallthrough]];
    case 'Y':
      out_.Append('<');
      Type();
      out_.Append(" as ");
      Path(InPath::kType);
      return out_.Append('>');
    case 'I':
      Path(in);
      out_.Append(in == InPath::kValue ? "::<" : "<");
      GenericArguments();
      return out_.Append('>');
    case 'B':
      return BackReference([&] { Path(in); });
    default:
      return out_.Fail();
  }
}

// A lower-case letter is a namespace that is not shown: types, values and similar.
void RustV0::NestedPath(InPath in) {
  const char name_space = Next();
  if (!IsUpper(name_space) && !IsLower(name_space))
    return out_.Fail();
  Path(in);
  const Identifier identifier = ReadIdentifier();
  if (IsLower(name_space)) {
    if (!identifier.bytes.empty()) {
      out_.Append("::");
      AppendIdentifier(identifier);
    }
    return;
  }
  out_.Append("::{");
  if (name_space == 'C')
    out_.Append("closure");
  else if (name_space == 'S')
    out_.Append("shim");
  else
    out_.Append(name_space);
  if (!identifier.bytes.empty()) {
    out_.Append(':');
    AppendIdentifier(identifier);
  }
  out_.Append("#" + std::to_string(identifier.disambiguator) + "}");
}

// The location of the impl adds nothing to its type and trait.
void RustV0::ImplPath() {
  OptionalBase62('s');
  out_.Mute();
  Path(InPath::kType);
  out_.Unmute();
}

void RustV0::GenericArguments() {
  for (bool is_first = true; !out_.failed() && !Take('E'); is_first = false) {
    if (!is_first)
      out_.Append(", ");
    GenericArgument();
  }
}

void RustV0::GenericArgument() {
  if (Take('L'))
    return Lifetime(Base62());
  if (Take('K'))
    return Const(InConst::kArgument);
  Type();
}

bool RustV0::PathLeftOpen() {
  const NameLevel level(out_);
  if (!level.ok())
    return false;
  if (Take('B')) {
    bool is_open = false;
    BackReference([&] { is_open = PathLeftOpen(); });
    return is_open;
  }
  if (!Take('I')) {
    Path(InPath::kType);
    return false;
  }
  Path(InPath::kType);
  out_.Append('<');
  GenericArguments();
  return true;
}

void RustV0::Type() {
  const NameLevel level(out_);
  if (!level.ok())
    return;
  const char tag = Peek();
  if (BasicType(tag))
    return;
  Next();
  switch (tag) {
    case 'R':
    case 'Q':
      return Reference(tag == 'Q');
    case 'P':
    case 'O':
      out_.Append(tag == 'P' ? "*const " : "*mut ");
      return Type();
    case 'A':
    case 'S':
      out_.Append('[');
      Type();
      if (tag == 'A') {
        out_.Append("; ");
        Const(InConst::kExpression);
      }
      return out_.Append(']');
    case 'T':
      return Tuple();
    case 'F':
      return FunctionPointer();
    case 'D':
      return DynTrait();
    case 'B':
      return BackReference([&] { Type(); });
    default:
      --at_;
      return Path(InPath::kType);
  }
}

bool RustV0::BasicType(char tag) {
  const std::string_view name = NameOfBasicType(tag);
  if (name.empty())
    return false;
  ++at_;
  out_.Append(name);
  return true;
}

void RustV0::Reference(bool is_mutable) {
  out_.Append('&');
  if (Take('L')) {
    if (const uint64_t lifetime = Base62(); lifetime != 0) {
      Lifetime(lifetime);
      out_.Append(' ');
    }
  }
  if (is_mutable)
    out_.Append("mut ");
  Type();
}

void RustV0::Tuple() {
  out_.Append('(');
  size_t count = 0;
  for (; !out_.failed() && !Take('E'); ++count) {
    if (count > 0)
      out_.Append(", ");
    Type();
  }
  out_.Append(count == 1 ? ",)" : ")");
}

void RustV0::FunctionPointer() {
  const uint64_t bound = Binder();
  if (Take('U'))
    out_.Append("unsafe ");
  if (Take('K'))
    Abi();
  out_.Append("fn(");
  for (bool is_first = true; !out_.failed() && !Take('E'); is_first = false) {
    if (!is_first)
      out_.Append(", ");
    Type();
  }
  out_.Append(')');
  if (!Take('u')) {
    out_.Append(" -> ");
    Type();
  }
  bound_lifetimes_ -= bound;
}

void RustV0::Abi() {
  out_.Append("extern \"");
  if (Take('C')) {
    out_.Append('C');
  } else {
    std::string abi(ReadPlainIdentifier().bytes);
    std::replace(abi.begin(), abi.end(), '_', '-');
    out_.Append(abi);
  }
  out_.Append("\" ");
}

void RustV0::DynTrait() {
  out_.Append("dyn ");
  const uint64_t bound = Binder();
  Bounds();
  bound_lifetimes_ -= bound;
  if (!Take('L'))
    return out_.Fail();
  if (const uint64_t lifetime = Base62(); lifetime != 0) {
    out_.Append(" + ");
    Lifetime(lifetime);
  }
}

void RustV0::Bounds() {
  for (bool is_first = true; !out_.failed() && !Take('E'); is_first = false) {
    if (!is_first)
      out_.Append(" + ");
    bool is_open = PathLeftOpen();
    while (Take('p')) {
      out_.Append(is_open ? ", " : "<");
      is_open = true;
      AppendIdentifier(ReadPlainIdentifier());
      out_.Append(" = ");
      Type();
    }
    if (is_open)
      out_.Append('>');
  }
}

}  // namespace flarestack::symbol

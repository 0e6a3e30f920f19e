// SPDX-License-Identifier: Apache-2.0
//
// One name of Rust's v0 scheme, read and written in one pass:
//
//   path:  C crate | M impl | X impl of a trait | Y trait | N nested | I generic | B back
//   type:  one letter, or a path, or A S T R Q P O F D B and its operands
//   const: its type and hexadecimal digits, or a structure of constants
//
// A back reference is the position of an earlier part, which is read again. BoundedText limits
// depth, steps and output. An object reads only one name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "symbol/demangle/bounded_text.h"

namespace flarestack::symbol {

class RustV0 {
 public:
  // The text after `_R`, without a vendor suffix. The text must outlive the object.
  explicit RustV0(std::string_view name) : name_(name) {}

  std::optional<std::string> Read();

 private:
  enum class InPath { kType, kValue };  // in values, generic arguments follow `::`
  enum class InConst { kArgument, kExpression };

  struct Identifier {
    std::string_view bytes;
    bool is_punycode = false;
    uint64_t disambiguator = 0;
  };

  // Reads the letters of the name. At its end, and after a failure, Peek returns '\0'.
  char Peek() const { return out_.failed() || at_ >= name_.size() ? '\0' : name_[at_]; }
  char Next();
  bool Take(char expected);
  uint64_t Base62();
  uint64_t OptionalBase62(char tag);
  uint64_t Decimal();
  Identifier ReadIdentifier();
  Identifier ReadPlainIdentifier();
  std::string_view HexDigits();
  void AppendIdentifier(const Identifier& identifier);

  void Path(InPath in);
  void NestedPath(InPath in);
  void ImplPath();
  void GenericArguments();
  void GenericArgument();
  // Returns true if a list of generic arguments was left open, for the bindings of a dyn trait.
  bool PathLeftOpen();

  void Type();
  bool BasicType(char tag);
  void Reference(bool is_mutable);
  void Tuple();
  void FunctionPointer();
  void Abi();
  void DynTrait();
  void Bounds();
  void Lifetime(uint64_t index);
  // Writes "for<'a, 'b> " and returns how many lifetimes it bound.
  uint64_t Binder();

  void Const(InConst in);
  void ConstCharacter();
  void ConstInteger(char tag);
  void ConstText();
  void ConstReference(bool is_mutable, InConst in);
  void ConstList(char close, bool comma_after_one);
  void ConstStructure();

  // Reads at the position that a back reference points to.
  template <typename ReadPart>
  void BackReference(ReadPart read_part);

  std::string_view name_;
  size_t at_ = 0;
  uint64_t bound_lifetimes_ = 0;
  BoundedText out_;
};

template <typename ReadPart>
void RustV0::BackReference(ReadPart read_part) {
  const size_t reference = at_ - 1;  // of the `B`
  const uint64_t target = Base62();
  if (target >= reference)
    return out_.Fail();
  const size_t after = at_;
  at_ = static_cast<size_t>(target);
  read_part();
  at_ = after;
}

}  // namespace flarestack::symbol

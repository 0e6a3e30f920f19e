// SPDX-License-Identifier: Apache-2.0
//
// One D name, read and written in one pass:
//
//   symbol: length and letters | __T name arguments Z | Q back reference to a name
//   name:   symbol, with the arguments of its function, and so on
//   type:   one letter and what it applies to | Q back reference to a type
//   value:  a literal, shown after its type
//
// A back reference is a distance, counted from its `Q`. BoundedText limits depth, steps and output.
// An object reads only one name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "symbol/demangle/bounded_text.h"

namespace flarestack::symbol {

class DName {
 public:
  // The whole name, including `_D`. The text must outlive the object.
  explicit DName(std::string_view name) : name_(name) {}

  std::optional<std::string> Read();

 private:
  char Peek(size_t ahead = 0) const {
    return out_.failed() || ahead >= name_.size() - at_ ? '\0' : name_[at_ + ahead];
  }
  bool Take(char expected);
  bool Take(std::string_view expected);
  uint64_t Number();
  // The target and the end of the back reference at `at`; nullopt if there is none.
  struct Back {
    size_t target;
    size_t end;
  };
  std::optional<Back> BackAt(size_t at) const;
  template <typename ReadPart>
  void BackReference(ReadPart read_part);

  void MangledName();
  void QualifiedName();
  bool IsAtSymbol() const;
  void Symbol();
  void Letters(std::string_view letters);
  void Template();
  void TemplateArguments();
  void TemplateSymbol();
  void OwnArguments();

  void Type();
  bool BasicType();
  void Wrapped(std::string_view before, std::string_view after);
  void PointerOrFunction();
  void Delegate();
  void AssociativeArray();
  void TypeTuple();
  void FunctionType();
  std::string Attributes();
  std::string Modifiers();
  void Arguments();
  bool IsAtFunction() const;

  void Value(char type, std::string_view type_name);
  void Integer(char type, std::string_view digits);
  void Real();
  void Text();
  void ValueList(std::string_view open, std::string_view close);

  // Returns the text that `write` produces, without leaving it in the output.
  template <typename Write>
  std::string Aside(Write write);

  std::string_view name_;
  size_t at_ = 0;
  BoundedText out_;
  std::string_view artificial_;  // a prefix such as "vtable for "
};

template <typename ReadPart>
void DName::BackReference(ReadPart read_part) {
  const std::optional<Back> back = BackAt(at_);
  if (!back)
    return out_.Fail();
  at_ = back->target;
  read_part();
  at_ = back->end;
}

template <typename Write>
std::string DName::Aside(Write write) {
  const size_t before = out_.size();
  write();
  return out_.CutFrom(before);
}

// Demangles D names. `_D3foo3barFiZv` becomes `foo.bar(int)`: a function shows the types of its
// arguments, which distinguish overloads, but not its return type or attributes. Templates show
// their arguments as in `foo.bar!(int, 5)`. Returns nullopt if the name (`_D...`) is not D, or if
// its depth, length or effort is too large.
std::optional<std::string> DemangleD(std::string_view mangled);

}  // namespace flarestack::symbol

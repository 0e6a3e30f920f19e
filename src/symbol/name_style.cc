// SPDX-License-Identifier: Apache-2.0
#include "symbol/name_style.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace flarestack::symbol {
namespace {

constexpr std::string_view kCollapsed = "<...>";
constexpr std::string_view kAbiTag = "[abi:";
constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::string_view kOperator = "operator";

// Symbols that a compiler generates for a function or class: the prefix stays, the name is
// shortened.
constexpr std::array<std::string_view, 12> kPrefixes = {"vtable for ",
                                                        "VTT for ",
                                                        "typeinfo for ",
                                                        "typeinfo name for ",
                                                        "guard variable for ",
                                                        "non-virtual thunk to ",
                                                        "virtual thunk to ",
                                                        "covariant return thunk to ",
                                                        "TLS init function for ",
                                                        "TLS wrapper function for ",
                                                        "construction vtable for ",
                                                        "transaction clone for "};

// Longest first if one is a prefix of another. Words are followed by more letters or a blank.
constexpr std::array<std::string_view, 48> kOperatorTokens = {
    "<=>",    "<<=",  ">>=",       "->*",     "()",        "[]", "<<", ">>", "<=", ">=",
    "==",     "!=",   "&&",        "||",      "++",        "--", "->", "+=", "-=", "*=",
    "/=",     "%=",   "^=",        "&=",      "|=",        "<",  ">",  "+",  "-",  "*",
    "/",      "%",    "^",         "&",       "|",         "~",  "!",  "=",  ",",  "\"\"",
    " new[]", " new", " delete[]", " delete", " co_await", "?",  ".",  "'"};

bool IsNameLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

// Returns the symbol after `operator`; empty for a conversion.
std::string_view OperatorToken(std::string_view rest) {
  for (const std::string_view token : kOperatorTokens) {
    if (!rest.starts_with(token))
      continue;
    const bool is_word = IsNameLetter(token.back());
    if (!is_word || rest.size() == token.size() || !IsNameLetter(rest[token.size()]))
      return token;
  }
  return {};
}

// Reads one name from left to right. `at_` is always outside nested brackets.
class Shortener {
 public:
  Shortener(std::string_view text, bool collapse) : text_(text), collapse_(collapse) {}

  // Returns nullopt if the text does not look like C++.
  std::optional<std::string> Run() {
    while (at_ < text_.size()) {
      if (!Step())
        return std::nullopt;
      if (is_done_)
        break;
    }
    std::string name = saw_parameters_ ? out_.substr(name_begin_) : out_;
    if (name.empty())
      return std::nullopt;
    return name;
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  bool IsAt(std::string_view expected) const { return rest().starts_with(expected); }
  char Before() const { return at_ == 0 ? '\0' : text_[at_ - 1]; }

  bool Step() {
    const char c = text_[at_];
    if (IsAt(kOperator) && !IsNameLetter(Before()))
      return Operator();
    if (IsAt(kAbiTag))
      return SkipAbiTag();
    if (IsAt(" [clone "))
      return is_done_ = true;
    if (c == '<')
      return TemplateArguments();
    if (c == '(')
      return Parenthesis();
    if (c == ')' && in_declarator_)
      return is_done_ = true;
    if (c == '{' || c == '[')
      return CopyGroup();
    if (c == '.' || c == '/' || c == '>' || c == ')' || c == '}' || c == ']')
      return false;  // Go, D, Java, or unknown
    if (c == ' ')
      return Blank();
    Keep(1);
    return true;
  }

  void Keep(size_t count) {
    out_ += text_.substr(at_, count);
    at_ += count;
  }

  // Text before a blank is the return type. After the parameters, only qualifiers follow a blank.
  bool Blank() {
    if (after_parameters_)
      return is_done_ = true;
    Keep(1);
    name_begin_ = out_.size();
    return true;
  }

  bool SkipAbiTag() {
    const size_t end = text_.find(']', at_);
    if (end == std::string_view::npos)
      return false;
    at_ = end + 1;
    return true;
  }

  bool Operator() {
    after_parameters_ = false;
    Keep(kOperator.size());
    if (IsNameLetter(rest().empty() ? '\0' : rest()[0]))
      return true;  // an identifier that starts with "operator"
    const std::string_view token = OperatorToken(rest());
    Keep(token.size());
    if (token == "\"\"") {  // a literal operator, whose name follows a blank
      while (at_ < text_.size() && text_[at_] != '(' && text_[at_] != '<')
        Keep(1);
    } else if (token.empty()) {
      return Conversion();
    }
    if (IsAt(" <"))
      Keep(1);  // keep the blank in `operator< <int>`
    return true;
  }

  // The target type of the conversion extends to the parameters.
  bool Conversion() {
    while (at_ < text_.size() && text_[at_] != '(') {
      if (text_[at_] == '<') {
        if (!TemplateArguments())
          return false;
      } else if (IsAt(kAbiTag)) {
        if (!SkipAbiTag())
          return false;
      } else {
        Keep(1);
      }
    }
    return true;
  }

  bool TemplateArguments() {
    const std::optional<size_t> end = EndOfGroup(at_);
    if (!end || at_ == 0 || out_.ends_with("::"))
      return false;  // Rust: <T as Trait>::f, f::<T>
    const std::string_view group = text_.substr(at_, *end - at_);
    if (collapse_ && group.size() > kCollapsed.size())
      out_ += kCollapsed;
    else
      AppendWithoutTags(group);
    at_ = *end;
    return true;
  }

  void AppendWithoutTags(std::string_view group) {
    while (!group.empty()) {
      const size_t tag = std::min(group.find(kAbiTag), group.size());
      out_ += group.substr(0, tag);
      group.remove_prefix(tag);
      if (group.empty())
        return;
      const size_t end = group.find(']');
      group.remove_prefix(end == std::string_view::npos ? group.size() : end + 1);
    }
  }

  bool Parenthesis() {
    if (IsAt(kAnonymous)) {
      Keep(kAnonymous.size());
      return true;
    }
    const std::optional<size_t> end = EndOfGroup(at_);
    if (!end)
      return false;
    if (out_.ends_with("decltype ") || out_.ends_with("decltype")) {
      Keep(*end - at_);
      return true;
    }
    const bool is_pointer =
        at_ + 1 < text_.size() && (text_[at_ + 1] == '*' || text_[at_ + 1] == '&');
    if (Before() == ' ' && is_pointer && !saw_parameters_) {
      // A function that returns a pointer to a function or array: the name is inside the
      // declarator.
      in_declarator_ = true;
      at_ += 1;
      while (at_ < text_.size() && (text_[at_] == '*' || text_[at_] == '&'))
        ++at_;
      name_begin_ = out_.size();
      return true;
    }
    if (Before() == '.' || Before() == ' ' || out_.empty())
      return false;
    at_ = *end;
    saw_parameters_ = true;
    after_parameters_ = true;
    return AfterParameters();
  }

  // A local name continues after the function's parameters and qualifiers.
  bool AfterParameters() {
    const size_t scope = text_.find("::", at_);
    const std::string_view between = text_.substr(at_, scope - at_);
    const bool is_qualifier = between.empty() || between == " const" || between == " volatile" ||
                              between == " const volatile" || between == " const&" ||
                              between == " const &" || between == "&" || between == " &" ||
                              between == " &&" || between == " const &&" || between == "&&";
    if (scope != std::string_view::npos && (is_qualifier || between.starts_with(kAbiTag))) {
      at_ = scope;
      after_parameters_ = false;
    } else if (at_ < text_.size() && text_[at_] != ')' && !IsAt(kAbiTag)) {
      if (IsAt(" -> "))
        return false;  // Rust
      is_done_ = true;
    }
    return true;
  }

  // Copies {lambda(int)#1}, {unnamed type#2}, [...] unchanged.
  bool CopyGroup() {
    const std::optional<size_t> end = EndOfGroup(at_);
    if (!end)
      return false;
    Keep(*end - at_);
    return true;
  }

  // Returns the position after the bracket that closes the one at `begin`. A `<` opens only after a
  // name, and a `>` closes only a `<`, because both are operators in the expressions of template
  // arguments.
  std::optional<size_t> EndOfGroup(size_t begin) const {
    std::string open;
    for (size_t i = begin; i < text_.size(); ++i) {
      const char c = text_[i];
      if (text_.substr(i).starts_with(kOperator) && (i == 0 || !IsNameLetter(text_[i - 1]))) {
        const std::string_view token = OperatorToken(text_.substr(i + kOperator.size()));
        i += kOperator.size() + token.size() - 1;
        continue;
      }
      const char before = i == 0 ? '\0' : text_[i - 1];
      if (c == '(' || c == '[' || c == '{') {
        open.push_back(c);
      } else if (c == '<' && (i == begin || IsNameLetter(before) || before == ']' ||
                              before == ' ' || before == ':')) {
        open.push_back(c);
      } else if (c == '>' && before != '-' && !open.empty() && open.back() == '<') {
        open.pop_back();
      } else if (c == ')' || c == ']' || c == '}') {
        const char opener = c == ')' ? '(' : c == ']' ? '[' : '{';
        while (!open.empty() && open.back() == '<' && open.size() > 1)
          open.pop_back();  // it was a comparison
        if (open.empty() || open.back() != opener)
          return std::nullopt;
        open.pop_back();
      }
      if (open.empty())
        return i + 1;
    }
    return std::nullopt;
  }

  std::string_view text_;
  bool collapse_;
  size_t at_ = 0;
  std::string out_;
  size_t name_begin_ = 0;  // after the return type
  bool saw_parameters_ = false;
  bool after_parameters_ = false;
  bool in_declarator_ = false;
  bool is_done_ = false;
};

}  // namespace

std::string ShortenName(std::string_view demangled, NameStyle style) {
  if (style == NameStyle::kFull || demangled.find_first_of("(<[") == std::string_view::npos)
    return std::string(demangled);
  std::string_view prefix;
  for (const std::string_view words : kPrefixes) {
    if (demangled.starts_with(words))
      prefix = words;
  }
  const std::string_view name = demangled.substr(prefix.size());
  std::optional<std::string> shortened = Shortener(name, style == NameStyle::kNoTemplates).Run();
  return shortened ? std::string(prefix) + *shortened : std::string(demangled);
}

}  // namespace flarestack::symbol

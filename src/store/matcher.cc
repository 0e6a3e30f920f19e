// SPDX-License-Identifier: Apache-2.0
#include "store/matcher.h"

#include "base/status.h"
#include "base/text/encoding.h"

namespace flarestack::store {
namespace {

constexpr std::string_view KindText(Matcher::Kind kind) {
  switch (kind) {
    case Matcher::Kind::kEqual:
      return "=";
    case Matcher::Kind::kNotEqual:
      return "!=";
    case Matcher::Kind::kMatches:
      return "=~";
    case Matcher::Kind::kDoesNotMatch:
      return "!~";
  }
  return "";
}

bool IsKeyCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-' || c == '/' || c == ':';
}

class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Matcher>> Parse() {
    std::vector<Matcher> matchers;
    SkipSpace();
    if (AtEnd())
      return matchers;
    const bool has_braces = Take("{");
    SkipSpace();
    while (!AtEnd() && Peek() != '}') {
      FLARE_ASSIGN(Matcher matcher, ParseMatcher());
      matchers.push_back(std::move(matcher));
      SkipSpace();
      if (!Take(","))
        break;
      SkipSpace();
    }
    if (has_braces && !Take("}"))
      return Expected("'}' or ','");
    SkipSpace();
    if (!AtEnd())
      return Expected("the end");
    return matchers;
  }

 private:
  absl::StatusOr<Matcher> ParseMatcher() {
    FLARE_ASSIGN(std::string key, Peek() == '"' ? ParseQuoted() : ParseKey());
    SkipSpace();
    Matcher::Kind kind;
    if (Take("=~"))
      kind = Matcher::Kind::kMatches;
    else if (Take("!~"))
      kind = Matcher::Kind::kDoesNotMatch;
    else if (Take("!="))
      kind = Matcher::Kind::kNotEqual;
    else if (Take("="))
      kind = Matcher::Kind::kEqual;
    else
      return Expected("one of = != =~ !~");
    SkipSpace();
    FLARE_ASSIGN(std::string value, ParseQuoted());
    return Matcher::Make(std::move(key), kind, std::move(value));
  }

  absl::StatusOr<std::string> ParseKey() {
    const size_t begin = at_;
    while (!AtEnd() && IsKeyCharacter(Peek()))
      ++at_;
    if (at_ == begin)
      return Expected("the name of an attribute");
    return std::string(text_.substr(begin, at_ - begin));
  }

  absl::StatusOr<std::string> ParseQuoted() {
    if (AtEnd() || (Peek() != '"' && Peek() != '`'))
      return Expected("a value in quotes");
    const char quote = text_[at_++];
    std::string value;
    while (!AtEnd() && Peek() != quote) {
      if (quote == '"' && Peek() == '\\' && at_ + 1 < text_.size())
        ++at_;
      value += text_[at_++];
    }
    if (AtEnd())
      return Expected("the quote that ends the value");
    ++at_;
    return value;
  }

  absl::Status Expected(std::string_view what) const {
    return absl::InvalidArgumentError(base::StrCat("selector: expected ", what, " at position ",
                                                   at_ + 1, " of ",
                                                   base::StrCat("\"", text_, "\"")));
  }

  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word))
      return false;
    at_ += word.size();
    return true;
  }
  void SkipSpace() {
    while (!AtEnd() && (Peek() == ' ' || Peek() == '\t' || Peek() == '\n'))
      ++at_;
  }
  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<Matcher> Matcher::Make(std::string key, Kind kind, std::string value) {
  Matcher matcher;
  if (kind == Kind::kMatches || kind == Kind::kDoesNotMatch) {
    FLARE_ASSIGN(matcher.pattern_, base::Pattern::Make(value));
  }
  matcher.key_ = std::move(key);
  matcher.kind_ = kind;
  matcher.value_ = std::move(value);
  return matcher;
}

bool Matcher::Accepts(std::string_view text) const {
  switch (kind_) {
    case Kind::kEqual:
      return text == value_;
    case Kind::kNotEqual:
      return text != value_;
    case Kind::kMatches:
      return pattern_->IsWhole(text);
    case Kind::kDoesNotMatch:
      return !pattern_->IsWhole(text);
  }
  return false;
}

absl::StatusOr<std::vector<Matcher>> ParseSelector(std::string_view text) {
  return SelectorParser(text).Parse();
}

std::string SelectorText(const std::vector<Matcher>& matchers) {
  std::string out = "{";
  for (const Matcher& matcher : matchers) {
    if (out.size() > 1)
      out += ",";
    const auto quote = [&](std::string_view text) {
      out += '"';
      for (const char c : text) {
        if (c == '"' || c == '\\')
          out += '\\';
        out += c;
      }
      out += '"';
    };
    const bool is_plain = !matcher.key().empty() && std::ranges::all_of(matcher.key(), [](char c) {
      return IsKeyCharacter(c);
    });
    if (is_plain)
      out += matcher.key();
    else
      quote(matcher.key());
    out += KindText(matcher.kind());
    quote(matcher.value());
  }
  return out + "}";
}

}  // namespace flarestack::store

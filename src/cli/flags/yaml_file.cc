// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/yaml_file.h"

#include <yaml-cpp/yaml.h>

#include <cctype>
#include <exception>
#include <set>

#include "base/status.h"

namespace flarestack::cli {
namespace {

int LineOf(const YAML::Node& node) { return node.Mark().line + 1; }

absl::Status At(int line, std::string_view message) {
  const std::string text = base::StrCat("line ", line, ": ", message);
  return absl::InvalidArgumentError(text);
}

bool IsVariableName(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0)
    return false;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_')
      return false;
  }
  return true;
}

// Resolves the text between ${ and }.
absl::StatusOr<std::string> Resolve(std::string_view reference, const Environment& environment) {
  constexpr std::string_view kPrefix = "env:";
  if (reference.starts_with(kPrefix))
    reference.remove_prefix(kPrefix.size());
  const size_t separator = reference.find(":-");
  const std::string name(reference.substr(0, separator));
  if (!IsVariableName(name))
    return absl::InvalidArgumentError("a reference must have the form ${VAR} or ${VAR:-default}");
  const std::optional<std::string> value = environment(name);
  if (value.has_value() && !value->empty())
    return *value;
  return std::string(separator == std::string_view::npos ? "" : reference.substr(separator + 2));
}

absl::StatusOr<std::string> Substitute(std::string_view text, const Environment& environment) {
  std::string out;
  while (!text.empty()) {
    const size_t plain = std::min(text.find('$'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.starts_with("$$")) {
      out += '$';
      text.remove_prefix(2);
    } else if (text.starts_with("${")) {
      const size_t end = text.find('}');
      if (end == std::string_view::npos)
        return absl::InvalidArgumentError("a reference has no closing brace");
      FLARE_ASSIGN(const std::string value, Resolve(text.substr(2, end - 2), environment));
      out += value;
      text.remove_prefix(end + 1);
    } else if (!text.empty()) {
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

class Parser {
 public:
  explicit Parser(const Environment& environment) : environment_(environment) {}

  absl::StatusOr<std::vector<YamlEntry>> Parse(const std::string& text) {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull())
      return entries_;
    if (!root.IsMap())
      return At(LineOf(root), "expected sections, such as serve:");
    for (const auto& section : root)
      FLARE_RETURN_IF_ERROR(ReadSection(section.first, section.second));
    return entries_;
  }

 private:
  absl::Status ReadSection(const YAML::Node& name, const YAML::Node& keys) {
    if (!name.IsScalar())
      return At(LineOf(name), "the name of a section must be a word");
    if (!keys.IsNull() && !keys.IsMap())
      return At(LineOf(keys), base::StrCat(name.Scalar(), " must hold keys with values"));
    FLARE_RETURN_IF_ERROR(Add({.section = name.Scalar(), .line = LineOf(name)}));
    if (keys.IsNull())
      return absl::OkStatus();
    for (const auto& pair : keys) {
      if (!pair.first.IsScalar())
        return At(LineOf(pair.first), "a key must be a word");
      YamlEntry entry = {
          .section = name.Scalar(), .key = pair.first.Scalar(), .line = LineOf(pair.first)};
      FLARE_RETURN_IF_ERROR(ReadValue(pair.second, &entry));
      FLARE_RETURN_IF_ERROR(Add(std::move(entry)));
    }
    return absl::OkStatus();
  }

  absl::Status ReadValue(const YAML::Node& value, YamlEntry* entry) {
    if (value.IsNull())
      return absl::OkStatus();
    if (!value.IsScalar())
      return At(entry->line, base::StrCat(entry->key, " must have one value"));
    auto text = Substitute(value.Scalar(), environment_);
    if (!text.ok())
      return At(entry->line, base::StrCat(entry->key, ": ", base::Message(text.status())));
    if (!text->empty())
      entry->value = *std::move(text);
    return absl::OkStatus();
  }

  absl::Status Add(YamlEntry entry) {
    if (!seen_.emplace(entry.section, entry.key).second) {
      return At(entry.line,
                base::StrCat(entry.key.empty() ? entry.section : entry.key, " is set twice"));
    }
    entries_.push_back(std::move(entry));
    return absl::OkStatus();
  }

  const Environment& environment_;
  std::vector<YamlEntry> entries_;
  std::set<std::pair<std::string, std::string>> seen_;
};

}  // namespace

absl::StatusOr<std::vector<YamlEntry>> ParseYaml(std::string_view text,
                                                 const Environment& environment) {
  try {
    return Parser(environment).Parse(std::string(text));
  } catch (const YAML::Exception& error) {
    return At(error.mark.is_null() ? 1 : error.mark.line + 1, error.msg);
  } catch (const std::exception& error) {
    return At(1, error.what());
  }
}

}  // namespace flarestack::cli

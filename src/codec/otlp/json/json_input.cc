// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/json/json_input.h"

#include <algorithm>
#include <optional>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "codec/otlp/json/json_syntax.h"
#include "codec/otlp/values/memory_cost.h"

namespace flarestack::codec::otlp {
namespace {

using simdjson::error_code;
using simdjson::ondemand::json_type;
using Value = JsonInput::Value;

constexpr size_t kShownBytesMax = 40;
constexpr size_t kNameBytesMax = 64;  // longer than any known name

// Converts "stack_index" to "stackIndex". Returns false unless the name consists of lower-case
// words separated by single underscores.
bool FromSnakeCase(std::string_view name, std::string* out) {
  out->clear();
  bool starts_word = false;
  for (const char c : name) {
    if (c == '_') {
      if (starts_word || out->empty()) {
        return false;
      }
      starts_word = true;
      continue;
    }
    if (c < 'a' || c > 'z') {
      return false;
    }
    out->push_back(starts_word ? static_cast<char>(c - 'a' + 'A') : c);
    starts_word = false;
  }
  return !starts_word;
}

// A token for an error message: one short line of valid UTF-8.
std::string Shown(std::string_view token) {
  if (token.starts_with('{')) {
    return "an object";
  }
  if (token.starts_with('[')) {
    return "an array";
  }
  while (!token.empty() &&
         std::string_view(" \t\r\n").find(token.back()) != std::string_view::npos) {
    token.remove_suffix(1);
  }
  if (token.size() <= kShownBytesMax) {
    return base::ToValidUtf8(token);
  }
  return base::StrCat(base::ToValidUtf8(token.substr(0, kShownBytesMax)), "...");
}

error_code SkipScalar(json_type type, Value& value) {
  if (type == json_type::string) {
    std::string_view text;
    return value.get_string().get(text);
  }
  if (type == json_type::number) {
    double number = 0;
    return value.get_double().get(number);
  }
  bool flag = false;
  return type == json_type::boolean ? value.get_bool().get(flag) : value.is_null().get(flag);
}

}  // namespace

JsonInput::JsonInput(std::string_view json, base::Arena* arena, base::Warnings* warnings,
                     Names names)
    : json_(json), arena_(*arena), warnings_(*warnings), padded_(json), names_(names) {}

absl::Status JsonInput::ReadDocument(std::initializer_list<Member> members) {
  if (padded_.data() == nullptr && !json_.empty()) {
    return absl::ResourceExhaustedError(
        base::StrCat("no memory for a copy of ", json_.size(), " bytes of JSON"));
  }
  simdjson::ondemand::document document;
  if (const error_code error = parser_.iterate(padded_).get(document)) {
    return SyntaxError(error);
  }
  simdjson::ondemand::object object;
  if (const error_code error = document.get_object().get(object)) {
    if (error != simdjson::INCORRECT_TYPE) {
      return SyntaxError(error);
    }
    std::string_view token;
    const bool is_shown = document.raw_json_token().get(token) == simdjson::SUCCESS;
    return Error(
        base::StrCat("expected an object, found ", is_shown ? Shown(token) : "something else"));
  }
  FLARE_RETURN_IF_ERROR(ReadMembers(object, members));
  const char* rest = nullptr;
  if (document.current_location().get(rest) == simdjson::SUCCESS) {
    return SyntaxError(simdjson::TRAILING_CONTENT);
  }
  return absl::OkStatus();
}

absl::Status JsonInput::ReadObject(Value& value, std::initializer_list<Member> members) {
  simdjson::ondemand::object object;
  if (const error_code error = value.get_object().get(object)) {
    bool is_null = false;
    if (error == simdjson::INCORRECT_TYPE && value.is_null().get(is_null) == simdjson::SUCCESS &&
        is_null) {
      return absl::OkStatus();
    }
    return Failure(error, "an object", value);
  }
  return ReadMembers(object, members);
}

absl::Status JsonInput::ReadMembers(simdjson::ondemand::object object,
                                    std::initializer_list<Member> members) {
  uint64_t seen = 0;
  for (auto result : object) {
    simdjson::ondemand::field field;
    if (const error_code error = std::move(result).get(field)) {
      return SyntaxError(error);
    }
    FLARE_RETURN_IF_ERROR(ReadMember(field, members, &seen));
  }
  return absl::OkStatus();
}

absl::Status JsonInput::ReadMember(simdjson::ondemand::field& field,
                                   std::initializer_list<Member> members, uint64_t* seen) {
  std::string_view name;
  if (const error_code error = field.unescaped_key().get(name)) {
    return SyntaxError(error);
  }
  Value& value = field.value();
  const Member* member = Find(name, members);
  if (member == nullptr) {
    if (observer_ != nullptr) {
      observer_->OnUnknownMember(name, [&] { return Path(); });
    }
    return Skip(value);
  }
  path_.push_back({.name = member->name});
  const uint64_t bit = uint64_t{1} << (member - members.begin());
  if ((*seen & bit) != 0) {
    return Error("duplicate name in an object");
  }
  *seen |= bit;
  if (name.find('_') != std::string_view::npos) {
    Warn("a field name in snake_case; OTLP/JSON uses lowerCamelCase");
  }
  json_type type;
  if (const error_code error = value.type().get(type)) {
    return SyntaxError(error);
  }
  FLARE_RETURN_IF_ERROR(type == json_type::null ? Skip(value) : member->read(value));
  path_.pop_back();
  return absl::OkStatus();
}

const JsonInput::Member* JsonInput::Find(std::string_view name,
                                         std::initializer_list<Member> members) {
  if (name.size() > kNameBytesMax) {
    return nullptr;
  }
  if (name.find('_') != std::string_view::npos) {
    if (names_ == Names::kCamelCaseOnly || !FromSnakeCase(name, &camel_case_)) {
      return nullptr;
    }
    name = camel_case_;
  }
  for (const Member& member : members) {
    if (member.name == name || (member.former_name == name && !name.empty())) {
      return &member;
    }
  }
  return nullptr;
}

absl::Status JsonInput::ReadArray(Value& value, ReadValue read_element) {
  simdjson::ondemand::array array;
  if (const error_code error = value.get_array().get(array)) {
    return Failure(error, "an array", value);
  }
  path_.push_back({});
  for (auto result : array) {
    if (const error_code error = result.error()) {
      return SyntaxError(error);
    }
    Value element = result.value_unsafe();
    FLARE_RETURN_IF_ERROR(read_element(element));
    ++path_.back().index;
  }
  path_.pop_back();
  return absl::OkStatus();
}

absl::Status JsonInput::SkipLevels(Value& value, int levels_left) {
  json_type type;
  if (const error_code error = value.type().get(type)) {
    return SyntaxError(error);
  }
  if (type != json_type::object && type != json_type::array) {
    const error_code error = SkipScalar(type, value);
    return error ? SyntaxError(error) : absl::OkStatus();
  }
  if (levels_left == 0) {
    return LimitError(
        base::StrCat("an unknown member is nested deeper than the limit of ", kSkippedLevelsMax));
  }
  if (type == json_type::array) {
    simdjson::ondemand::array array;
    if (const error_code error = value.get_array().get(array)) {
      return SyntaxError(error);
    }
    for (auto result : array) {
      if (const error_code error = result.error()) {
        return SyntaxError(error);
      }
      Value element = result.value_unsafe();
      FLARE_RETURN_IF_ERROR(SkipLevels(element, levels_left - 1));
    }
    return absl::OkStatus();
  }
  simdjson::ondemand::object object;
  if (const error_code error = value.get_object().get(object)) {
    return SyntaxError(error);
  }
  for (auto result : object) {
    simdjson::ondemand::field field;
    std::string_view name;
    error_code error = std::move(result).get(field);
    if (error || (error = field.unescaped_key().get(name))) {
      return SyntaxError(error);
    }
    FLARE_RETURN_IF_ERROR(SkipLevels(field.value(), levels_left - 1));
  }
  return absl::OkStatus();
}

bool JsonInput::IsArray(Value& value) {
  json_type type;
  return value.type().get(type) == simdjson::SUCCESS && type == json_type::array;
}

std::string JsonInput::Path() const {
  std::string path;
  for (const Step& step : path_) {
    if (step.name.empty()) {
      base::StrAppend(&path, "[", step.index, "]");
    } else {
      base::StrAppend(&path, path.empty() ? "" : ".", step.name);
    }
  }
  return path;
}

std::string_view JsonInput::last_name() const {
  return path_.empty() ? std::string_view() : path_.back().name;
}

absl::Status JsonInput::Error(std::string_view message) const {
  const std::string path = Path();
  return absl::InvalidArgumentError(base::StrCat(path, path.empty() ? "" : ": ", message));
}

absl::Status JsonInput::LimitError(std::string_view message) const {
  return {absl::StatusCode::kResourceExhausted, std::string(base::Message(Error(message)))};
}

void JsonInput::LimitMemory(const Limits& limits) {
  memory_bytes_max_ = limits.memory_bytes_max;
  memory_left_ = memory_bytes_max_ - std::min(memory_bytes_max_, json_.size() * kJsonBytesPerByte);
  memory_bytes_ = limits.memory_bytes;
}

absl::Status JsonInput::CheckLimit(size_t count, uint32_t count_max, std::string_view what,
                                   uint64_t entry_bytes) {
  if (count >= count_max) {
    return LimitError(base::StrCat("more ", what, " than the limit of ", count_max));
  }
  if (entry_bytes > memory_left_) {
    memory_left_ = 0;
    return MemoryLimitError(memory_bytes_max_);
  }
  memory_left_ -= entry_bytes;
  return absl::OkStatus();
}

void JsonInput::Warn(std::string_view kind) {
  // Building a path costs more than reading the member it names, so only the first warnings have
  // one.
  constexpr uint64_t kPathsMax = 100;
  warnings_.Add(kind, warned_count_++ < kPathsMax ? Path() : "");
}

absl::Status JsonInput::Failure(error_code error, std::string_view wanted, Value& value) const {
  return error == simdjson::INCORRECT_TYPE ? Expected(wanted, value) : SyntaxError(error);
}

absl::Status JsonInput::Expected(std::string_view wanted, Value& value) const {
  return Error(base::StrCat("expected ", wanted, ", found ", Shown(value.raw_json_token())));
}

absl::Status JsonInput::SyntaxError(error_code error) const {
  const std::optional<size_t> offset = LocateSyntaxError(json_);
  if (offset) {
    return absl::InvalidArgumentError(
        base::StrCat("not JSON at byte ", *offset, ": ", simdjson::error_message(error)));
  }
  // JSON that simdjson rejects: a lone surrogate, a number beyond a double, more than 4 GiB.
  return Error(simdjson::error_message(error));
}

}  // namespace flarestack::codec::otlp

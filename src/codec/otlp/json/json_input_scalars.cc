// SPDX-License-Identifier: Apache-2.0
//
// The scalars of JsonInput: proto3 JSON lets a writer choose between several forms of the same
// number.
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/hash.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "codec/otlp/json/json_input.h"

namespace flarestack::codec::otlp {
namespace {

using simdjson::error_code;
using simdjson::ondemand::json_type;
using Value = JsonInput::Value;

constexpr std::string_view kOmittedId = "an id with the wrong format was omitted";

error_code Get(Value& value, int64_t* out) { return value.get_int64().get(*out); }
error_code Get(Value& value, uint64_t* out) { return value.get_uint64().get(*out); }

// Integers written as 1e9 or 5.0. The bounds are exclusive, because a double next to 2^63 may come
// from a text beyond it.
template <typename T>
bool FromDouble(double number, T* out) {
  const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const double low = std::is_signed_v<T> ? -limit : -1.0;
  if (!(number > low && number < limit)) {
    return false;
  }
  *out = static_cast<T>(number);
  return true;
}

std::optional<double> ParseDouble(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

template <typename T>
constexpr std::string_view TypeName() {
  return std::is_signed_v<T> ? "int64" : "uint64";
}

}  // namespace

template <typename T>
absl::Status JsonInput::ReadInteger(Value& value, T* out) {
  json_type type;
  if (const error_code error = value.type().get(type)) {
    return SyntaxError(error);
  }
  std::optional<double> number;
  if (type == json_type::number) {
    if (Get(value, out) == simdjson::SUCCESS) {
      return absl::OkStatus();
    }
    double as_double = 0;
    if (value.get_double().get(as_double) == simdjson::SUCCESS) {
      number = as_double;
    }
  } else if (type == json_type::string) {
    std::string_view text;
    FLARE_RETURN_IF_ERROR(ReadText(value, &text));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
    if (error == std::errc() && end == text.data() + text.size()) {
      return absl::OkStatus();
    }
    number = ParseDouble(text);
  } else if (type == json_type::null) {
    return Skip(value);
  }
  if (!number || *number != std::trunc(*number)) {
    return Expected("an integer", value);
  }
  if (!FromDouble(*number, out)) {
    return Expected(base::StrCat("an integer in the range of ", TypeName<T>()), value);
  }
  return absl::OkStatus();
}

absl::Status JsonInput::Read(Value& value, int64_t* out) { return ReadInteger(value, out); }
absl::Status JsonInput::Read(Value& value, uint64_t* out) { return ReadInteger(value, out); }

absl::Status JsonInput::Read(Value& value, int32_t* out) {
  int64_t number = 0;
  FLARE_RETURN_IF_ERROR(ReadInteger(value, &number));
  if (number < std::numeric_limits<int32_t>::min() ||
      number > std::numeric_limits<int32_t>::max()) {
    return Expected("an integer in the range of int32", value);
  }
  *out = static_cast<int32_t>(number);
  return absl::OkStatus();
}

absl::Status JsonInput::Read(Value& value, uint32_t* out) {
  int64_t number = 0;
  FLARE_RETURN_IF_ERROR(ReadInteger(value, &number));
  if (number < 0 || number > std::numeric_limits<uint32_t>::max()) {
    return Expected("an integer in the range of uint32", value);
  }
  *out = static_cast<uint32_t>(number);
  return absl::OkStatus();
}

absl::Status JsonInput::Read(Value& value, double* out) {
  json_type type;
  if (const error_code error = value.type().get(type)) {
    return SyntaxError(error);
  }
  if (type != json_type::string) {
    const error_code error = value.get_double().get(*out);
    return error ? Expected("a number", value) : absl::OkStatus();
  }
  std::string_view text;
  FLARE_RETURN_IF_ERROR(ReadText(value, &text));
  if (text == "NaN") {
    *out = std::numeric_limits<double>::quiet_NaN();
  } else if (text == "Infinity" || text == "-Infinity") {
    const double infinity = std::numeric_limits<double>::infinity();
    *out = text.starts_with('-') ? -infinity : infinity;
  } else if (const std::optional<double> number = ParseDouble(text)) {
    *out = *number;
  } else {
    return Expected("a number", value);
  }
  return absl::OkStatus();
}

absl::Status JsonInput::Read(Value& value, bool* out) {
  const error_code error = value.get_bool().get(*out);
  return error ? Expected("true or false", value) : absl::OkStatus();
}

absl::Status JsonInput::Read(Value& value, std::string_view* out) {
  std::string_view text;
  FLARE_RETURN_IF_ERROR(ReadText(value, &text));
  *out = arena_.Copy(text);
  return absl::OkStatus();
}

// The text is in the parser's buffer. Call this once per value: the buffer has space for each
// string once.
absl::Status JsonInput::ReadText(Value& value, std::string_view* out) {
  json_type type;
  if (const error_code error = value.type().get(type)) {
    return SyntaxError(error);
  }
  if (type == json_type::null) {
    return Skip(value);
  }
  if (const error_code error = value.get_string().get(*out)) {
    return Failure(error, "a string", value);
  }
  return absl::OkStatus();
}

absl::Status JsonInput::ReadBase64(Value& value, std::string_view* out) {
  std::string_view text;
  FLARE_RETURN_IF_ERROR(ReadText(value, &text));
  std::optional<std::string> bytes = base::Base64Decode(text);
  if (!bytes) {
    return Expected("base64", value);
  }
  *out = arena_.Adopt(*std::move(bytes));
  return absl::OkStatus();
}

absl::Status JsonInput::ReadHexId(Value& value, size_t id_bytes, std::string_view* out) {
  std::string_view text;
  FLARE_RETURN_IF_ERROR(ReadText(value, &text));
  const std::optional<std::string> bytes = base::HexDecode(text);
  if (!bytes && leaves_out_bad_ids_) {
    Warn(kOmittedId);
    return absl::OkStatus();
  }
  if (!bytes && observer_ == nullptr) {
    return Expected("an even number of hexadecimal digits", value);
  }
  *out = bytes ? arena_.Copy(*bytes) : PlaceholderId(text, id_bytes);
  return absl::OkStatus();
}

absl::Status JsonInput::ReadLenientHexId(Value& value, std::string_view* out) {
  std::string_view text;
  FLARE_RETURN_IF_ERROR(ReadText(value, &text));
  *out = arena_.Copy(base::HexDecode(text).value_or(""));
  return absl::OkStatus();
}

absl::Status JsonInput::ReadProfileId(Value& value, std::string_view* out) {
  constexpr size_t kIdBytes = 16;
  std::string_view text;
  FLARE_RETURN_IF_ERROR(ReadText(value, &text));
  auto bytes = text.size() == 2 * kIdBytes ? base::HexDecode(text) : base::Base64Decode(text);
  if (bytes && (bytes->size() == kIdBytes || text.empty())) {
    *out = arena_.Copy(*bytes);
    return absl::OkStatus();
  }
  if (leaves_out_bad_ids_) {
    Warn(kOmittedId);
    return absl::OkStatus();
  }
  if (observer_ == nullptr) {
    return Expected("16 bytes as hexadecimal digits or base64", value);
  }
  // Treat hexadecimal digits of another length as a shorter or longer id, even if they are also
  // valid base64.
  if (auto digits = base::HexDecode(text)) {
    bytes = std::move(digits);
  }
  *out = bytes ? arena_.Copy(*bytes) : PlaceholderId(text, kIdBytes);
  return absl::OkStatus();
}

// Different texts give different ids, so that the rest of the message can be checked without
// another finding about this id.
std::string_view JsonInput::PlaceholderId(std::string_view text, size_t id_bytes) {
  observer_->OnUnreadableId(last_name(), text, [&] { return Path(); });
  return arena_.Copy(base::HashContent(text).ToHex().substr(0, id_bytes));
}

}  // namespace flarestack::codec::otlp

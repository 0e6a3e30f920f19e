// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/json/json_output.h"

#include <algorithm>
#include <cmath>

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::codec::otlp {
namespace {

constexpr size_t kPieceBytes = size_t{64} * 1024;

// A multiple of 3, so that a payload of any size can be encoded in pieces: only the last piece has
// padding.
constexpr size_t kBase64StepBytes = size_t{48} * 1024;

}  // namespace

void JsonOutput::Separate() {
  if (needs_comma_) {
    buffer_.push_back(',');
  }
}

void JsonOutput::Begin(char bracket) {
  Separate();
  buffer_.push_back(bracket);
  needs_comma_ = false;
}

void JsonOutput::End(char bracket) {
  buffer_.push_back(bracket);
  EndValue();
}

void JsonOutput::EndValue() {
  needs_comma_ = true;
  if (buffer_.size() >= kPieceBytes) {
    Flush();
  }
}

void JsonOutput::Flush() {
  if (status_.ok() && !buffer_.empty()) {
    status_ = write_(buffer_);
  }
  buffer_.clear();
}

absl::Status JsonOutput::Finish() {
  Flush();
  return status_;
}

void JsonOutput::Name(std::string_view name) {
  Separate();
  base::StrAppend(&buffer_, "\"", name, "\":");
  needs_comma_ = false;
}

void JsonOutput::Number(uint32_t number) {
  Separate();
  base::StrAppend(&buffer_, number);
  EndValue();
}

void JsonOutput::SignedNumber(int32_t number) {
  Separate();
  base::StrAppend(&buffer_, number);
  EndValue();
}

void JsonOutput::Integer(int64_t number) {
  Separate();
  base::StrAppend(&buffer_, "\"", number, "\"");
  EndValue();
}

void JsonOutput::Integer(uint64_t number) {
  Separate();
  base::StrAppend(&buffer_, "\"", number, "\"");
  EndValue();
}

void JsonOutput::Double(double number) {
  Separate();
  if (std::isnan(number)) {
    buffer_.append("\"NaN\"");
  } else if (std::isinf(number)) {
    buffer_.append(number < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  } else {
    base::StrAppend(&buffer_,
                    number);  // fmt writes the shortest text that reads back as the same number
  }
  EndValue();
}

void JsonOutput::Bool(bool flag) {
  Separate();
  buffer_.append(flag ? "true" : "false");
  EndValue();
}

void JsonOutput::String(std::string_view text) {
  Separate();
  base::AppendJsonString(text, &buffer_);
  EndValue();
}

void JsonOutput::Hex(std::string_view bytes) {
  Separate();
  base::StrAppend(&buffer_, "\"", base::HexEncode(bytes), "\"");
  EndValue();
}

void JsonOutput::Base64(std::string_view bytes) {
  Separate();
  buffer_.push_back('"');
  while (!bytes.empty()) {
    const size_t step_bytes = std::min(bytes.size(), kBase64StepBytes);
    buffer_.append(base::Base64Encode(bytes.substr(0, step_bytes)));
    bytes.remove_prefix(step_bytes);
    if (buffer_.size() >= kPieceBytes) {
      Flush();
    }
  }
  buffer_.push_back('"');
  EndValue();
}

void JsonOutput::NumberField(std::string_view name, uint32_t number) {
  if (number != 0) {
    Name(name);
    Number(number);
  }
}

void JsonOutput::SignedNumberField(std::string_view name, int32_t number) {
  if (number != 0) {
    Name(name);
    SignedNumber(number);
  }
}

void JsonOutput::DoubleField(std::string_view name, double number) {
  if (number != 0 || std::signbit(number)) {  // negative zero is not the default
    Name(name);
    Double(number);
  }
}

void JsonOutput::IntegerField(std::string_view name, int64_t number) {
  if (number != 0) {
    Name(name);
    Integer(number);
  }
}

void JsonOutput::IntegerField(std::string_view name, uint64_t number) {
  if (number != 0) {
    Name(name);
    Integer(number);
  }
}

void JsonOutput::StringField(std::string_view name, std::string_view text) {
  if (!text.empty()) {
    Name(name);
    String(text);
  }
}

void JsonOutput::HexField(std::string_view name, std::string_view bytes) {
  if (!bytes.empty()) {
    Name(name);
    Hex(bytes);
  }
}

void JsonOutput::Base64Field(std::string_view name, std::string_view bytes) {
  if (!bytes.empty()) {
    Name(name);
    Base64(bytes);
  }
}

}  // namespace flarestack::codec::otlp

// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/json/json_syntax.h"

#include <string>

#include "nlohmann/json.hpp"

namespace flarestack::codec::otlp {
namespace {

// Receives the events of nlohmann's parser and keeps only the position of the first error.
struct ErrorLocator {
  std::optional<size_t> position;  // bytes read up to the error

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(int64_t) { return true; }
  bool number_unsigned(uint64_t) { return true; }
  bool number_float(double, const std::string&) { return true; }
  bool string(std::string&) { return true; }
  bool binary(nlohmann::json::binary_t&) { return true; }
  bool start_object(size_t) { return true; }
  bool key(std::string&) { return true; }
  bool end_object() { return true; }
  bool start_array(size_t) { return true; }
  bool end_array() { return true; }
  bool parse_error(size_t at, const std::string&, const nlohmann::json::exception&) {
    position = at;
    return false;
  }
};

}  // namespace

std::optional<size_t> LocateSyntaxError(std::string_view json) {
  ErrorLocator locator;
  nlohmann::json::sax_parse(json.begin(), json.end(), &locator);
  if (locator.position && *locator.position > 0) {
    --*locator.position;  // nlohmann counts the offending byte as read
  }
  return locator.position;
}

}  // namespace flarestack::codec::otlp

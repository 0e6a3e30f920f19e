// SPDX-License-Identifier: Apache-2.0
#include "sdk/config.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace flarestack::sdk {
namespace {

std::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::optional<int> HexDigit(char letter) {
  if (letter >= '0' && letter <= '9')
    return letter - '0';
  letter = static_cast<char>(letter | 0x20);
  if (letter >= 'a' && letter <= 'f')
    return letter - 'a' + 10;
  return std::nullopt;
}

std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto high = i + 2 < text.size() ? HexDigit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? HexDigit(text[i + 2]) : std::nullopt;
    if (text[i] == '%' && high && low) {
      plain += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

class Reader {
 public:
  explicit Reader(Config* config) : config_(*config) {}

  void Read() {
    ReadSwitches();
    ReadRates();
    ReadResource();
    ReadExporter();
  }

 private:
  void Complain(std::string_view name, std::string_view value, std::string_view wanted) {
    config_.complaints.push_back(std::string(name) + "=" + std::string(value) + ": expected " +
                                 std::string(wanted));
  }

  bool ReadFlag(const char* name, bool fallback) {
    const std::string_view value = Trim(Variable(name));
    if (value.empty())
      return fallback;
    if (value == "true" || value == "TRUE" || value == "1")
      return true;
    if (value != "false" && value != "FALSE" && value != "0")
      Complain(name, value, "true or false");
    return false;
  }

  void ReadNumber(const char* name, uint64_t min, uint64_t max, uint64_t* number) {
    const std::string_view value = Trim(Variable(name));
    if (value.empty())
      return;
    uint64_t parsed = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error != std::errc() || rest != value.data() + value.size() || parsed < min ||
        parsed > max) {
      Complain(name, value, "a number from " + std::to_string(min) + " to " + std::to_string(max));
    } else {
      *number = parsed;
    }
  }

  void ReadSwitches() {
    config_.is_enabled =
        !ReadFlag("OTEL_SDK_DISABLED", false) && ReadFlag("OTEL_PROFILING_ENABLED", true);
    const std::string_view types = Trim(Variable("OTEL_PROFILING_TYPES"));
    if (!types.empty() && !ParseTypes(types, &config_.types))
      Complain("OTEL_PROFILING_TYPES", types, "a list of cpu, alloc and live");
  }

  void ReadRates() {
    uint64_t cpu_ms = config_.cpu_period_ns / 1'000'000;
    ReadNumber("OTEL_PROFILING_CPU_INTERVAL", 1, 10'000, &cpu_ms);
    config_.cpu_period_ns = cpu_ms * 1'000'000;
    ReadNumber("OTEL_PROFILING_ALLOC_INTERVAL", 1, uint64_t{1} << 40,
               &config_.allocation_mean_bytes);
    ReadNumber("OTEL_PROFILING_EXPORT_INTERVAL", 100, 3'600'000, &config_.export_interval_ms);
  }

  void ReadResource() {
    ParseAttributes(Variable("OTEL_RESOURCE_ATTRIBUTES"), "OTEL_RESOURCE_ATTRIBUTES",
                    &config_.resource, &config_.complaints);
    if (const std::string_view name = Variable("OTEL_SERVICE_NAME"); !name.empty())
      config_.resource.emplace_back("service.name", name);
  }

  void ReadExporter() {
    const std::string_view exporter = Trim(Variable("OTEL_PROFILES_EXPORTER"));
    if (exporter == "none")
      config_.exporter = ExporterKind::kNone;
    else if (exporter == "file")
      config_.exporter = ExporterKind::kFile;
    else if (!exporter.empty() && exporter != "otlp")
      Complain("OTEL_PROFILES_EXPORTER", exporter, "otlp, file or none");
    config_.file = Variable("OTEL_PROFILING_FILE");
    if (config_.file.empty())
      config_.file = "profile-%p.otlp";
    ReadEndpoint();
    ParseAttributes(Variable("OTEL_EXPORTER_OTLP_HEADERS"), "OTEL_EXPORTER_OTLP_HEADERS",
                    &config_.headers, &config_.complaints);
    ParseAttributes(Variable("OTEL_EXPORTER_OTLP_PROFILES_HEADERS"),
                    "OTEL_EXPORTER_OTLP_PROFILES_HEADERS", &config_.headers, &config_.complaints);
    ReadNumber("OTEL_EXPORTER_OTLP_TIMEOUT", 1, 3'600'000, &config_.export_timeout_ms);
    ReadNumber("OTEL_EXPORTER_OTLP_PROFILES_TIMEOUT", 1, 3'600'000, &config_.export_timeout_ms);
  }

  void ReadEndpoint() {
    const std::string_view own = Trim(Variable("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT"));
    const std::string_view shared = Trim(Variable("OTEL_EXPORTER_OTLP_ENDPOINT"));
    if (!own.empty()) {
      config_.endpoint = own;
    } else if (!shared.empty()) {
      config_.endpoint = shared;
      if (config_.endpoint.back() != '/')
        config_.endpoint += '/';
      config_.endpoint += "v1development/profiles";
    }
    std::string_view protocol = Trim(Variable("OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL"));
    if (protocol.empty())
      protocol = Trim(Variable("OTEL_EXPORTER_OTLP_PROTOCOL"));
    if (!protocol.empty() && protocol != "http/protobuf")
      Complain("OTEL_EXPORTER_OTLP_PROTOCOL", protocol, "http/protobuf, which is used");
  }

  Config& config_;
};

}  // namespace

Config ConfigFromEnvironment() {
  Config config;
  Reader(&config).Read();
  return config;
}

void ParseAttributes(std::string_view text, std::string_view variable, Config::Attributes* to,
                     std::vector<std::string>* complaints) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view pair = Trim(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (pair.empty())
      continue;
    const size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      complaints->push_back(std::string(variable) + ": expected key=value, not " +
                            std::string(pair));
      continue;
    }
    to->emplace_back(Unescape(Trim(pair.substr(0, equals))),
                     Unescape(Trim(pair.substr(equals + 1))));
  }
}

bool ParseTypes(std::string_view text, ProfileTypes* types) {
  ProfileTypes parsed = {.cpu = false};
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view word = Trim(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (word == "cpu")
      parsed.cpu = true;
    else if (word == "alloc" || word == "allocation")
      parsed.allocations = true;
    else if (word == "live" || word == "heap")
      parsed.live_heap = true;
    else if (!word.empty())
      return false;
  }
  *types = parsed;
  return true;
}

}  // namespace flarestack::sdk

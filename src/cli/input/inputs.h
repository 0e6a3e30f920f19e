// SPDX-License-Identifier: Apache-2.0
//
// Input handling shared by the commands.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "codec/input_collector.h"
#include "query/stacks/frame_matcher.h"

namespace flarestack::cli {

// The name for messages: "standard input" for "-".
std::string InputName(const std::string& path);

// Returns kSuccess, or the exit code after reporting that standard input is used more than once.
int RejectRepeatedStandardInput(std::span<const std::string> paths);

// Names of the input formats, "otlp-json, otlp-framed, ...".
std::string InputFormats();

// Defines --from FORMAT, which overrides format detection.
void AddInputFormat(CLI::App* app, std::string* format);

// `format` is empty or the name of a reader.
codec::InputLimits LimitsOf(uint64_t bytes_max, const std::string& format);

// Parses a regular expression of the user. On error, reports it under `what` ("invalid --search"),
// sets `code` to the exit code and returns nullopt.
std::optional<query::Pattern> ReadPattern(const std::string& regex, const std::string& what,
                                          int* code);

}  // namespace flarestack::cli

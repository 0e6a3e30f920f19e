// SPDX-License-Identifier: Apache-2.0
//
// What the commands have in common about the inputs they are given.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "codec/input.h"
#include "query/stacks/frame_matcher.h"

namespace flarestack::cli {

// As messages call it: "standard input" for "-".
std::string InputName(const std::string& path);

// kSuccess, or the exit code after it was reported that standard input is named more than once.
int RefuseStandardInputTwice(std::span<const std::string> paths);

// Names of the formats that are read, "otlp-json, otlp-framed, ...".
std::string InputFormats();

// --from FORMAT, for files that are not what they look like.
void AddInputFormat(CLI::App* app, std::string* format);

// `format` is empty, or the name of a reader.
codec::InputLimits LimitsOf(uint64_t bytes_max, const std::string& format);

// A regular expression of the user. Nothing after an error was reported under `what` ("invalid
// --search"); `code` is then the exit status.
std::optional<query::Pattern> ReadPattern(const std::string& regex, const std::string& what,
                                          int* code);

}  // namespace flarestack::cli

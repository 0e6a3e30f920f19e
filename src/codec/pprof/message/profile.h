// SPDX-License-Identifier: Apache-2.0
//
// A pprof profile in memory, with the names of profile.proto and ids resolved to positions. Every
// reader of the pprof family (protobuf and the legacy formats) produces one; the conversion to OTLP
// (pprof/to_otlp.h) and the protobuf writer (pprof/message/writer.h) consume it.
//
// Flat like the model: repeated fields are in pools. Text is in the input bytes or in `arena`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "model/index.h"

namespace flarestack::codec::pprof {

using model::Slice;

struct ValueType {
  std::string_view type;
  std::string_view unit;
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

struct Label {
  std::string_view key;
  bool is_number = false;
  std::string_view text;  // if not a number
  int64_t number = 0;
  std::string_view unit;  // of the number; may be empty
  friend bool operator==(const Label&, const Label&) = default;
};

struct Mapping {
  uint64_t id = 0;
  uint64_t memory_start = 0;
  uint64_t memory_limit = 0;
  uint64_t file_offset = 0;
  std::string_view filename;
  std::string_view build_id;
  bool has_functions = false;
  bool has_filenames = false;
  bool has_line_numbers = false;
  bool has_inline_frames = false;
};

struct Function {
  uint64_t id = 0;
  std::string_view name;
  std::string_view system_name;
  std::string_view filename;
  int64_t start_line = 0;
};

struct Line {
  uint32_t function = 0;  // position in Profile::functions
  int64_t line = 0;
  int64_t column = 0;
};

inline constexpr uint32_t kNoMapping = 0xffffffff;

struct Location {
  uint64_t id = 0;
  uint32_t mapping = kNoMapping;  // position in Profile::mappings
  uint64_t address = 0;
  Slice lines;  // in Profile::lines; inlined callee first
  bool is_folded = false;
};

struct Sample {
  Slice locations;  // in Profile::sample_locations; leaf first
  Slice values;     // in Profile::sample_values; one per sample type
  Slice labels;     // in Profile::sample_labels
};

struct Profile {
  base::Arena arena;  // first, so that it is destroyed last

  std::vector<ValueType> sample_types;
  std::vector<Mapping> mappings;
  std::vector<Location> locations;
  std::vector<Function> functions;
  std::vector<Sample> samples;

  std::vector<Line> lines;
  std::vector<uint32_t> sample_locations;  // positions in locations
  std::vector<int64_t> sample_values;
  std::vector<Label> sample_labels;

  std::string_view drop_frames;
  std::string_view keep_frames;
  int64_t time_nanos = 0;
  int64_t duration_nanos = 0;
  ValueType period_type;
  int64_t period = 0;
  std::vector<std::string_view> comments;
  std::string_view default_sample_type;
  std::string_view doc_url;
};

}  // namespace flarestack::codec::pprof

// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/testing/profile_maker.h"

#include "base/text/text.h"

namespace flarestack::codec::pprof::testing {

using base::StrAppend;
using model::In;

std::string PprofText(const Profile& profile) {
  std::string out;
  for (const ValueType& type : profile.sample_types)
    StrAppend(&out, "type ", type.type, "/", type.unit, "\n");
  StrAppend(&out, "time ", profile.time_nanos, " duration ", profile.duration_nanos, " period ",
            profile.period, " ", profile.period_type.type, "/", profile.period_type.unit, "\n");
  StrAppend(&out, "default \"", profile.default_sample_type, "\" drop \"", profile.drop_frames,
            "\" keep \"", profile.keep_frames, "\" doc \"", profile.doc_url, "\"\n");
  for (const std::string_view comment : profile.comments)
    StrAppend(&out, "comment \"", comment, "\"\n");
  for (const Mapping& mapping : profile.mappings) {
    StrAppend(&out, "mapping ", mapping.id, ": ", mapping.memory_start, "-", mapping.memory_limit,
              "+", mapping.file_offset, " \"", mapping.filename, "\" build \"", mapping.build_id,
              "\" flags ", int{mapping.has_functions}, int{mapping.has_filenames},
              int{mapping.has_line_numbers}, int{mapping.has_inline_frames}, "\n");
  }
  for (const Function& function : profile.functions) {
    StrAppend(&out, "function ", function.id, ": \"", function.name, "\" \"", function.system_name,
              "\" \"", function.filename, "\" ", function.start_line, "\n");
  }
  for (const Location& location : profile.locations) {
    StrAppend(&out, "location ", location.id, ": ", location.address);
    if (location.mapping != kNoMapping)
      StrAppend(&out, " mapping ", profile.mappings[location.mapping].id);
    if (location.is_folded)
      StrAppend(&out, " folded");
    for (const Line& line : In(profile.lines, location.lines)) {
      StrAppend(&out, " ", profile.functions[line.function].id, ":", line.line, ":", line.column);
    }
    StrAppend(&out, "\n");
  }
  for (const Sample& sample : profile.samples) {
    StrAppend(&out, "sample");
    for (const uint32_t location : In(profile.sample_locations, sample.locations)) {
      StrAppend(&out, " ", profile.locations[location].id);
    }
    StrAppend(&out, " =");
    for (const int64_t value : In(profile.sample_values, sample.values))
      StrAppend(&out, " ", value);
    for (const Label& label : In(profile.sample_labels, sample.labels)) {
      if (label.is_number) {
        StrAppend(&out, " ", label.key, "=", label.number, label.unit);
      } else {
        StrAppend(&out, " ", label.key, "=\"", label.text, "\"");
      }
    }
    StrAppend(&out, "\n");
  }
  return out;
}

namespace {

template <typename T>
Slice Append(const std::vector<T>& items, std::vector<T>* pool) {
  const Slice slice = {.begin = static_cast<uint32_t>(pool->size()),
                       .count = static_cast<uint32_t>(items.size())};
  pool->insert(pool->end(), items.begin(), items.end());
  return slice;
}

template <typename T>
uint32_t AddEntry(T entry, std::vector<T>* table) {
  if (entry.id == 0)
    entry.id = table->size() + 1;
  table->push_back(entry);
  return static_cast<uint32_t>(table->size() - 1);
}

}  // namespace

ProfileMaker& ProfileMaker::Type(std::string_view type, std::string_view unit) {
  profile.sample_types.push_back({.type = type, .unit = unit});
  return *this;
}

uint32_t ProfileMaker::AddMapping(Mapping mapping) { return AddEntry(mapping, &profile.mappings); }

uint32_t ProfileMaker::AddFunction(std::string_view name, uint64_t id) {
  return AddFunction(Function{.id = id, .name = name});
}

uint32_t ProfileMaker::AddFunction(Function function) {
  return AddEntry(function, &profile.functions);
}

uint32_t ProfileMaker::AddLocation(Location location, const std::vector<Line>& lines) {
  location.lines = Append(lines, &profile.lines);
  return AddEntry(location, &profile.locations);
}

uint32_t ProfileMaker::Frame(std::string_view name) {
  const uint32_t function = AddFunction(name);
  return AddLocation({.address = 0x1000 + profile.locations.size()},
                     {{.function = function, .line = 10}});
}

void ProfileMaker::AddSample(const std::vector<uint32_t>& leaf_first,
                             const std::vector<int64_t>& values, const std::vector<Label>& labels) {
  profile.samples.push_back({.locations = Append(leaf_first, &profile.sample_locations),
                             .values = Append(values, &profile.sample_values),
                             .labels = Append(labels, &profile.sample_labels)});
}

}  // namespace flarestack::codec::pprof::testing

// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/testing/legacy_text_dump.h"

#include "base/text/text.h"

namespace flarestack::codec::pprof::testing {
namespace {

using base::StrAppend;
using base::StrCat;

std::string FrameText(const Profile& profile, const Location& location) {
  std::string text;
  if (location.address != 0 || location.lines.empty()) {
    text = base::Hex(location.address);
  }
  for (const Line& line : model::In(profile.lines, location.lines)) {
    const Function& function = profile.functions[line.function];
    StrAppend(&text, text.empty() ? "" : " ", function.name);
    if (!function.filename.empty()) {
      StrAppend(&text, " ", function.filename, ":", line.line);
    }
  }
  if (location.mapping != kNoMapping) {
    StrAppend(&text, "@", location.mapping + 1);
  }
  return text;
}

bool IsInside(Slice slice, size_t pool_size) {
  return slice.begin <= pool_size && slice.count <= pool_size - slice.begin;
}

std::string BrokenSample(const Profile& profile) {
  for (const Sample& sample : profile.samples) {
    if (!IsInside(sample.locations, profile.sample_locations.size()) ||
        !IsInside(sample.values, profile.sample_values.size()) ||
        !IsInside(sample.labels, profile.sample_labels.size())) {
      return "a sample leaves its pool";
    }
    if (sample.values.count != profile.sample_types.size()) {
      return StrCat(sample.values.count, " values of ", profile.sample_types.size(), " types");
    }
  }
  for (const uint32_t location : profile.sample_locations) {
    if (location >= profile.locations.size()) {
      return StrCat("location ", location, " of ", profile.locations.size());
    }
  }
  return "";
}

std::string BrokenLocation(const Profile& profile) {
  for (size_t i = 0; i < profile.locations.size(); ++i) {
    const Location& location = profile.locations[i];
    if (location.id != i + 1) {
      return StrCat("location ", i, " has id ", location.id);
    }
    if (location.mapping != kNoMapping && location.mapping >= profile.mappings.size()) {
      return StrCat("mapping ", location.mapping, " of ", profile.mappings.size());
    }
    if (!IsInside(location.lines, profile.lines.size())) {
      return "a location leaves the pool of lines";
    }
  }
  for (const Line& line : profile.lines) {
    if (line.function >= profile.functions.size()) {
      return StrCat("function ", line.function, " of ", profile.functions.size());
    }
  }
  return "";
}

}  // namespace

std::string HeaderText(const Profile& profile) {
  std::string text;
  for (const ValueType& type : profile.sample_types) {
    StrAppend(&text, type.type, "/", type.unit, " ");
  }
  StrAppend(&text, "period ", profile.period, " ", profile.period_type.type, "/",
            profile.period_type.unit);
  if (profile.duration_nanos != 0) {
    StrAppend(&text, " duration ", profile.duration_nanos);
  }
  return text + "\n";
}

std::string SamplesText(const Profile& profile) {
  std::string text;
  for (const Sample& sample : profile.samples) {
    std::string_view separator = "";
    for (const int64_t value : model::In(profile.sample_values, sample.values)) {
      StrAppend(&text, separator, value);
      separator = " ";
    }
    text += ":";
    for (const uint32_t location : model::In(profile.sample_locations, sample.locations)) {
      StrAppend(&text, " ", FrameText(profile, profile.locations[location]));
    }
    for (const Label& label : model::In(profile.sample_labels, sample.labels)) {
      StrAppend(&text, " {", label.key, "=");
      label.is_number ? StrAppend(&text, label.number) : StrAppend(&text, label.text);
      text += "}";
    }
    text += "\n";
  }
  return text;
}

std::string MappingsText(const Profile& profile) {
  std::string text;
  for (const Mapping& mapping : profile.mappings) {
    StrAppend(&text, mapping.id, ": ", base::Hex(mapping.memory_start), "-",
              base::Hex(mapping.memory_limit), " +", base::Hex(mapping.file_offset));
    if (!mapping.filename.empty()) {
      StrAppend(&text, " ", mapping.filename);
    }
    if (!mapping.build_id.empty()) {
      StrAppend(&text, " ", mapping.build_id);
    }
    text += "\n";
  }
  return text;
}

std::string BrokenInvariant(const Profile& profile) {
  for (size_t i = 0; i < profile.mappings.size(); ++i) {
    if (profile.mappings[i].id != i + 1) {
      return StrCat("mapping ", i, " has id ", profile.mappings[i].id);
    }
  }
  for (size_t i = 0; i < profile.functions.size(); ++i) {
    if (profile.functions[i].id != i + 1) {
      return StrCat("function ", i, " has id ", profile.functions[i].id);
    }
  }
  const std::string broken = BrokenSample(profile);
  return broken.empty() ? BrokenLocation(profile) : broken;
}

}  // namespace flarestack::codec::pprof::testing

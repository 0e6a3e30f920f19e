// SPDX-License-Identifier: Apache-2.0
#include "codec/testing/test_batch.h"

#include <gtest/gtest.h>

namespace flarestack::codec::testing {

TestBatch::TestBatch() : scope_(builder_.AddScope(builder_.AddResource({}), {})) {}

void TestBatch::Profile(std::string_view type, std::string_view unit) {
  model::Profile profile;
  profile.sample_type = {.type = builder_.dictionary().String(type),
                         .unit = builder_.dictionary().String(unit)};
  builder_.AddProfile(scope_, profile);
}

model::LocationIndex TestBatch::Location(const std::vector<TestFrame>& innermost_first) {
  model::DictionaryBuilder& dictionary = builder_.dictionary();
  std::vector<model::Line> lines;
  for (const TestFrame& frame : innermost_first) {
    model::Function function;
    function.name = dictionary.String(frame.name);
    function.filename = dictionary.String(frame.file);
    if (!frame.name.empty()) {
      lines.push_back(
          {.function = dictionary.Function(function), .line = frame.line, .column = frame.column});
    }
  }
  const TestFrame& physical = innermost_first.back();
  model::Mapping mapping;
  mapping.filename = dictionary.String(physical.module);
  model::Location location;
  location.mapping = dictionary.Mapping(mapping, {});
  location.address = physical.address;
  std::vector<model::AttributeIndex> attributes;
  if (!physical.type.empty()) {
    attributes.push_back(
        dictionary.Attribute("profile.frame.type", model::AnyValue::String(physical.type)));
  }
  return dictionary.Location(location, lines, attributes);
}

void TestBatch::Sample(const std::vector<TestFrame>& leaf_first, int64_t value) {
  std::vector<model::LocationIndex> locations;
  for (const TestFrame& frame : leaf_first) {
    locations.push_back(Location({frame}));
  }
  SampleAt(locations, value);
}

void TestBatch::SampleAt(const std::vector<model::LocationIndex>& leaf_first, int64_t value) {
  model::Sample sample;
  sample.stack = builder_.dictionary().Stack(leaf_first);
  sample.values = builder_.Values({{value}});
  builder_.AddSample(sample);
}

model::Batch TestBatch::Finish() && {
  absl::StatusOr<model::Batch> batch = std::move(builder_).Finish();
  EXPECT_TRUE(batch.ok()) << batch.status();
  return *std::move(batch);
}

}  // namespace flarestack::codec::testing

// SPDX-License-Identifier: Apache-2.0
//
// Messages of the current layout are always recognized as such: in every shape that the schema
// allows, and with future fields.
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "codec/otlp/layouts/protobuf_reader.h"
#include "model/dump/dump.h"
#include "model/validation/validate.h"
#include "oracle/otlp_profiles.pb.h"

namespace flarestack::codec::otlp {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr int kAttributes = 4;  // in addition to the reserved entry, as in the other tables
constexpr int kStacks = 3;

class Shapes {
 public:
  explicit Shapes(uint32_t seed) : random_(seed) {}

  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  bool Maybe() { return Below(2) == 1; }

  // Small numbers, so that many are also plausible indices.
  oracle::ProfilesData Make() {
    oracle::ProfilesData data;
    FillDictionary(data.mutable_dictionary());
    auto* scope = data.add_resource_profiles()->add_scope_profiles();
    for (int i = 1 + Below(2); i > 0; --i) {
      auto* profile = scope->add_profiles();
      profile->mutable_sample_type()->set_type_strindex(1);
      profile->mutable_sample_type()->set_unit_strindex(2);
      if (Maybe())
        profile->set_time_unix_nano(100);
      if (Maybe())
        profile->set_profile_id("0123456789abcdef");
      for (int k = Below(4); k > 0; --k)
        FillSample(profile->add_samples());
    }
    return data;
  }

  // Adds fields that no current layout has to random messages.
  void AddUnknown(Message* message, int chance) {
    const auto* type = message->GetDescriptor();
    const auto* reflection = message->GetReflection();
    // Attribute values are a oneof and have no other fields.
    if (type->full_name().find("AnyValue") != std::string::npos)
      return;
    if (Below(chance) == 0)
      AddUnknownField(type, reflection->MutableUnknownFields(message));
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(*message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
        continue;
      if (!field->is_repeated()) {
        AddUnknown(reflection->MutableMessage(message, field), chance);
        continue;
      }
      for (int i = 0; i < reflection->FieldSize(*message, field); ++i)
        AddUnknown(reflection->MutableRepeatedMessage(message, field, i), chance);
    }
  }

 private:
  void FillDictionary(oracle::ProfilesDictionary* tables) {
    for (const char* text : {"", "samples", "count", "key", "main", "file"})
      tables->add_string_table(text);
    for (int i = 0; i <= 2; ++i) {
      auto* mapping = tables->add_mapping_table();
      auto* location = tables->add_location_table();
      auto* function = tables->add_function_table();
      auto* link = tables->add_link_table();
      if (i == 0)
        continue;
      mapping->set_filename_strindex(5);
      mapping->add_attribute_indices(1);
      location->set_mapping_index(1);
      location->add_lines()->set_function_index(1);
      function->set_name_strindex(4);
      link->set_trace_id("0123456789abcdef");
      link->set_span_id("01234567");
    }
    for (int i = 0; i <= kAttributes; ++i) {
      auto* attribute = tables->add_attribute_table();
      if (i == 0)
        continue;
      attribute->set_key_strindex(3);
      attribute->mutable_value()->set_int_value(i);
    }
    for (int i = 0; i <= kStacks; ++i) {
      auto* stack = tables->add_stack_table();
      for (int k = 0; k < i; ++k)
        stack->add_location_indices(1);
    }
  }

  void FillSample(oracle::Sample* sample) {
    sample->set_stack_index(Below(kStacks + 1));
    if (Maybe())
      sample->add_attribute_indices(1 + Below(2));
    if (Maybe())
      sample->add_attribute_indices(3 + Below(2));
    if (Maybe())
      sample->set_link_index(1 + Below(2));
    const int count = Below(3);
    const int shape = Below(3);
    for (int i = 0; i < count; ++i) {
      if (shape != 0)
        sample->add_values(Below(5));
      if (shape != 1)
        sample->add_timestamps_unix_nano(100 + static_cast<uint64_t>(i));
    }
  }

  void AddUnknownField(const google::protobuf::Descriptor* type,
                       google::protobuf::UnknownFieldSet* fields) {
    int number = 0;
    do {
      number = 1 + Below(24);
    } while (type->FindFieldByNumber(number) != nullptr);
    switch (Below(5)) {
      case 0:
        return fields->AddVarint(number, static_cast<uint64_t>(Below(5)));
      case 1:
        return fields->AddFixed64(number, 7);
      case 2:
        return fields->AddFixed32(number, 7);
      case 3:
        fields->AddGroup(number)->AddVarint(1 + Below(9), 3);
        return;
      default:
        return fields->AddLengthDelimited(number, Maybe() ? std::string("\x01\x02") : "text");
    }
  }

  std::mt19937 random_;
};

std::string Read(const std::string& bytes) {
  model::Batch batch;
  const auto layout = DecodeProtobuf(bytes, {}, &batch);
  if (!layout.ok())
    return std::string(layout.status().message());
  if (*layout != Layout::k110)
    return "read as " + std::string(LayoutName(*layout));
  const absl::Status valid = model::ValidateIndices(batch);
  return valid.ok() ? model::Dump(batch) : std::string(valid.message());
}

TEST(LayoutGrowthTest, DetectsTheCurrentLayoutForEveryShape) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const std::string text = Read(Shapes(seed).Make().SerializeAsString());
    ASSERT_TRUE(text.starts_with("resource")) << "seed " << seed << "\n" << text;
  }
}

TEST(LayoutGrowthTest, SkipsUnknownFields) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    Shapes shapes(seed);
    oracle::ProfilesData data = shapes.Make();
    const std::string without = Read(data.SerializeAsString());
    shapes.AddUnknown(&data, /*chance=*/seed % 2 == 0 ? 3 : 15);
    ASSERT_EQ(Read(data.SerializeAsString()), without) << "seed " << seed;
  }
}

// libprotobuf writes packed lists; other writers may not.
std::string Unpacked(const oracle::ProfilesData& data) {
  oracle::ProfilesData result = data;
  for (auto& profile :
       *result.mutable_resource_profiles(0)->mutable_scope_profiles(0)->mutable_profiles()) {
    for (auto& sample : *profile.mutable_samples()) {
      auto* fields = sample.GetReflection()->MutableUnknownFields(&sample);
      for (const int64_t value : sample.values())
        fields->AddVarint(4, static_cast<uint64_t>(value));
      sample.clear_values();
    }
  }
  return result.SerializeAsString();
}

TEST(LayoutGrowthTest, ValuesNeedNotBePacked) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const oracle::ProfilesData data = Shapes(seed).Make();
    ASSERT_EQ(Read(Unpacked(data)), Read(data.SerializeAsString())) << "seed " << seed;
  }
}

TEST(LayoutGrowthTest, ReportsAFieldThatNoLayoutHasForEachLayout) {
  oracle::ProfilesData data = Shapes(1).Make();
  auto* profile = data.mutable_resource_profiles(0)->mutable_scope_profiles(0)->mutable_profiles(0);
  auto* sample = profile->add_samples();
  sample->add_values(150);
  // The stack as eight bytes.
  sample->GetReflection()->MutableUnknownFields(sample)->AddFixed64(1, 1);
  const std::string text = Read(data.SerializeAsString());
  EXPECT_NE(text.find("1.10 or later has no Sample.stack_index (field 1) as eight bytes"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1.9 has no "), std::string::npos) << text;
}

std::string ErrorOf(const google::protobuf::UnknownFieldSet& fields) {
  oracle::ProfilesData data = Shapes(1).Make();
  auto* profile = data.mutable_resource_profiles(0)->mutable_scope_profiles(0)->mutable_profiles(0);
  data.mutable_resource_profiles(0)->mutable_scope_profiles(0)->mutable_profiles()->DeleteSubrange(
      1, data.resource_profiles(0).scope_profiles(0).profiles_size() - 1);
  profile->clear_samples();
  for (int i = 0; i < 3; ++i) {
    auto* sample = profile->add_samples();
    sample->GetReflection()->MutableUnknownFields(sample)->MergeFrom(fields);
  }
  return Read(data.SerializeAsString());
}

TEST(LayoutGrowthTest, RejectsSamplesWithOnlyUnknownFields) {
  google::protobuf::UnknownFieldSet unknown;
  unknown.AddVarint(9, 1);
  EXPECT_NE(ErrorOf(unknown).find("1.10 or later has no samples of nothing but field 9"),
            std::string::npos)
      << ErrorOf(unknown);
}

TEST(LayoutGrowthTest, RejectsValuesAsDoubles) {
  const double value = 150;
  google::protobuf::UnknownFieldSet doubles;
  doubles.AddVarint(1, 1);
  doubles.AddLengthDelimited(4, std::string(reinterpret_cast<const char*>(&value), sizeof(value)));
  EXPECT_NE(ErrorOf(doubles).find("1.10 or later has no Sample.values as numbers of eight bytes"),
            std::string::npos)
      << ErrorOf(doubles);
}

}  // namespace
}  // namespace flarestack::codec::otlp

// SPDX-License-Identifier: Apache-2.0
//
// Seeded random messages of the oracle's schemas, and a comparison of two messages. For tests that
// link libprotobuf.
#pragma once

#include <google/protobuf/message.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace flarestack::codec::otlp {

// Fills every field of a message by reflection, so that a field added to the oracle is tested
// without a change here.
class RandomMessage {
 public:
  enum class References { kSet, kOmitted };  // strings by index, only in profiles

  RandomMessage(uint32_t seed, References references)
      : random_(seed), with_references_(references == References::kSet) {}

  void Fill(google::protobuf::Message* message) { Fill(message, 0); }

  int64_t Number(int64_t below) {
    return std::uniform_int_distribution<int64_t>(0, below - 1)(random_);
  }

 private:
  int64_t Integer() {
    switch (Number(4)) {
      case 0:
        return 0;
      case 1:
        return -Number(int64_t{1} << 40);
      case 2:
        return std::numeric_limits<int64_t>::max() - Number(3);
      default:
        return Number(300);
    }
  }

  std::string Text() { return Number(3) == 0 ? "" : "t\xC3\xA9xt" + std::to_string(Number(50)); }

  static bool IsOptional(const google::protobuf::FieldDescriptor* field) {
    return field->real_containing_oneof() == nullptr;
  }

  void Fill(google::protobuf::Message* message, int depth) {
    const auto* type = message->GetDescriptor();
    const auto* reflection = message->GetReflection();
    for (int i = 0; i < type->field_count(); ++i) {
      const auto* field = type->field(i);
      if (field->containing_oneof() != nullptr && Number(IsOptional(field) ? 2 : 4) != 0)
        continue;
      // References into the string table belong to profiles; in other signals they are unknown.
      if (!with_references_ && field->name().find("strindex") != std::string::npos)
        continue;
      if (depth > 9 && field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE)
        continue;
      const bool is_table = type->name() == "ProfilesDictionary";
      const int64_t count = field->is_repeated() ? (is_table ? 1 : 0) + Number(4) : 1;
      for (int64_t k = 0; k < count; ++k)
        FillField(message, reflection, field, depth);
    }
  }

  void FillField(google::protobuf::Message* message, const google::protobuf::Reflection* reflection,
                 const google::protobuf::FieldDescriptor* field, int depth) {
    using Field = google::protobuf::FieldDescriptor;
    const bool repeated = field->is_repeated();
    switch (field->cpp_type()) {
      case Field::CPPTYPE_MESSAGE:
        Fill(repeated ? reflection->AddMessage(message, field)
                      : reflection->MutableMessage(message, field),
             depth + 1);
        break;
      case Field::CPPTYPE_STRING:
        repeated ? reflection->AddString(message, field, Text())
                 : reflection->SetString(message, field, Text());
        break;
      case Field::CPPTYPE_INT32: {
        const auto value = static_cast<int32_t>(Integer());
        repeated ? reflection->AddInt32(message, field, value)
                 : reflection->SetInt32(message, field, value);
        break;
      }
      case Field::CPPTYPE_UINT32:
        reflection->SetUInt32(message, field, static_cast<uint32_t>(Integer()));
        break;
      case Field::CPPTYPE_INT64:
        repeated ? reflection->AddInt64(message, field, Integer())
                 : reflection->SetInt64(message, field, Integer());
        break;
      case Field::CPPTYPE_UINT64: {
        const auto value = static_cast<uint64_t>(Integer());
        repeated ? reflection->AddUInt64(message, field, value)
                 : reflection->SetUInt64(message, field, value);
        break;
      }
      case Field::CPPTYPE_BOOL:
        reflection->SetBool(message, field, Number(2) == 1);
        break;
      case Field::CPPTYPE_DOUBLE: {
        const double value = static_cast<double>(Integer()) / 8;
        repeated ? reflection->AddDouble(message, field, value)
                 : reflection->SetDouble(message, field, value);
        break;
      }
      case Field::CPPTYPE_ENUM:  // open: any number must survive
        reflection->SetEnumValue(message, field, static_cast<int>(Integer()));
        break;
      default:
        FAIL() << "no filler for " << field->full_name();
    }
  }

  std::mt19937 random_;
  bool with_references_;
};

// Empty if the two mean the same: an unset field equals one with its default.
inline std::string Difference(const google::protobuf::Message& before,
                              const google::protobuf::Message& after) {
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_message_field_comparison(google::protobuf::util::MessageDifferencer::EQUIVALENT);
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  return differencer.Compare(before, after) ? "" : difference;
}

}  // namespace flarestack::codec::otlp

// SPDX-License-Identifier: Apache-2.0
//
// The same small profile, encoded by hand in the layout of each version, and read into the current
// model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "model/dump/dump.h"
#include "model/validation/validate.h"

namespace flarestack::codec::otlp {
namespace {

using protozero::pbf_writer;
using ::testing::HasSubstr;

// A message from field calls: Message([](pbf_writer& out) { out.add_int32(1, 5); }).
template <typename Fill>
std::string Message(Fill fill) {
  std::string bytes;
  pbf_writer out(bytes);
  fill(out);
  return bytes;
}

std::string ValueType(int type, int unit, int temporality = 0) {
  return Message([&](pbf_writer& out) {
    out.add_int32(1, type);
    out.add_int32(2, unit);
    if (temporality != 0)
      out.add_enum(3, temporality);
  });
}

void Packed(pbf_writer& out, int field, const std::vector<int64_t>& numbers) {
  out.add_packed_int64(static_cast<uint32_t>(field), numbers.begin(), numbers.end());
}

void PackedTimes(pbf_writer& out, int field, const std::vector<uint64_t>& times) {
  out.add_packed_fixed64(static_cast<uint32_t>(field), times.begin(), times.end());
}

// The strings of all these messages.
const std::vector<std::string> kStrings = {"",       "samples", "count",  "cpu", "nanoseconds",
                                           "main",   "main.cc", "/bin/a", "ms",  "a comment",
                                           "latency"};

std::string Function() {
  return Message([](pbf_writer& out) {
    out.add_int32(1, 5);
    out.add_int32(3, 6);
  });
}

std::string Line(int function) {
  return Message([&](pbf_writer& out) {
    out.add_int32(1, function);
    out.add_int64(2, 12);
  });
}

std::string Link() {
  return Message([](pbf_writer& out) {
    out.add_bytes(1, "0123456789abcdef");
    out.add_bytes(2, "01234567");
  });
}

// common.KeyValue {key "latency", int 5}, as in attribute tables up to 1.7
std::string OldAttribute() {
  return Message([](pbf_writer& out) {
    out.add_string(1, "latency");
    out.add_message(2, Message([](pbf_writer& value) { value.add_int64(3, 5); }));
  });
}

std::string Enclose(const std::string& profile) {
  const std::string scope = Message([&](pbf_writer& out) { out.add_message(2, profile); });
  return Message([&](pbf_writer& out) { out.add_message(2, scope); });
}

struct Decoded {
  std::string layout;
  std::string dump;
};

Decoded Decode(const std::string& bytes) {
  model::Batch batch;
  const auto layout = DecodeProtobuf(bytes, {}, &batch);
  if (!layout.ok())
    return {"error", std::string(base::Message(layout.status()))};
  const absl::Status valid = model::ValidateIndices(batch);
  if (!valid.ok())
    return {"invalid", std::string(base::Message(valid))};
  return {std::string(LayoutName(*layout)), model::Dump(batch)};
}

// Tables of 1.7 and older: entry 0 is an ordinary entry, except in the string table.
void OldTables(pbf_writer& out, const std::vector<int>& fields) {
  out.add_message(static_cast<uint32_t>(fields[0]), Message([](pbf_writer& mapping) {
                    mapping.add_uint64(1, 4096);
                    mapping.add_uint64(2, 8192);
                    mapping.add_int32(4, 7);
                    mapping.add_bool(6, true);
                  }));
  out.add_message(static_cast<uint32_t>(fields[1]), Message([](pbf_writer& location) {
                    location.add_int32(1, 0);
                    location.add_uint64(2, 4100);
                    location.add_message(3, Line(0));
                    location.add_bool(4, true);
                  }));
  out.add_message(static_cast<uint32_t>(fields[2]), Function());
  out.add_message(static_cast<uint32_t>(fields[3]), Link());
  for (const std::string& text : kStrings)
    out.add_string(static_cast<uint32_t>(fields[4]), text);
  out.add_message(static_cast<uint32_t>(fields[5]), OldAttribute());
  out.add_message(static_cast<uint32_t>(fields[6]),
                  ValueType(10, 8));  // the unit of "latency" is "ms"
}

std::string OldSample() {
  return Message([](pbf_writer& out) {
    out.add_int32(1, 0);
    out.add_int32(2, 1);
    Packed(out, 3, {3, 30});
    Packed(out, 4, {0});
    out.add_int32(5, 0);
    const std::vector<uint64_t> times = {100, 200, 300};
    out.add_packed_uint64(6, times.begin(), times.end());
  });
}

// first field number of: location_indices, time, duration, period_type, period, comments
std::string OldProfile(const std::vector<int>& fields, bool has_tables) {
  return Message([&](pbf_writer& out) {
    out.add_message(1, ValueType(1, 2, 1));
    out.add_message(1, ValueType(3, 4, 1));
    out.add_message(2, OldSample());
    if (has_tables)
      OldTables(out, {3, 4, 6, 9, 10, 7, 8});
    const auto field = [&](size_t i) { return static_cast<uint32_t>(fields[i]); };
    Packed(out, fields[0], {0});
    out.add_int64(field(1), 1000);
    out.add_int64(field(2), 2000);
    out.add_message(field(3), ValueType(3, 4));
    out.add_int64(field(4), 10);
    Packed(out, fields[5], {9});
  });
}

constexpr const char* kOldFrame = "main.cc";

void ExpectOldContent(const Decoded& decoded) {
  EXPECT_THAT(decoded.dump, HasSubstr("sample_type \"samples\" unit \"count\""));
  EXPECT_THAT(decoded.dump, HasSubstr("sample_type \"cpu\" unit \"nanoseconds\""));
  EXPECT_THAT(decoded.dump, HasSubstr("a comment"));
  EXPECT_THAT(decoded.dump, HasSubstr("latency"));
  EXPECT_THAT(decoded.dump, HasSubstr("ms"));
  EXPECT_THAT(decoded.dump, HasSubstr("pprof.mapping.has_functions"));
  EXPECT_THAT(decoded.dump, HasSubstr("pprof.location.is_folded"));
  EXPECT_THAT(decoded.dump, HasSubstr("30313233343536373839616263646566"));  // the trace id
  EXPECT_THAT(decoded.dump, HasSubstr(kOldFrame));
}

TEST(LayoutTest, TablesInsideTheProfileAreVersion15) {
  const std::string bytes = Message([](pbf_writer& out) {
    out.add_message(1, Enclose(OldProfile({5, 11, 12, 13, 14, 15}, true)));
  });
  const Decoded decoded = Decode(bytes);
  EXPECT_EQ(decoded.layout, "1.5 or older") << decoded.dump;
  ExpectOldContent(decoded);
}

TEST(LayoutTest, TablesBesideTheResourcesAreVersion16) {
  const std::string bytes = Message([](pbf_writer& out) {
    out.add_message(1, Enclose(OldProfile({3, 4, 5, 6, 7, 8}, false)));
    OldTables(out, {2, 3, 4, 5, 6, 7, 8});
  });
  const Decoded decoded = Decode(bytes);
  EXPECT_EQ(decoded.layout, "1.6") << decoded.dump;
  ExpectOldContent(decoded);
}

TEST(LayoutTest, DictionaryWithLocationIndicesIsVersion17) {
  const std::string dictionary = Message([](pbf_writer& out) {
    OldTables(out, {1, 2, 3, 4, 5, 6, 7});
  });
  const std::string bytes = Message([&](pbf_writer& out) {
    out.add_message(1, Enclose(OldProfile({3, 4, 5, 6, 7, 8}, false)));
    out.add_message(2, dictionary);
  });
  const Decoded decoded = Decode(bytes);
  EXPECT_EQ(decoded.layout, "1.7") << decoded.dump;
  ExpectOldContent(decoded);
}

TEST(LayoutTest, VersionsUpTo17MeanTheSame) {
  const std::string dictionary = Message([](pbf_writer& out) {
    OldTables(out, {1, 2, 3, 4, 5, 6, 7});
  });
  const std::string v15 = Message([](pbf_writer& out) {
    out.add_message(1, Enclose(OldProfile({5, 11, 12, 13, 14, 15}, true)));
  });
  const std::string v17 = Message([&](pbf_writer& out) {
    out.add_message(1, Enclose(OldProfile({3, 4, 5, 6, 7, 8}, false)));
    out.add_message(2, dictionary);
  });
  EXPECT_EQ(Decode(v15).dump, Decode(v17).dump);
}

TEST(LayoutTest, ReportsThePathOfAnOldSampleOutsideItsLocations) {
  std::string profile = OldProfile({3, 4, 5, 6, 7, 8}, false);
  profile += Message([](pbf_writer& out) {
    out.add_message(2, Message([](pbf_writer& sample) { sample.add_int32(2, 9); }));
  });
  const std::string bytes = Message([&](pbf_writer& out) {
    out.add_message(1, Enclose(profile));
    out.add_message(2, Message([](pbf_writer& tables) {
                      OldTables(tables, {1, 2, 3, 4, 5, 6, 7});
                    }));
  });
  EXPECT_THAT(Decode(bytes).dump, HasSubstr("profiles[0].sample[1].locations_start_index: 0 + 9"));
}

// Tables of 1.8 and later: entry 0 is reserved.
std::string Dictionary(int attribute_count = 1) {
  return Message([&](pbf_writer& out) {
    out.add_message(1, std::string());
    out.add_message(2, std::string());
    out.add_message(2, Message([](pbf_writer& location) {
                      location.add_uint64(2, 4100);
                      location.add_message(3, Line(1));
                    }));
    out.add_message(3, std::string());
    out.add_message(3, Function());
    out.add_message(4, std::string());
    out.add_message(4, Link());
    for (const std::string& text : kStrings)
      out.add_string(5, text);
    out.add_message(6, std::string());
    for (int i = 0; i < attribute_count; ++i) {
      out.add_message(6, Message([&](pbf_writer& attribute) {
                        attribute.add_int32(1, 10);
                        attribute.add_message(
                            2, Message([&](pbf_writer& value) { value.add_int64(3, 40 + i); }));
                        attribute.add_int32(3, 8);
                      }));
    }
    out.add_message(7, std::string());
    out.add_message(7, Message([](pbf_writer& stack) { Packed(stack, 1, {1}); }));
  });
}

// A sample with the given field numbers of attributes, link and values.
std::string Sample(const std::vector<int>& fields, bool has_time = true) {
  return Message([&](pbf_writer& out) {
    out.add_int32(1, 1);
    const auto write = [&](int field) {
      if (field == fields[0])
        Packed(out, field, {1});
      if (field == fields[1])
        out.add_int32(static_cast<uint32_t>(field), 1);
      if (field == fields[2])
        Packed(out, field, {77});
    };
    for (int field = 2; field <= 4; ++field)
      write(field);
    if (has_time)
      PackedTimes(out, 5, {150});
  });
}

std::string Whole(const std::string& profile_fields, const std::string& sample,
                  int attribute_count = 1, const std::string& more_dictionary = "") {
  const std::string profile = Message([&](pbf_writer& out) {
                                out.add_message(1, ValueType(1, 2));
                                out.add_message(2, sample);
                                out.add_fixed64(3, 100);
                                out.add_uint64(4, 2000);
                              }) +
                              profile_fields;
  return Message([&](pbf_writer& out) {
    out.add_message(1, Enclose(profile));
    out.add_message(2, Dictionary(attribute_count) + more_dictionary);
  });
}

TEST(LayoutTest, Versions18To110MeanTheSame) {
  const std::string id = "0123456789abcdef";
  const std::string v18 =
      Whole(Message([&](pbf_writer& out) { out.add_bytes(8, id); }), Sample({3, 4, 2}));
  const std::string v19 =
      Whole(Message([&](pbf_writer& out) { out.add_bytes(7, id); }), Sample({3, 4, 2}));
  const std::string v110 =
      Whole(Message([&](pbf_writer& out) { out.add_bytes(7, id); }), Sample({2, 3, 4}));
  EXPECT_EQ(Decode(v18).layout, "1.8");
  EXPECT_EQ(Decode(v19).layout, "1.9");
  EXPECT_EQ(Decode(v110).layout, "1.10 or later");
  EXPECT_THAT(Decode(v110).dump, HasSubstr("77"));
  EXPECT_EQ(Decode(v18).dump, Decode(v110).dump);
  EXPECT_EQ(Decode(v19).dump, Decode(v110).dump);
}

std::string ManySamples(const std::vector<int>& fields) {
  return Message([&](pbf_writer& out) {
    for (int i = 0; i < 500; ++i)
      out.add_message(2, Sample(fields, i % 3 == 0));
  });
}

// Old messages are decoded twice; every sample must be counted exactly once.
TEST(LayoutTest, MessagesOfManySamplesMeanTheSameInAllVersions) {
  const std::string v18_id = Message([](pbf_writer& out) { out.add_bytes(8, "0123456789abcdef"); });
  const std::string id = Message([](pbf_writer& out) { out.add_bytes(7, "0123456789abcdef"); });
  const Decoded v18 = Decode(Whole(ManySamples({3, 4, 2}) + v18_id, Sample({3, 4, 2})));
  const Decoded v19 = Decode(Whole(ManySamples({3, 4, 2}) + id, Sample({3, 4, 2})));
  const Decoded v110 = Decode(Whole(ManySamples({2, 3, 4}) + id, Sample({2, 3, 4})));
  EXPECT_EQ(v18.layout, "1.8");
  EXPECT_EQ(v19.layout, "1.9");
  EXPECT_EQ(v110.layout, "1.10 or later");
  EXPECT_EQ(v18.dump, v110.dump);
  EXPECT_EQ(v19.dump, v110.dump);
}

TEST(LayoutTest, ManySamplesOfVersion17AreNotMistakenForLaterOnes) {
  std::string profile = OldProfile({3, 4, 5, 6, 7, 8}, false);
  profile += Message([](pbf_writer& out) {
    for (int i = 0; i < 500; ++i)
      out.add_message(2, OldSample());
  });
  const std::string bytes = Message([&](pbf_writer& out) {
    out.add_message(1, Enclose(profile));
    out.add_message(2, Message([](pbf_writer& tables) {
                      OldTables(tables, {1, 2, 3, 4, 5, 6, 7});
                    }));
  });
  EXPECT_EQ(Decode(bytes).layout, "1.7");
}

TEST(LayoutTest, CommentsOf18BecomeAnAttribute) {
  const std::string v18 =
      Whole(Message([](pbf_writer& out) { Packed(out, 7, {9}); }), Sample({3, 4, 2}));
  const Decoded decoded = Decode(v18);
  EXPECT_EQ(decoded.layout, "1.8");
  EXPECT_THAT(decoded.dump, HasSubstr("a comment"));
}

std::string OnlyField2(const std::vector<int64_t>& numbers, const std::vector<uint64_t>& times) {
  return Message([&](pbf_writer& out) {
    out.add_int32(1, 1);
    Packed(out, 2, numbers);
    if (!times.empty())
      PackedTimes(out, 5, times);
  });
}

// A field of ValueType that the current layout lacks is not a contradiction on its own.
TEST(LayoutTest, AggregationTemporalityOfSamplesOf18IsVersion18) {
  const std::string period =
      Message([](pbf_writer& out) { out.add_message(5, ValueType(3, 4, 2)); });
  EXPECT_EQ(Decode(Whole(period, Sample({3, 4, 2}, false))).layout, "1.8");
  EXPECT_EQ(Decode(Whole(period, OnlyField2({1}, {}))).layout, "1.8");
  EXPECT_EQ(Decode(Whole(period, Sample({2, 3, 4}, false))).layout, "1.10 or later");
}

TEST(LayoutTest, SampleWithOnlyField2HasValuesOf19) {
  const Decoded decoded = Decode(Whole("", OnlyField2({5}, {})));
  EXPECT_EQ(decoded.layout, "1.9");
}

TEST(LayoutTest, Field2WithTimesIsValuesIfItReferencesNoAttribute) {
  EXPECT_EQ(Decode(Whole("", OnlyField2({5}, {150}))).layout, "1.9");          // out of range
  EXPECT_EQ(Decode(Whole("", OnlyField2({1, 1}, {150, 160}))).layout, "1.9");  // duplicate
  EXPECT_EQ(Decode(Whole("", OnlyField2({0}, {150}))).layout, "1.9");          // the reserved entry
}

TEST(LayoutTest, Field2IsAttributesUnlessThatIsImpossible) {
  EXPECT_EQ(Decode(Whole("", OnlyField2({1}, {150}))).layout, "1.10 or later");
  EXPECT_EQ(Decode(Whole("", OnlyField2({1, 2}, {150}), 2)).layout, "1.10 or later");
  EXPECT_EQ(Decode(Whole("", OnlyField2({1}, {}))).layout, "1.10 or later");
}

TEST(LayoutTest, UnpackedListsInTheCurrentLayoutAreNotMistaken) {
  const std::string sample = Message([](pbf_writer& out) {
    out.add_int32(1, 1);
    out.add_int32(2, 1);
    out.add_int32(3, 1);
    out.add_int64(4, 7);
    out.add_int64(4, 8);
    out.add_fixed64(5, 150);
    out.add_fixed64(5, 160);
  });
  const Decoded decoded = Decode(Whole("", sample));
  EXPECT_EQ(decoded.layout, "1.10 or later") << decoded.dump;
}

TEST(LayoutTest, SkipsFutureFields) {
  const std::string newer = Whole(
      Message([](pbf_writer& out) {
        Packed(out, 12, {1});
        Packed(out, 13, {1});
      }),
      Sample({2, 3, 4}), 1, Message([](pbf_writer& out) { out.add_message(8, std::string()); }));
  EXPECT_EQ(Decode(newer).layout, "1.10 or later");
  EXPECT_EQ(Decode(newer).dump, Decode(Whole("", Sample({2, 3, 4}))).dump);
}

}  // namespace
}  // namespace flarestack::codec::otlp

// SPDX-License-Identifier: Apache-2.0
//
// Messages for the benchmarks, generated from a seed with the proportions of host profiler
// messages: the dictionary is nearly the whole message, half of it is strings, and stacks are about
// 17 frames deep.
#pragma once

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

#include "base/file/file.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "codec/otlp/split.h"
#include "fleet.h"
#include "oracle/otlp_profiles.pb.h"

namespace flarestack::bench {

struct MessageShape {
  int samples = 107;
  int stacks = 105;
  int stack_depth = 17;
  int locations = 998;
  int functions = 706;
  int attributes = 201;
  int attributes_per_sample = 6;
  int resources = 7;
};

// Twenty thousand samples with random indices: the hard case for all predictors.
inline constexpr MessageShape kLargeShape = {.samples = 20000,
                                             .stacks = 6000,
                                             .stack_depth = 17,
                                             .locations = 20000,
                                             .functions = 9000,
                                             .attributes = 2000,
                                             .attributes_per_sample = 6,
                                             .resources = 50};

class MessageMaker {
 public:
  MessageMaker(uint32_t seed, const MessageShape& shape) : random_(seed), shape_(shape) {}

  oracle::ProfilesData Make() {
    oracle::ProfilesDictionary& tables = *data_.mutable_dictionary();
    AddString("");
    samples_ = AddString("samples");
    count_ = AddString("count");
    AddReserved(&tables);
    AddTables(&tables);
    for (int r = 0; r < shape_.resources; ++r)
      AddResource(r);
    return data_;
  }

 private:
  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  int AddString(const std::string& text) {
    data_.mutable_dictionary()->add_string_table(text);
    return data_.dictionary().string_table_size() - 1;
  }

  static void AddReserved(oracle::ProfilesDictionary* tables) {
    tables->add_mapping_table();
    tables->add_location_table();
    tables->add_function_table();
    tables->add_link_table();
    tables->add_attribute_table();
    tables->add_stack_table();
  }

  void AddTables(oracle::ProfilesDictionary* tables) {
    const int thread = AddString("thread.name");
    const int frame_type = AddString("profile.frame.type");
    for (int i = 1; i < shape_.attributes; ++i) {
      oracle::KeyValueAndUnit& attribute = *tables->add_attribute_table();
      attribute.set_key_strindex(i < 6 ? frame_type : thread);
      attribute.mutable_value()->set_string_value("worker-pool-" + std::to_string(i));
    }
    for (int i = 1; i < 15; ++i) {
      oracle::Mapping& mapping = *tables->add_mapping_table();
      mapping.set_memory_start(0x400000);
      mapping.set_memory_limit(0x9000000);
      mapping.set_filename_strindex(AddString("/usr/lib/lib" + std::to_string(i) + ".so"));
      mapping.add_attribute_indices(1 + Below(shape_.attributes - 1));
    }
    for (int i = 1; i < shape_.functions; ++i) {
      oracle::Function& function = *tables->add_function_table();
      function.set_name_strindex(AddString("service::module" + std::to_string(i % 40) +
                                           "::Handler::Process" + std::to_string(i * 7919)));
      if (i % 3 == 0)
        function.set_filename_strindex(
            AddString("/build/src/service/module" + std::to_string(i) + ".cc"));
    }
    for (int i = 1; i < shape_.locations; ++i) {
      oracle::Location& location = *tables->add_location_table();
      location.set_mapping_index(1 + Below(14));
      location.set_address(uint64_t{0x400000} + static_cast<uint64_t>(Below(1 << 27)));
      oracle::Line& line = *location.add_lines();
      line.set_function_index(1 + Below(shape_.functions - 1));
      line.set_line(1 + Below(3000));
      location.add_attribute_indices(1 + i % 5);
    }
    for (int i = 1; i < shape_.stacks; ++i) {
      oracle::Stack& stack = *tables->add_stack_table();
      const int depth = 1 + Below(2 * shape_.stack_depth);
      for (int k = 0; k < depth; ++k)
        stack.add_location_indices(1 + Below(shape_.locations - 1));
    }
  }

  void AddResource(int r) {
    oracle::ResourceProfiles& resource = *data_.add_resource_profiles();
    for (const char* key : {"service.name", "container.id", "process.pid"}) {
      oracle::KeyValue& attribute = *resource.mutable_resource()->add_attributes();
      attribute.set_key(key);
      attribute.mutable_value()->set_string_value("value-" + std::to_string(r));
    }
    oracle::ScopeProfiles& scope = *resource.add_scope_profiles();
    scope.mutable_scope()->set_name("host.profiler");
    oracle::Profile& profile = *scope.add_profiles();
    profile.mutable_sample_type()->set_type_strindex(samples_);
    profile.mutable_sample_type()->set_unit_strindex(count_);
    profile.set_time_unix_nano(1700000000000000000);
    profile.set_duration_nano(5000000000);
    for (int i = 0; i < shape_.samples / shape_.resources; ++i) {
      oracle::Sample& sample = *profile.add_samples();
      sample.set_stack_index(1 + Below(shape_.stacks - 1));
      for (int k = 0; k < shape_.attributes_per_sample; ++k) {
        sample.add_attribute_indices(1 + Below(shape_.attributes - 1));
      }
      sample.add_timestamps_unix_nano(1700000000000000000 + static_cast<uint64_t>(Below(1 << 30)));
    }
  }

  std::mt19937 random_;
  MessageShape shape_;
  oracle::ProfilesData data_;
  int samples_ = 0;
  int count_ = 0;
};

inline std::string BusyHost() {
  const model::Batch batch = Fleet(1, {}).Message(1, uint64_t{1'760'000'000} * 1'000'000'000);
  codec::wire::ReverseWriter out(codec::otlp::EstimateProtobufBytes(batch));
  codec::otlp::EncodeProtobuf(batch, &out);
  return std::string(out.view());
}

// Measures the generated messages and the first message of each file named on the command line.
// `measure(name, bytes)` returns whether the limits were met. Returns the exit code.
template <typename Measure>
int MeasureMessages(int argc, char** argv, Measure measure) {
  // No recording looks like this, so it does not count.
  measure("no budget: 20 000 samples of random indices",
          MessageMaker(2, kLargeShape).Make().SerializeAsString());
  bool ok = measure("host profiler, 107 samples", MessageMaker(1, {}).Make().SerializeAsString());
  ok = measure("busy host of a fleet, one minute", BusyHost()) && ok;
  for (int i = 1; i < argc; ++i) {
    const auto bytes = base::ReadFile(argv[i], 1 << 30);
    if (!bytes.ok()) {
      std::printf("%s\n", bytes.status().ToString().c_str());
      return 1;
    }
    std::string message = *bytes;
    if (bytes->starts_with('\0')) {  // length-prefixed messages
      message.clear();
      const absl::Status status =
          codec::otlp::ForEachFrame(*bytes, [&](std::string_view frame) -> absl::Status {
            if (message.empty())
              message = frame;
            return absl::OkStatus();
          });
      if (!status.ok())
        return 1;
    }
    const std::string path = argv[i];
    ok = measure(path.substr(path.rfind('/') + 1), message) && ok;
  }
  return ok ? 0 : 4;
}

}  // namespace flarestack::bench

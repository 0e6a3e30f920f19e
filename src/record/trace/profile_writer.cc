// SPDX-License-Identifier: Apache-2.0
#include "record/trace/profile_writer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "base/version.h"
#include "model/builder/batch_builder.h"
#include "record/process/context/goroutine.h"
#include "record/process/context/thread_context.h"
#include "record/trace/location_writer.h"

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kIdMax = std::numeric_limits<int64_t>::max();

std::string_view StateOf(SampleKind kind) {
  switch (kind) {
    case SampleKind::kSleep:
      return "sleep";
    case SampleKind::kDisk:
      return "disk";
    case SampleKind::kLock:
      return "lock";
    case SampleKind::kRunQueue:
      return "run_queue";
    case SampleKind::kOnCpu:
    case SampleKind::kCounted:
      break;
  }
  return "";
}

template <size_t kBytes>
std::string_view AsBytes(const std::array<uint8_t, kBytes>& id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

// The type of a profile that is being written.
enum class Type { kSamples, kCpu, kOffCpu, kWall, kCounted };

struct WrittenType {
  Type type = Type::kSamples;
  uint8_t event = 0;  // for kCounted
};

bool Has(const WrittenType& written, const SampleKey& key) {
  if (written.type == Type::kCounted || key.kind == SampleKind::kCounted) {
    return written.type == Type::kCounted && key.kind == SampleKind::kCounted &&
           written.event == key.event;
  }
  if (written.type == Type::kWall)
    return true;
  return (written.type == Type::kOffCpu) == (key.kind != SampleKind::kOnCpu);
}

class WindowWriter {
 public:
  WindowWriter(const SampleWindow& window, const FrameSources& sources,
               const ProfileWriterOptions& options)
      : window_(window),
        options_(options),
        locations_(sources, &builder_.dictionary()),
        begin_ns_(window.begin_ns),
        end_ns_(window.end_ns) {
    // Samples that another CPU recorded just before the window began may be read within it.
    for (const auto& [key, times] : window.samples) {
      for (const uint64_t time : times.times_ns) {
        begin_ns_ = std::min(begin_ns_, time);
        end_ns_ = std::max(end_ns_, time + 1);
      }
    }
  }

  absl::StatusOr<WrittenProfiles> Write(const Losses& losses) && {
    const SampleGroups all = GroupSamples(window_, options_.grouping);
    for (const SampleGroup& group : all.groups)
      WriteGroup(group);
    if (losses.samples > 0)
      WriteLosses(losses);
    WrittenProfiles written = {.process_count = all.process_count,
                               .resource_count = all.groups.size(),
                               .merged_count = all.merged_count};
    FLARE_ASSIGN(written.batch, std::move(builder_).Finish());
    return written;
  }

 private:
  void WriteGroup(const SampleGroup& group) {
    const model::ScopeId scope = AddScope(*group.attributes, group.process);
    const std::vector<PreparedSample> samples = PrepareAll(group);
    if (options_.types.cpu) {
      WriteProfile(scope, {Type::kCpu}, samples);
      WriteProfile(scope, {Type::kSamples}, samples);
    }
    if (options_.types.off_cpu)
      WriteProfile(scope, {Type::kOffCpu}, samples);
    if (options_.types.wall)
      WriteProfile(scope, {Type::kWall}, samples);
    for (size_t i = 0; i < options_.types.counted.size(); ++i)
      WriteProfile(scope, {Type::kCounted, static_cast<uint8_t>(i)}, samples);
  }

  // `process` is null if several processes share the resource.
  model::ScopeId AddScope(const ResourceAttributes& attributes, const ProcessResource* process) {
    model::DictionaryBuilder& dictionary = builder_.dictionary();
    std::vector<model::KeyValue> nodes;
    const auto add = [&](const TextAttribute& attribute) {
      nodes.push_back({.key_index = dictionary.String(attribute.key),
                       .value = model::AnyValue::Reference(dictionary.String(attribute.value))});
    };
    for (const TextAttribute& attribute : options_.host) {
      const bool is_reported =
          std::any_of(attributes.begin(), attributes.end(),
                      [&](const TextAttribute& own) { return own.key == attribute.key; });
      if (!is_reported)
        add(attribute);
    }
    for (const TextAttribute& attribute : attributes)
      add(attribute);
    if (process != nullptr) {
      for (const TextAttribute& attribute : process->own)
        add(attribute);
      nodes.push_back({.key_index = dictionary.String("process.pid"),
                       .value = model::AnyValue::Int(process->pid)});
    }
    const model::ResourceId resource =
        builder_.AddResource({.present = true, .attributes = dictionary.Nodes(nodes)});
    return builder_.AddScope(resource,
                             {{.present = true, .name = "flarestack", .version = base::kVersion}});
  }

  model::Profile Head(const WrittenType& written) {
    const Type type = written.type;
    model::DictionaryBuilder& dictionary = builder_.dictionary();
    const auto value_type = [&](std::string_view name, std::string_view unit) {
      return model::ValueType{.type = dictionary.String(name), .unit = dictionary.String(unit)};
    };
    model::Profile profile;
    profile.time_unix_nano = ToDay(begin_ns_);
    profile.duration_nano = end_ns_ - begin_ns_;
    if (type == Type::kOffCpu) {
      profile.sample_type = value_type("off_cpu", "nanoseconds");
    } else if (type == Type::kWall) {
      profile.sample_type = value_type("wall", "nanoseconds");
    } else if (type == Type::kCounted) {
      profile.sample_type = value_type(options_.types.counted[written.event], "count");
      if (options_.counted_period != 0) {
        profile.period_type = profile.sample_type;
        profile.period = static_cast<int64_t>(options_.counted_period);
      }
    } else {
      profile.sample_type =
          type == Type::kCpu ? value_type("cpu", "nanoseconds") : value_type("samples", "count");
      profile.period_type = value_type("cpu", "nanoseconds");
      profile.period = static_cast<int64_t>(options_.period_ns);
    }
    return profile;
  }

  // The part of a sample that is the same in profiles of all types: everything except values and
  // times.
  struct PreparedSample {
    std::vector<const SampleEntry*> entries;  // all of one kind
    model::Sample sample;
  };

  // Merges samples with the same stack, attributes, link and kind. Keys of the window are more
  // specific: the resource of a thread's process may have changed, or different stacks may yield
  // the same frames.
  std::vector<PreparedSample> PrepareAll(const SampleGroup& group) {
    using Identity = std::tuple<uint32_t, std::vector<uint32_t>, uint32_t, SampleKind, uint8_t>;
    std::vector<PreparedSample> samples;
    samples.reserve(group.entries.size());
    absl::flat_hash_map<Identity, size_t> known;
    for (const SampleEntry* entry : group.entries) {
      const SampleKey& key = entry->first;
      const model::Sample sample = Prepare(*window_.owners[key.owner], key);
      std::vector<uint32_t> attributes;
      for (const model::AttributeIndex index :
           model::In(builder_.dictionary().dictionary().attribute_indices, sample.attributes))
        attributes.push_back(index.value);
      const auto [at, is_new] = known.try_emplace(
          {sample.stack.value, std::move(attributes), sample.link.value, key.kind, key.event},
          samples.size());
      if (is_new)
        samples.push_back({.entries = {}, .sample = sample});
      samples[at->second].entries.push_back(entry);
    }
    return samples;
  }

  model::Sample Prepare(const ProcessResource& owner, const SampleKey& key) {
    model::Sample sample;
    const bool is_wait = key.kind != SampleKind::kOnCpu && key.kind != SampleKind::kCounted;
    sample.stack = locations_.Stack(
        *key.stack, is_wait ? LocationWriter::Leaf::kAtSchedule : LocationWriter::Leaf::kAsIs);
    AddContext(owner, key, &sample);
    return sample;
  }

  void WriteProfile(model::ScopeId scope, const WrittenType& type,
                    const std::vector<PreparedSample>& samples) {
    const auto is_of_type = [&](const PreparedSample& one) {
      return Has(type, one.entries.front()->first);
    };
    if (std::none_of(samples.begin(), samples.end(), is_of_type))
      return;
    builder_.AddProfile(scope, Head(type));
    for (const PreparedSample& one : samples) {
      if (is_of_type(one))
        builder_.AddSample(SampleOf(type.type, one));
    }
  }

  model::Sample SampleOf(Type type, const PreparedSample& prepared) {
    model::Sample sample = prepared.sample;
    events_.clear();
    for (const SampleEntry* entry : prepared.entries) {
      const auto& [key, times] = *entry;
      for (size_t i = 0; i < times.times_ns.size(); ++i)
        events_.emplace_back(ToDay(times.times_ns[i]), ValueOf(type, key.kind, times, i));
    }
    if (prepared.entries.size() > 1)
      std::ranges::stable_sort(events_, {}, [](const auto& event) { return event.first; });
    values_.clear();
    times_.clear();
    for (const auto& [time, value] : events_) {
      times_.push_back(time);
      values_.push_back(value);
    }
    if (!options_.has_timestamps) {
      const int64_t sum = std::accumulate(values_.begin(), values_.end(), int64_t{0});
      sample.values = builder_.Values({&sum, 1});
      return sample;
    }
    sample.timestamps = builder_.Timestamps(times_);
    if (type != Type::kSamples)
      sample.values = builder_.Values(values_);
    return sample;
  }

  int64_t ValueOf(Type type, SampleKind kind, const SampleTimes& times, size_t i) const {
    if (kind == SampleKind::kCounted)
      return static_cast<int64_t>(times.event_counts[i]);
    if (kind != SampleKind::kOnCpu)
      return static_cast<int64_t>(times.durations_ns[i]);
    return type == Type::kSamples ? 1 : static_cast<int64_t>(options_.period_ns);
  }

  void AddContext(const ProcessResource& owner, const SampleKey& key, model::Sample* sample);
  void AddGoroutine(const SampleKey& key, std::vector<model::AttributeIndex>* attributes);

  void WriteLosses(const Losses& losses) {
    const model::ScopeId scope = AddScope({{"service.name", "flarestack-recorder"}}, nullptr);
    // A separate sample type: lost samples are not known to have used CPU time.
    model::DictionaryBuilder& dictionary = builder_.dictionary();
    model::Profile profile = Head({Type::kOffCpu});
    profile.sample_type = {.type = dictionary.String("lost_samples"),
                           .unit = dictionary.String("count")};
    builder_.AddProfile(scope, profile);
    const model::LocationIndex note = locations_.Note("[lost samples]");
    const auto count = static_cast<int64_t>(losses.samples);
    builder_.AddSample(
        {.stack = builder_.dictionary().Stack({&note, 1}), .values = builder_.Values({&count, 1})});
  }

  uint64_t ToDay(uint64_t monotonic_ns) const {
    return monotonic_ns + static_cast<uint64_t>(options_.clock_offset_ns);
  }

  const SampleWindow& window_;
  const ProfileWriterOptions& options_;
  model::BatchBuilder builder_;
  LocationWriter locations_;
  uint64_t begin_ns_;
  uint64_t end_ns_;
  std::vector<std::pair<uint64_t, int64_t>> events_;  // time and value of each event of a sample
  std::vector<int64_t> values_;
  std::vector<uint64_t> times_;
};

void WindowWriter::AddContext(const ProcessResource& owner, const SampleKey& key,
                              model::Sample* sample) {
  model::DictionaryBuilder& dictionary = builder_.dictionary();
  std::vector<model::AttributeIndex> attributes;
  if (options_.grouping == Grouping::kExecutable)
    attributes.push_back(dictionary.Attribute("process.pid", model::AnyValue::Int(owner.pid)));
  attributes.push_back(dictionary.Attribute("thread.id", model::AnyValue::Int(key.tid)));
  if (!key.thread_name.empty()) {
    attributes.push_back(dictionary.Attribute(
        "thread.name", model::AnyValue::String(base::ToValidUtf8(key.thread_name))));
  }
  if (const std::string_view state = StateOf(key.kind); !state.empty())
    attributes.push_back(dictionary.Attribute("off_cpu.state", model::AnyValue::String(state)));
  if (!key.context.empty() && owner.context != nullptr) {
    const std::vector<std::string_view> keys = owner.context->ThreadKeys();
    if (const auto context = DecodeThreadContext(key.context, keys); context.has_value()) {
      if (context->has_span)
        sample->link = dictionary.Link(
            {.trace_id = AsBytes(context->trace_id), .span_id = AsBytes(context->span_id)});
      for (const ThreadContext::Attribute& attribute : context->attributes) {
        attributes.push_back(
            dictionary.Attribute(attribute.key, model::AnyValue::String(attribute.value)));
      }
    }
  }
  AddGoroutine(key, &attributes);
  sample->attributes = dictionary.AttributeList(attributes);
}

void WindowWriter::AddGoroutine(const SampleKey& key,
                                std::vector<model::AttributeIndex>* attributes) {
  const auto goroutine = DecodeGoroutine(key.goroutine);
  if (!goroutine)
    return;
  model::DictionaryBuilder& dictionary = builder_.dictionary();
  if (goroutine->id != 0 && goroutine->id <= kIdMax) {
    attributes->push_back(dictionary.Attribute(
        "goroutine.id", model::AnyValue::Int(static_cast<int64_t>(goroutine->id))));
  }
  for (const Goroutine::Label& label : goroutine->labels) {
    attributes->push_back(dictionary.Attribute(base::StrCat("process.context.label.", label.key),
                                               model::AnyValue::String(label.value)));
  }
}

}  // namespace

absl::StatusOr<WrittenProfiles> WriteProfiles(const SampleWindow& window,
                                              const FrameSources& sources, const Losses& losses,
                                              const ProfileWriterOptions& options) {
  return WindowWriter(window, sources, options).Write(losses);
}

}  // namespace flarestack::record::agent

// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "demo/heap.h"
#include "demo/signals.h"
#include "demo/stack_writer.h"
#include "model/builder/batch_builder.h"

namespace flarestack::demo {
namespace {

// Merges samples that differ only in their time, in the order of first appearance.
class SampleList {
 public:
  void Add(const model::Sample& sample, uint64_t time_nanos, int64_t value) {
    const Key key = {sample.stack.value, sample.link.value, sample.attributes.begin};
    const auto [entry, is_new] = numbers_.try_emplace(key, rows_.size());
    if (is_new)
      rows_.push_back({.sample = sample});
    rows_[entry->second].times.push_back(time_nanos);
    rows_[entry->second].values.push_back(value);
  }

  bool empty() const { return rows_.empty(); }

  void Write(model::BatchBuilder* builder) const {
    for (const Row& row : rows_) {
      model::Sample sample = row.sample;
      sample.timestamps = builder->Timestamps(row.times);
      sample.values = builder->Values(row.values);
      builder->AddSample(sample);
    }
  }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;
  struct Row {
    model::Sample sample;
    std::vector<uint64_t> times;
    std::vector<int64_t> values;
  };
  std::vector<Row> rows_;
  std::map<Key, size_t> numbers_;
};

struct TypeName {
  std::string_view type;
  std::string_view unit;
};

class ProcessProfiles {
 public:
  ProcessProfiles(const Timeline& timeline, const Window& window, const Process& process,
                  model::BatchBuilder* builder)
      : timeline_(timeline),
        window_(window),
        process_(process),
        builder_(*builder),
        stacks_(process, &builder->dictionary()) {}

  void Write() {
    for (const Request& request : window_.requests) {
      for (const Span& span : request.spans) {
        if (span.process == process_)
          AddSpan(request, span);
      }
    }
    for (const BackgroundTick& tick : window_.background) {
      if (tick.process == process_) {
        cpu_.Add({.stack = stacks_.Write(*tick.stack), .attributes = Context(kWorkers, "")},
                 tick.time_nanos, kTickNanos);
      }
    }
    const model::ScopeId scope = AddScope();
    AddProfile(scope, {"cpu", "nanoseconds"}, cpu_);
    AddProfile(scope, {"off_cpu", "nanoseconds"}, off_cpu_);
    if (window_.index % kHeapWindows == 0)
      AddHeap(scope);
  }

 private:
  void AddSpan(const Request& request, const Span& span) {
    const model::LinkIndex link =
        builder_.dictionary().Link({.trace_id = request.trace_id, .span_id = span.span_id});
    for (const Stretch& stretch : span.stretches) {
      // The picked stack depends only on the span and the offset in it.
      Random random(timeline_.seed(), span.span_id, stretch.start_nanos - span.start_nanos);
      const CodeTree& tree = TreeOf(stretch.code);
      model::Sample sample = {.link = link,
                              .attributes = Context(span.thread, WaitStateOf(stretch.code))};
      if (stretch.is_wait()) {
        // A wait is recorded when it ends.
        sample.stack = stacks_.Write(tree.Pick(&random));
        off_cpu_.Add(sample, stretch.start_nanos + stretch.duration_nanos - 1,
                     static_cast<int64_t>(stretch.duration_nanos));
        continue;
      }
      for (uint64_t at = kTickNanos / 2; at < stretch.duration_nanos; at += kTickNanos) {
        sample.stack = stacks_.Write(tree.Pick(&random));
        cpu_.Add(sample, stretch.start_nanos + at, kTickNanos);
      }
    }
  }

  // Stores each list of attributes once, so that equal lists start at the same position.
  model::Slice Context(uint32_t thread, std::string_view state) {
    const auto [entry, is_new] = contexts_.try_emplace({thread, state});
    if (is_new) {
      Attributes attributes = ThreadOf(process_, thread);
      if (!state.empty())
        attributes.push_back({"off_cpu.state", std::string(state)});
      entry->second = builder_.dictionary().AttributeList(Indices(attributes));
    }
    return entry->second;
  }

  std::vector<model::AttributeIndex> Indices(const Attributes& attributes) {
    std::vector<model::AttributeIndex> indices;
    for (const Attribute& attribute : attributes)
      indices.push_back(builder_.dictionary().Attribute(attribute.key, ValueOf(attribute)));
    return indices;
  }

  static model::AnyValue ValueOf(const Attribute& attribute) {
    const auto* const text = std::get_if<std::string>(&attribute.value);
    return text != nullptr ? model::AnyValue::String(*text)
                           : model::AnyValue::Int(std::get<int64_t>(attribute.value));
  }

  model::ScopeId AddScope() {
    model::DictionaryBuilder& dictionary = builder_.dictionary();
    std::vector<model::KeyValue> nodes;
    for (const Attribute& attribute : ResourceOf(process_)) {
      model::AnyValue value = ValueOf(attribute);
      if (value.kind == model::AnyValue::Kind::kString)
        value = model::AnyValue::Reference(dictionary.String(value.text));
      nodes.push_back({.key_index = dictionary.String(attribute.key), .value = value});
    }
    const model::ResourceId resource =
        builder_.AddResource({.present = true, .attributes = dictionary.Nodes(nodes)});
    return builder_.AddScope(
        resource, {{.present = true, .name = kScopeName, .version = VersionOf(process_)}});
  }

  void AddProfile(model::ScopeId scope, const TypeName& name, const SampleList& samples) {
    if (samples.empty())
      return;
    model::DictionaryBuilder& dictionary = builder_.dictionary();
    model::Profile profile;
    profile.sample_type = {dictionary.String(name.type), dictionary.String(name.unit)};
    if (name.type == "cpu") {
      profile.period_type = profile.sample_type;
      profile.period = kTickNanos;
    }
    profile.time_unix_nano = window_.begin_nanos;
    profile.duration_nano = kWindowNanos;
    const std::string id = Random(timeline_.seed(), name.type,
                                  window_.index * 1000 + static_cast<uint64_t>(PidOf(process_)))
                               .Bytes(16);
    profile.profile_id = id;
    builder_.AddProfile(scope, profile);
    samples.Write(&builder_);
  }

  void AddHeap(model::ScopeId scope) {
    SampleList inuse_space;
    SampleList inuse_objects;
    SampleList alloc_space;
    const uint64_t time = window_.end_nanos() - 1;
    for (const HeapPart& part : HeapOf(timeline_, process_, window_.index)) {
      const model::Sample sample = {.stack = stacks_.Write(*part.stack)};
      inuse_space.Add(sample, time, static_cast<int64_t>(part.inuse_bytes));
      inuse_objects.Add(sample, time, static_cast<int64_t>(part.inuse_objects));
      alloc_space.Add(sample, time, static_cast<int64_t>(part.alloc_bytes));
    }
    AddProfile(scope, {"inuse_space", "bytes"}, inuse_space);
    AddProfile(scope, {"inuse_objects", "count"}, inuse_objects);
    AddProfile(scope, {"alloc_space", "bytes"}, alloc_space);
  }

  const Timeline& timeline_;
  const Window& window_;
  const Process& process_;
  model::BatchBuilder& builder_;
  StackWriter stacks_;
  SampleList cpu_;
  SampleList off_cpu_;
  std::map<std::pair<uint32_t, std::string_view>, model::Slice> contexts_;
};

}  // namespace

model::Batch ProfilesOf(const Timeline& timeline, const Window& window) {
  model::BatchBuilder builder;
  for (const Process& process : window.processes)
    ProcessProfiles(timeline, window, process, &builder).Write();
  absl::StatusOr<model::Batch> batch = std::move(builder).Finish();
  FLARE_CHECK(batch.ok());  // a window stays far below the limits of a table
  return *std::move(batch);
}

}  // namespace flarestack::demo

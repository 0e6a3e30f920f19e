// SPDX-License-Identifier: Apache-2.0
#include "store/testing/event_text.h"

#include <algorithm>
#include <map>

#include "base/byte_reader.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "model/attribute_text.h"
#include "model/builder/batch_builder.h"
#include "model/frame.h"

namespace flarestack::store::testing {
namespace {

std::string StackText(const model::Dictionary& dictionary, model::StackIndex stack) {
  std::string text;
  const std::vector<model::Frame> frames = model::FramesOf(dictionary, stack);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!text.empty())
      text += ';';
    text += model::FrameName(dictionary, *frame);
    if (frame->line != 0)
      base::StrAppend(&text, ":", frame->line);
  }
  return text;
}

std::string AttributesText(const model::Dictionary& dictionary, model::Slice slice) {
  std::vector<std::string> texts;
  for (const model::AttributeIndex index : model::In(dictionary.attribute_indices, slice)) {
    const model::Attribute& attribute = dictionary.attributes[index.value];
    texts.push_back(base::StrCat(dictionary.Text(attribute.key), "=",
                                 model::AttributeText(dictionary, attribute.value)));
  }
  std::ranges::sort(texts);
  std::string joined;
  for (const std::string& text : texts)
    base::StrAppend(&joined, joined.empty() ? "" : ",", text);
  return joined;
}

std::string ResourceText(const model::Dictionary& dictionary, const model::Resource& resource) {
  std::string text;
  for (const model::KeyValue& node : model::In(dictionary.nodes, resource.attributes))
    base::StrAppend(&text, dictionary.Key(node), "=", model::AttributeText(dictionary, node.value),
                    " ");
  return text;
}

std::string ProfileText(const model::Dictionary& dictionary, const model::Profile& profile) {
  std::string text = base::StrCat(dictionary.Text(profile.sample_type.type), ":",
                                  dictionary.Text(profile.sample_type.unit),
                                  " profile=", profile.time_unix_nano, "+", profile.duration_nano);
  if (!profile.profile_id.empty())
    base::StrAppend(&text, " id=", base::HexEncode(profile.profile_id));
  return text;
}

// Parses the words of a line into a sample of the profile under construction.
class LineReader {
 public:
  explicit LineReader(model::BatchBuilder* builder) : builder_(*builder) {}

  void Add(const std::string& line) {
    std::vector<std::string> words;
    for (size_t begin = 0; begin <= line.size();) {
      const size_t end = std::min(line.find(' ', begin), line.size());
      words.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    model::Sample sample = {.stack = Stack(words[0])};
    std::vector<int64_t> values;
    std::vector<uint64_t> times;
    std::vector<model::AttributeIndex> attributes;
    for (size_t i = 1; i < words.size(); ++i)
      TakeWord(words[i], &sample, &values, &times, &attributes);
    sample.values = builder_.Values(values);
    sample.timestamps = builder_.Timestamps(times);
    sample.attributes = builder_.dictionary().AttributeList(attributes);
    builder_.AddSample(sample);
  }

 private:
  void TakeWord(const std::string& word, model::Sample* sample, std::vector<int64_t>* values,
                std::vector<uint64_t>* times, std::vector<model::AttributeIndex>* attributes) {
    const size_t equals = word.find('=');
    if (word[0] == '@') {
      times->push_back(std::stoull(word.substr(1)));
    } else if (equals == std::string::npos) {
      values->push_back(std::stoll(word));
    } else if (word.substr(0, equals) == "link") {
      const auto number = static_cast<uint32_t>(std::stoul(word.substr(equals + 1)));
      sample->link =
          builder_.dictionary().Link({.trace_id = TraceId(number), .span_id = SpanId(number)});
    } else {
      attributes->push_back(builder_.dictionary().Attribute(
          word.substr(0, equals), model::AnyValue::String(word.substr(equals + 1))));
    }
  }

  model::StackIndex Stack(const std::string& text) {
    model::DictionaryBuilder& to = builder_.dictionary();
    std::vector<model::LocationIndex> locations;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(';', begin), text.size());
      const model::Line line = {
          .function = to.Function({.name = to.String(text.substr(begin, end - begin))})};
      locations.push_back(to.Location({}, {{line}}, {}));
      begin = end + 1;
    }
    std::ranges::reverse(locations);
    return to.Stack(locations);
  }

  model::BatchBuilder& builder_;
};

}  // namespace

std::string TraceId(uint32_t number) {
  std::string id = "trace-id-...";
  base::AppendBigEndian(number, &id);
  return id;
}

std::string SpanId(uint32_t number) {
  std::string id = "span";
  base::AppendBigEndian(number, &id);
  return id;
}

std::vector<std::string> EventLines(const model::Batch& batch) {
  const model::Dictionary& dictionary = batch.dictionary;
  std::vector<std::string> lines;
  for (const model::Resource& resource : batch.resources) {
    for (const model::Scope& scope : model::In(batch.scopes, resource.scopes)) {
      for (const model::Profile& profile : model::In(batch.profiles, scope.profiles)) {
        for (const model::Sample& sample : model::In(batch.samples, profile.samples)) {
          const auto values = model::In(batch.values, sample.values);
          const auto times = model::In(batch.timestamps, sample.timestamps);
          std::string head =
              base::StrCat(ResourceText(dictionary, resource), ProfileText(dictionary, profile),
                           " {", AttributesText(dictionary, profile.attributes), "} ",
                           StackText(dictionary, sample.stack), " {",
                           AttributesText(dictionary, sample.attributes), "}");
          if (sample.link) {
            const model::Link& link = dictionary.links[sample.link.value];
            base::StrAppend(&head, " link=", base::HexEncode(link.trace_id), "/",
                            base::HexEncode(link.span_id));
          }
          for (size_t i = 0; i < std::max(values.size(), times.size()); ++i) {
            lines.push_back(
                base::StrCat(head, times.empty() ? std::string() : base::StrCat(" @", times[i]),
                             values.empty() ? std::string() : base::StrCat(" ", values[i])));
          }
        }
      }
    }
  }
  std::ranges::sort(lines);
  return lines;
}

std::string FoldedText(const model::Batch& batch) {
  std::map<std::string, int64_t> sums;
  for (const model::Sample& sample : batch.samples)
    sums[StackText(batch.dictionary, sample.stack)] += model::Weight(batch, sample);
  std::string text;
  for (const auto& [stack, sum] : sums)
    base::StrAppend(&text, stack, " ", sum, "\n");
  return text;
}

model::Batch MakeBatch(const std::vector<TextProfile>& profiles) {
  model::BatchBuilder builder(model::Grouping::kNone);
  model::DictionaryBuilder& to = builder.dictionary();
  for (const TextProfile& text : profiles) {
    std::vector<model::KeyValue> attributes = {
        {.key = "service.name",
         .key_index = {},
         .value = model::AnyValue::String(to.Keep(text.service))}};
    if (!text.version.empty())
      attributes.push_back({.key = "service.version",
                            .key_index = {},
                            .value = model::AnyValue::String(to.Keep(text.version))});
    const model::ResourceId resource =
        builder.AddResource({.present = true, .attributes = to.Nodes(attributes)});
    model::Scope scope;
    scope.present = true;
    scope.name = "test";
    builder.AddProfile(builder.AddScope(resource, scope),
                       {.sample_type = {.type = to.String(text.type), .unit = to.String(text.unit)},
                        .period_type = {.type = to.String("cpu"), .unit = to.String("nanoseconds")},
                        .period = text.period,
                        .time_unix_nano = text.time,
                        .duration_nano = text.duration,
                        .profile_id = text.profile_id});
    LineReader reader(&builder);
    for (const std::string& line : text.lines)
      reader.Add(line);
  }
  return *std::move(builder).Finish();
}

}  // namespace flarestack::store::testing

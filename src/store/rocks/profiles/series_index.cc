// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/series_index.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/byte_reader.h"
#include "base/status.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "model/attribute_text.h"
#include "model/builder/batch_builder.h"
#include "model/builder/value_identity.h"

namespace flarestack::store::rocks {
namespace {

// The posting key of sample types. No attribute has this name.
constexpr std::string_view kTypeKey = ":type";

std::string TypeText(std::string_view type, std::string_view unit) {
  return base::StrCat(type, ":", unit);
}

void AppendSorted(const model::Dictionary& dictionary, model::Slice slice, std::string* out) {
  const auto nodes = model::In(dictionary.nodes, slice);
  std::vector<std::string> fields;
  for (const model::KeyValue& node : nodes) {
    std::string& field = fields.emplace_back();
    model::AppendCanonical(dictionary.Key(node), &field);
    model::AppendCanonical(dictionary, node.value, &field);
  }
  std::ranges::sort(fields);
  model::AppendCanonical(uint64_t{fields.size()}, out);
  for (const std::string& field : fields)
    *out += field;
}

model::ContentId IdOf(const ProfilePath& path) {
  const model::Dictionary& dictionary = path.batch.dictionary;
  std::string bytes = "S";
  AppendSorted(dictionary, path.resource.attributes, &bytes);
  model::AppendCanonical(path.scope.name, &bytes);
  model::AppendCanonical(path.scope.version, &bytes);
  AppendSorted(dictionary, path.scope.attributes, &bytes);
  for (const model::ValueType& type : {path.profile.sample_type, path.profile.period_type}) {
    model::AppendCanonical(dictionary.Text(type.type), &bytes);
    model::AppendCanonical(dictionary.Text(type.unit), &bytes);
  }
  model::AppendCanonical(static_cast<uint64_t>(path.profile.period), &bytes);
  return base::HashContent(bytes);
}

absl::StatusOr<std::string> EncodeSeries(const ProfilePath& path) {
  const model::Dictionary& from = path.batch.dictionary;
  model::BatchBuilder builder;
  model::DictionaryBuilder& to = builder.dictionary();
  model::Resource resource = path.resource;
  resource.attributes = to.CopyNodes(from, model::In(from.nodes, path.resource.attributes), false);
  const auto refs = model::In(path.batch.entity_refs, path.resource.entity_refs);
  const model::ResourceId resource_id = builder.AddResource(resource, refs, path.batch.entity_keys);
  model::Scope scope = path.scope;
  scope.attributes = to.CopyNodes(from, model::In(from.nodes, path.scope.attributes), false);
  const auto copy_type = [&](const model::ValueType& type) {
    return model::ValueType{.type = to.String(from.Text(type.type)),
                            .unit = to.String(from.Text(type.unit))};
  };
  builder.AddProfile(builder.AddScope(resource_id, scope),
                     {.sample_type = copy_type(path.profile.sample_type),
                      .period_type = copy_type(path.profile.period_type),
                      .period = path.profile.period});
  FLARE_ASSIGN(const model::Batch envelope, std::move(builder).Finish());
  codec::wire::ReverseWriter out(codec::otlp::EstimateProtobufBytes(envelope));
  codec::otlp::EncodeProtobuf(envelope, &out);
  return std::string(out.view());
}

void AddPostings(const ProfilePath& path, uint32_t number, Changes* changes) {
  const model::Dictionary& dictionary = path.batch.dictionary;
  for (const model::KeyValue& node : model::In(dictionary.nodes, path.resource.attributes)) {
    changes->Put(
        Family::kPostings,
        EncodePosting(dictionary.Key(node), model::AttributeText(dictionary, node.value), number),
        {});
  }
  const model::ValueType& type = path.profile.sample_type;
  changes->Put(
      Family::kPostings,
      EncodePosting(kTypeKey, TypeText(dictionary.Text(type.type), dictionary.Text(type.unit)),
                    number),
      {});
}

// Series with a value of this key that the matcher accepts, by number.
std::vector<uint32_t> Postings(const Database& database, std::string_view key,
                               const std::function<bool(std::string_view)>& accepts,
                               const std::string& prefix) {
  std::vector<uint32_t> numbers;
  const auto at = database.NewIterator(Family::kPostings);
  for (at->Seek(ToSlice(prefix)); at->Valid() && at->key().starts_with(ToSlice(prefix));
       at->Next()) {
    const auto posting = DecodePosting(key, ToView(at->key()));
    if (posting.has_value() && accepts(posting->value))
      numbers.push_back(posting->series);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::vector<uint32_t> AllSeries(const Database& database) {
  std::vector<uint32_t> numbers;
  const auto at = database.NewIterator(Family::kSeries);
  for (at->SeekToFirst(); at->Valid(); at->Next())
    numbers.push_back(base::ByteReader(ToView(at->key())).BigEndian<uint32_t>());
  return numbers;
}

// Intersects with the candidates, if there are any yet.
void Keep(std::vector<uint32_t> numbers, std::optional<std::vector<uint32_t>>* candidates) {
  if (!candidates->has_value()) {
    *candidates = std::move(numbers);
    return;
  }
  std::vector<uint32_t> both;
  std::set_intersection(numbers.begin(), numbers.end(), (*candidates)->begin(),
                        (*candidates)->end(), std::back_inserter(both));
  *candidates = std::move(both);
}

std::vector<uint32_t> Candidates(const Database& database, const SeriesQuery& query) {
  std::optional<std::vector<uint32_t>> candidates;
  const auto any = [](std::string_view) { return true; };
  if (!query.types.empty()) {
    std::vector<uint32_t> of_types;
    for (const SampleTypeMatcher& type : query.types) {
      // Without a unit, match everything that begins with the type and its colon.
      std::string prefix = PostingPrefix(kTypeKey, TypeText(type.type, type.unit));
      if (type.unit.empty())
        prefix.pop_back();
      const std::vector<uint32_t> numbers = Postings(database, kTypeKey, any, prefix);
      of_types.insert(of_types.end(), numbers.begin(), numbers.end());
    }
    std::ranges::sort(of_types);
    of_types.erase(std::unique(of_types.begin(), of_types.end()), of_types.end());
    Keep(std::move(of_types), &candidates);
  }
  for (const Matcher& matcher : query.matchers) {
    if (matcher.Accepts(""))
      continue;  // also accepts series without the attribute, which the postings do not list
    const bool is_equal = matcher.kind() == Matcher::Kind::kEqual;
    // Postings truncate long values, so those can only be checked against the series.
    const auto accepts = [&](std::string_view value) {
      return value.size() >= 200 || matcher.Accepts(value);
    };
    Keep(is_equal
             ? Postings(database, matcher.key(), any, PostingPrefix(matcher.key(), matcher.value()))
             : Postings(database, matcher.key(), accepts, PostingPrefix(matcher.key())),
         &candidates);
  }
  return candidates.has_value() ? *std::move(candidates) : AllSeries(database);
}

bool IsOfType(const SampleTypeMatcher& type, const Series& series) {
  const auto fits = [](const std::string& wanted, const std::string& text) {
    return wanted.empty() || wanted == text;
  };
  return fits(type.type, series.type) && fits(type.unit, series.unit) &&
         fits(type.period_type, series.period_type);
}

bool IsOfTypes(const std::vector<SampleTypeMatcher>& types, const Series& series) {
  return types.empty() || std::ranges::any_of(types, [&](const SampleTypeMatcher& type) {
           return IsOfType(type, series);
         });
}

bool AcceptsAll(const std::vector<Matcher>& matchers, const Series& series) {
  return std::ranges::all_of(matchers, [&](const Matcher& matcher) {
    const auto at = std::ranges::find_if(series.attributes, [&](const auto& attribute) {
      return model::SameAttributeKey(attribute.first, matcher.key());
    });
    return matcher.Accepts(at == series.attributes.end() ? std::string_view() : at->second);
  });
}

}  // namespace

absl::StatusOr<uint32_t> SeriesNumbers::Number(const ProfilePath& path, Changes* changes) {
  const model::ContentId id = IdOf(path);
  if (const auto known = known_.find({id.high, id.low}); known != known_.end())
    return known->second;
  bool is_new = false;
  FLARE_ASSIGN(const uint32_t number,
               interner_.NumberOf(Table::kSeries, id, changes, &is_new, series_max_));
  if (is_new) {
    FLARE_ASSIGN(const std::string record, EncodeSeries(path));
    changes->Put(Family::kSeries, SeriesKey(number), record);
    AddPostings(path, number, changes);
  }
  known_.emplace(std::pair(id.high, id.low), number);
  return number;
}

absl::StatusOr<StoredSeries> ReadSeries(const Database& database, uint32_t number) {
  FLARE_ASSIGN(std::optional<std::string> bytes, database.Get(Family::kSeries, SeriesKey(number)));
  if (!bytes.has_value())
    return absl::DataLossError(base::StrCat("series ", number, " is not in the index"));
  return DecodeSeries(number, *std::move(bytes));
}

absl::StatusOr<StoredSeries> DecodeSeries(uint32_t number, std::string bytes) {
  StoredSeries series = {.number = number, .envelope = {}};
  const std::string_view kept = series.envelope.arena.Adopt(std::move(bytes));
  FLARE_RETURN_IF_ERROR(codec::otlp::DecodeAsTodaysLayout(
      kept, codec::otlp::Limits(), &series.envelope, codec::otlp::ReservedEntries::kAdded));
  if (series.envelope.profiles.size() != 1)
    return absl::DataLossError(base::StrCat("series ", number, " is corrupt"));
  return series;
}

Series Describe(const model::Batch& envelope) {
  const model::Dictionary& dictionary = envelope.dictionary;
  const model::Profile& profile = envelope.profiles[0];
  Series series;
  for (const model::KeyValue& node :
       model::In(dictionary.nodes, envelope.resources[0].attributes)) {
    series.attributes.emplace_back(dictionary.Key(node),
                                   model::AttributeText(dictionary, node.value));
  }
  series.scope = envelope.scopes[0].name;
  series.type = dictionary.Text(profile.sample_type.type);
  series.unit = dictionary.Text(profile.sample_type.unit);
  series.period_type = dictionary.Text(profile.period_type.type);
  series.period_unit = dictionary.Text(profile.period_type.unit);
  series.period = profile.period;
  return series;
}

std::string SeenKey(uint32_t series) { return "seen" + SeriesKey(series); }

uint32_t LastMinuteOf(const Database& database, uint32_t series) {
  const auto noted = database.Get(Family::kMeta, SeenKey(series));
  return noted.ok() && noted->has_value() ? base::ByteReader(**noted).BigEndian<uint32_t>() : 0;
}

std::vector<std::string> ResourceKeys(const Database& database) {
  std::vector<std::string> keys;
  const auto at = database.NewIterator(Family::kPostings);
  at->SeekToFirst();
  while (at->Valid()) {
    std::string key = PostingAttribute(ToView(at->key()));
    // Skips all values of the key, possibly many, in one step.
    at->Seek(ToSlice(PostingEnd(key)));
    if (key != kTypeKey)
      keys.push_back(std::move(key));
  }
  return keys;
}

void KeepBestType(const std::vector<SampleTypeMatcher>& types, std::vector<StoredSeries>* found) {
  if (types.size() < 2)
    return;
  using Origin = std::pair<std::vector<std::pair<std::string, std::string>>, std::string>;
  std::map<Origin, size_t> best;
  std::vector<std::pair<Origin, size_t>> ranks;
  for (const StoredSeries& one : *found) {
    Series series = Describe(one.envelope);
    const auto type = std::ranges::find_if(
        types, [&](const SampleTypeMatcher& candidate) { return IsOfType(candidate, series); });
    Origin origin(std::move(series.attributes), std::move(series.scope));
    const auto rank = static_cast<size_t>(type - types.begin());
    const auto [at, is_new] = best.try_emplace(origin, rank);
    at->second = std::min(at->second, rank);
    ranks.emplace_back(std::move(origin), rank);
  }
  size_t position = 0;
  std::erase_if(*found, [&](const StoredSeries&) {
    const auto& [origin, rank] = ranks[position++];
    return rank != best[origin];
  });
}

std::vector<Matcher> TakeSampleMatchers(const Database& database, std::vector<Matcher>* matchers) {
  std::vector<Matcher> of_samples;
  const auto at = database.NewIterator(Family::kPostings);
  std::erase_if(*matchers, [&](const Matcher& matcher) {
    const std::string prefix = PostingPrefix(matcher.key());
    at->Seek(ToSlice(prefix));
    if (at->Valid() && at->key().starts_with(ToSlice(prefix)))
      return false;
    of_samples.push_back(matcher);
    return true;
  });
  return of_samples;
}

absl::StatusOr<std::vector<StoredSeries>> FindSeries(const Database& database,
                                                     const SeriesQuery& query) {
  std::vector<StoredSeries> found;
  for (const uint32_t number : Candidates(database, query)) {
    FLARE_ASSIGN(StoredSeries series, ReadSeries(database, number));
    const Series description = Describe(series.envelope);
    if (IsOfTypes(query.types, description) && AcceptsAll(query.matchers, description)) {
      found.push_back(std::move(series));
    }
  }
  return found;
}

}  // namespace flarestack::store::rocks

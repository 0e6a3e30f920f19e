// SPDX-License-Identifier: Apache-2.0
#include "model/validation/profile_sift.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/text/text.h"
#include "model/validation/validate.h"

namespace flarestack::model {
namespace {

// Finds the entries of each table that do not lead to an index out of range. Goes table by table,
// from strings up to stacks, because an entry is only valid if the entries it refers to are.
class GoodEntries {
 public:
  explicit GoodEntries(const Dictionary& tables) : tables_(tables) {
    for (const Attribute& entry : tables.attributes)
      attributes_.push_back(IsString(entry.key) && IsString(entry.unit) && IsValue(entry.value));
    for (const Mapping& entry : tables.mappings)
      mappings_.push_back(IsString(entry.filename) && AreAttributes(entry.attributes));
    for (const Function& entry : tables.functions)
      functions_.push_back(IsString(entry.name) && IsString(entry.system_name) &&
                           IsString(entry.filename));
    for (const Location& entry : tables.locations)
      locations_.push_back(IsIn(entry.mapping, mappings_) && AreAttributes(entry.attributes) &&
                           AreLines(entry.lines));
    for (const Stack& entry : tables.stacks) {
      const auto locations = In(tables.location_indices, entry.locations);
      stacks_.push_back(std::ranges::all_of(
          locations, [&](LocationIndex index) { return IsIn(index, locations_); }));
    }
  }

  bool IsString(StringIndex index) const { return index.value < tables_.strings.size(); }
  bool IsStack(StackIndex index) const { return IsIn(index, stacks_); }
  bool IsLink(LinkIndex index) const { return index.value < tables_.links.size(); }
  bool AreAttributes(Slice slice) const {
    const auto list = In(tables_.attribute_indices, slice);
    return std::ranges::all_of(list, [&](AttributeIndex i) { return IsIn(i, attributes_); });
  }
  bool AreNodes(Slice slice) const {
    return std::ranges::all_of(In(tables_.nodes, slice), [&](const KeyValue& node) {
      return IsString(node.key_index) && IsValue(node.value);
    });
  }

 private:
  template <typename Index>
  static bool IsIn(Index index, const std::vector<bool>& good) {
    return index.value < good.size() && good[index.value];
  }
  bool AreLines(Slice slice) const {
    return std::ranges::all_of(In(tables_.lines, slice),
                               [&](const Line& line) { return IsIn(line.function, functions_); });
  }
  // Decoders limit the nesting of values, which also bounds this recursion.
  bool IsValue(const AnyValue& value) const {
    switch (value.kind) {
      case AnyValue::Kind::kStringIndex:
        return IsString(value.string_index);
      case AnyValue::Kind::kArray:
      case AnyValue::Kind::kKeyValueList:
        return AreNodes(value.nodes);
      default:
        return true;
    }
  }

  const Dictionary& tables_;
  std::vector<bool> attributes_;
  std::vector<bool> mappings_;
  std::vector<bool> functions_;
  std::vector<bool> locations_;
  std::vector<bool> stacks_;
};

// Sets the remaining out-of-range indices to "not set". By now no kept sample refers to them.
void ClearBadIndices(Batch* batch) {
  Dictionary& tables = batch->dictionary;
  const auto clear = [](auto& index, size_t size) {
    if (index.value >= size)
      index = {};
  };
  const size_t strings = tables.strings.size();
  for (Mapping& entry : tables.mappings)
    clear(entry.filename, strings);
  for (Function& entry : tables.functions) {
    clear(entry.name, strings);
    clear(entry.system_name, strings);
    clear(entry.filename, strings);
  }
  for (Attribute& entry : tables.attributes) {
    clear(entry.key, strings);
    clear(entry.unit, strings);
    clear(entry.value.string_index, strings);
  }
  for (KeyValue& node : tables.nodes) {
    clear(node.key_index, strings);
    clear(node.value.string_index, strings);
  }
  for (Location& entry : tables.locations)
    clear(entry.mapping, tables.mappings.size());
  for (Line& line : tables.lines)
    clear(line.function, tables.functions.size());
  for (LocationIndex& index : tables.location_indices)
    clear(index, tables.locations.size());
  for (AttributeIndex& index : tables.attribute_indices)
    clear(index, tables.attributes.size());
  for (Profile& profile : batch->profiles) {
    for (ValueType* type : {&profile.sample_type, &profile.period_type}) {
      clear(type->type, strings);
      clear(type->unit, strings);
    }
  }
}

std::optional<SampleFault> ShapeFault(const Sample& sample) {
  if (sample.values.empty() && sample.timestamps.empty())
    return SampleFault::kNoValue;
  if (!sample.values.empty() && !sample.timestamps.empty() &&
      sample.values.count != sample.timestamps.count)
    return SampleFault::kShape;
  return std::nullopt;
}

class Sifter {
 public:
  explicit Sifter(Batch* batch) : batch_(*batch) {
    if (!ValidateIndices(*batch).ok())
      good_ = std::make_unique<GoodEntries>(batch->dictionary);
  }

  SiftedProfiles Sift() {
    result_.samples_total = batch_.samples.size();
    if (good_ == nullptr && std::ranges::none_of(batch_.samples, [](const Sample& sample) {
          return ShapeFault(sample).has_value();
        }))
      return std::move(result_);
    for (size_t r = 0; r < batch_.resources.size(); ++r)
      SiftResource(r);
    batch_.profiles = std::move(profiles_);
    batch_.samples = std::move(samples_);
    if (good_ != nullptr)
      ClearBadIndices(&batch_);
    return std::move(result_);
  }

 private:
  void SiftResource(size_t r) {
    const Resource& resource = batch_.resources[r];
    const bool is_good = good_ == nullptr || good_->AreNodes(resource.attributes);
    for (uint32_t s = 0; s < resource.scopes.count; ++s) {
      Scope& scope = batch_.scopes[resource.scopes.begin + s];
      const bool is_good_scope = is_good && (good_ == nullptr || good_->AreNodes(scope.attributes));
      const Slice old = scope.profiles;
      scope.profiles.begin = static_cast<uint32_t>(profiles_.size());
      for (uint32_t p = 0; p < old.count; ++p) {
        SiftProfile(
            batch_.profiles[old.begin + p], is_good_scope,
            base::StrCat("resource_profiles[", r, "].scope_profiles[", s, "].profiles[", p, "]"));
      }
      scope.profiles.count = static_cast<uint32_t>(profiles_.size()) - scope.profiles.begin;
    }
  }

  bool IsGood(const Profile& profile) const {
    if (good_ == nullptr)
      return true;
    for (const ValueType& type : {profile.sample_type, profile.period_type}) {
      if (!good_->IsString(type.type) || !good_->IsString(type.unit))
        return false;
    }
    return good_->AreAttributes(profile.attributes);
  }

  void SiftProfile(Profile profile, bool is_good_scope, const std::string& path) {
    const bool is_good = is_good_scope && IsGood(profile);
    const Slice old = profile.samples;
    profile.samples.begin = static_cast<uint32_t>(samples_.size());
    for (uint32_t i = 0; i < old.count; ++i) {
      const Sample& sample = batch_.samples[old.begin + i];
      const std::optional<SampleFault> fault =
          is_good ? FaultOf(sample) : std::optional(SampleFault::kIndexOutOfRange);
      if (fault.has_value())
        Reject(*fault, base::StrCat(path, ".samples[", i, "]"));
      else
        samples_.push_back(sample);
    }
    profile.samples.count = static_cast<uint32_t>(samples_.size()) - profile.samples.begin;
    if (!is_good || (profile.samples.empty() && !old.empty()))
      ++result_.profiles_rejected;
    else
      profiles_.push_back(profile);
  }

  std::optional<SampleFault> FaultOf(const Sample& sample) const {
    if (good_ != nullptr && !(good_->IsStack(sample.stack) && good_->IsLink(sample.link) &&
                              good_->AreAttributes(sample.attributes)))
      return SampleFault::kIndexOutOfRange;
    return ShapeFault(sample);
  }

  void Reject(SampleFault fault, std::string path) {
    auto at = std::ranges::find(result_.rejected, fault, &SiftedProfiles::Rejected::fault);
    if (at == result_.rejected.end()) {
      result_.rejected.push_back({.fault = fault, .samples = 0, .example = std::move(path)});
      at = result_.rejected.end() - 1;
    }
    ++at->samples;
  }

  Batch& batch_;
  std::unique_ptr<GoodEntries> good_;  // null if no index is bad
  std::vector<Profile> profiles_;
  std::vector<Sample> samples_;
  SiftedProfiles result_;
};

class Restamper {
 public:
  Restamper(Batch* batch, uint64_t now) : batch_(*batch), now_(now) {}

  uint64_t Run() {
    for (Profile& profile : batch_.profiles)
      Restamp(&profile);
    return count_;
  }

 private:
  bool IsAbsurd(uint64_t time) const { return IsAbsurdTime(time, now_); }

  void Restamp(Profile* profile) {
    uint64_t shift = 0;
    if (profile->time_unix_nano == 0) {
      profile->time_unix_nano = FirstTime(*profile);
    } else if (IsAbsurd(profile->time_unix_nano)) {
      shift = now_ - profile->time_unix_nano;
      profile->attributes = WithOriginal(profile->attributes, profile->time_unix_nano);
      profile->time_unix_nano = now_;
      ++count_;
    }
    for (Sample& sample : Samples(*profile))
      Restamp(*profile, shift, &sample);
  }

  void Restamp(const Profile& profile, uint64_t shift, Sample* sample) {
    std::optional<uint64_t> original;
    for (uint32_t i = sample->timestamps.begin; i < sample->timestamps.end(); ++i) {
      uint64_t& time = batch_.timestamps[i];
      if (!IsAbsurd(time))
        continue;
      if (!original.has_value())
        original = time;
      time = shift != 0 && !IsAbsurd(time + shift) ? time + shift : profile.time_unix_nano;
      ++count_;
    }
    // One attribute per sample is enough: with the shift of the profile it gives all other times.
    if (original.has_value())
      sample->attributes = WithOriginal(sample->attributes, *original);
  }

  uint64_t FirstTime(const Profile& profile) const {
    uint64_t first = UINT64_MAX;
    for (const Sample& sample : In(batch_.samples, profile.samples)) {
      for (const uint64_t time : In(batch_.timestamps, sample.timestamps)) {
        if (!IsAbsurd(time))
          first = std::min(first, time);
      }
    }
    return first == UINT64_MAX ? now_ : first;
  }

  std::span<Sample> Samples(const Profile& profile) {
    return {batch_.samples.data() + profile.samples.begin, profile.samples.count};
  }

  Slice WithOriginal(Slice old, uint64_t time) {
    Dictionary& tables = batch_.dictionary;
    if (!key_.has_value()) {
      key_ = {static_cast<uint32_t>(tables.strings.size())};
      tables.strings.push_back(kOriginalTimeKey);
    }
    if (!last_time_.has_value() || *last_time_ != time) {
      tables.attributes.push_back(
          {.key = *key_, .unit = {}, .value = AnyValue::Int(static_cast<int64_t>(time))});
      last_time_ = time;
    }
    const Slice longer = {.begin = static_cast<uint32_t>(tables.attribute_indices.size()),
                          .count = old.count + 1};
    tables.attribute_indices.reserve(tables.attribute_indices.size() + longer.count);
    for (uint32_t i = old.begin; i < old.end(); ++i)
      tables.attribute_indices.push_back(tables.attribute_indices[i]);
    tables.attribute_indices.push_back({static_cast<uint32_t>(tables.attributes.size() - 1)});
    return longer;
  }

  Batch& batch_;
  const uint64_t now_;
  uint64_t count_ = 0;
  std::optional<StringIndex> key_;
  std::optional<uint64_t> last_time_;
};

}  // namespace

std::string_view FaultId(SampleFault fault) {
  switch (fault) {
    case SampleFault::kIndexOutOfRange:
      return "index_out_of_range";
    case SampleFault::kNoValue:
      return "no_value";
    case SampleFault::kShape:
      return "shape";
  }
  return "";
}

std::string_view FaultText(SampleFault fault) {
  switch (fault) {
    case SampleFault::kIndexOutOfRange:
      return "it refers to an index outside its table";
    case SampleFault::kNoValue:
      return "it has neither values nor timestamps";
    case SampleFault::kShape:
      return "it has different numbers of values and timestamps";
  }
  return "";
}

uint64_t SiftedProfiles::samples_rejected() const {
  uint64_t sum = 0;
  for (const Rejected& entry : rejected)
    sum += entry.samples;
  return sum;
}

std::string SiftedProfiles::Explain() const {
  if (rejected.empty() && profiles_rejected == 0)
    return "";
  std::string text = base::StrCat(samples_rejected(), " of ", samples_total, " samples rejected");
  for (const Rejected& entry : rejected) {
    base::StrAppend(&text, &entry == &rejected[0] ? ": " : ", ", FaultId(entry.fault), " (",
                    FaultText(entry.fault), ") ", entry.samples, ", first at ", entry.example);
  }
  return text;
}

SiftedProfiles SiftProfiles(Batch* batch) { return Sifter(batch).Sift(); }

uint64_t RestampAbsurdTimes(Batch* batch, uint64_t now_nanos) {
  return Restamper(batch, now_nanos).Run();
}

}  // namespace flarestack::model

// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profile_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "base/byte_io.h"
#include "base/status.h"
#include "model/batch_builder.h"
#include "store/rocks/dictionary_loader.h"
#include "store/rocks/keys.h"
#include "store/rocks/rollups.h"
#include "store/rocks/series_index.h"

namespace flarestack::store::rocks {
namespace {

std::string_view View(const auto& id) { return {id.data(), id.size()}; }

// The first hour from `hour` on in which the series has a chunk; the iterator then stands there.
std::optional<uint32_t> NextHourOf(uint32_t series, uint32_t hour, rocksdb::Iterator* chunks) {
  while (true) {
    chunks->Seek(ToSlice(SamplePrefix(hour, series)));
    const auto found =
        chunks->Valid() ? SampleKey::Decode(ToView(chunks->key())) : std::optional<SampleKey>();
    if (!found.has_value())
      return std::nullopt;
    if (found->hour == hour && found->series == series)
      return hour;
    // The key found instead says which hour is next.
    hour = found->hour == hour || found->series > series ? found->hour + 1 : found->hour;
  }
}

// Whether a row belongs to the answer.
class RowFilter {
 public:
  explicit RowFilter(const ProfileQuery& query) : query_(query) {}

  bool Accepts(const Chunk& chunk, const ChunkRow& row) const {
    if (row.time < query_.range.from || row.time >= query_.range.to)
      return false;
    if (query_.trace_id.empty())
      return true;
    if (row.link == 0)
      return false;
    const ChunkLink& link = chunk.links[row.link - 1];
    return View(link.trace_id) == query_.trace_id &&
           (query_.span_id.empty() || View(link.span_id) == query_.span_id);
  }

 private:
  const ProfileQuery& query_;
};

// How much the answer takes, roughly: enough to stop one that would take all there is.
class AnswerSize {
 public:
  explicit AnswerSize(const ProfileQuery& query) : query_(query) {}

  absl::Status Add(uint64_t bytes) {
    bytes_ += bytes;
    if (bytes_ < asked_ || query_.may_hold == nullptr)
      return absl::OkStatus();
    asked_ = bytes_ + kStep;
    if (query_.may_hold(asked_))
      return absl::OkStatus();
    return absl::ResourceExhaustedError(base::StrCat("the answer takes more than ", bytes_ >> 20,
                                                     " MiB, for which there is no memory"));
  }

  // In the maps and lists below, and once more in the batch.
  static constexpr uint64_t kEvent = 32;
  static constexpr uint64_t kSample = 400;
  static constexpr uint64_t kStack = 600;  // with its share of frames and names

 private:
  static constexpr uint64_t kStep = 1 << 20;

  const ProfileQuery& query_;
  uint64_t bytes_ = 0;
  uint64_t asked_ = 0;
};

class ProfileReader {
 public:
  ProfileReader(const Database& database, const ProfileQuery& query)
      : database_(database),
        query_(query),
        filter_(query),
        size_(query),
        loader_(database, &builder_.dictionary()) {}

  absl::StatusOr<model::Batch> Read() {
    FLARE_ASSIGN(const std::vector<StoredSeries> found, FindSeries(database_, query_.series));
    FLARE_RETURN_IF_ERROR(FindLinked());
    for (const StoredSeries& series : found) {
      if (!query_.trace_id.empty() && !linked_.contains(series.number))
        continue;
      FLARE_RETURN_IF_ERROR(query_.detail == Detail::kSums ? AddSums(series) : AddSamples(series));
    }
    return std::move(builder_).Finish();
  }

 private:
  // Which series and hours may have samples of the trace: others need not be read.
  absl::Status FindLinked() {
    if (query_.trace_id.empty())
      return absl::OkStatus();
    const std::string prefix = LinkPrefix(query_.trace_id);
    const auto at = database_.NewIterator(Family::kLinks);
    for (at->Seek(ToSlice(prefix)); at->Valid() && at->key().starts_with(ToSlice(prefix));
         at->Next()) {
      const auto link = DecodeLink(ToView(at->key()));
      if (link.has_value())
        linked_[link->series].push_back(link->hour);
    }
    return ToStatus(at->status());
  }

  // The parts of the range to read of a series.
  std::vector<TimeRange> Ranges(uint32_t series) const {
    if (query_.trace_id.empty())
      return {query_.range};
    std::vector<TimeRange> ranges;
    for (const uint32_t hour : linked_.at(series)) {
      ranges.push_back({.from = std::max(query_.range.from, uint64_t{hour} * kNanosPerHour),
                        .to = std::min(query_.range.to, (uint64_t{hour} + 1) * kNanosPerHour)});
    }
    return ranges;
  }

  // The resource and scope of a series, and what all its profiles have in common.
  struct Place {
    model::ScopeId scope;
    model::Profile profile;
  };
  Place PlaceOf(const StoredSeries& series) {
    const model::Batch& from = series.envelope;
    const model::Dictionary& dictionary = from.dictionary;
    model::DictionaryBuilder& to = builder_.dictionary();
    model::Resource resource = from.resources[0];
    resource.attributes =
        to.CopyNodes(dictionary, model::In(dictionary.nodes, resource.attributes), true);
    model::Scope scope = from.scopes[0];
    scope.attributes =
        to.CopyNodes(dictionary, model::In(dictionary.nodes, scope.attributes), true);
    const model::ResourceId id = builder_.AddResource(
        resource, model::In(from.entity_refs, resource.entity_refs), from.entity_keys);
    const auto copy_type = [&](const model::ValueType& type) {
      return model::ValueType{.type = to.String(dictionary.Text(type.type)),
                              .unit = to.String(dictionary.Text(type.unit))};
    };
    const model::Profile& profile = from.profiles[0];
    return {.scope = builder_.AddScope(id, scope),
            .profile = {.sample_type = copy_type(profile.sample_type),
                        .period_type = copy_type(profile.period_type),
                        .period = profile.period}};
  }

  absl::Status AddSums(const StoredSeries& series) {
    StackSummer summer;
    uint64_t first = UINT64_MAX;
    if (query_.trace_id.empty()) {
      FLARE_RETURN_IF_ERROR(SumRange(series.number, &summer, &first));
    } else {
      for (const TimeRange& range : Ranges(series.number))
        FLARE_RETURN_IF_ERROR(SumRows(series.number, range, &summer, &first));
    }
    const StackSums sums = std::move(summer).Finish();
    if (sums.stacks.empty())
      return absl::OkStatus();
    Place place = PlaceOf(series);
    place.profile.time_unix_nano = std::max(first, query_.range.from);
    place.profile.duration_nano = sums.duration_nanos;
    builder_.AddProfile(place.scope, place.profile);
    FLARE_RETURN_IF_ERROR(size_.Add(sums.stacks.size() * AnswerSize::kStack));
    for (const StackSum& sum : sums.stacks) {
      FLARE_ASSIGN(const model::StackIndex stack, loader_.Stack(sum.stack));
      builder_.AddSample({.stack = stack, .values = builder_.Values({{sum.value}})});
    }
    return absl::OkStatus();
  }

  // Row by row; `first` becomes the begin of the first hour that has some.
  absl::Status SumRows(uint32_t series, TimeRange range, StackSummer* summer, uint64_t* first) {
    return ForEachChunk(database_, series, range, ChunkColumns::kAllButAttributes,
                        [&](uint32_t hour, const Chunk& chunk) {
                          for (const ChunkRow& row : chunk.rows) {
                            if (filter_.Accepts(chunk, row))
                              summer->Add(row.stack, row.value, 1);
                          }
                          AddProfiles(hour, chunk, range, [&](const ChunkProfile& profile) {
                            summer->AddProfiles(1, profile.duration);
                          });
                          *first = std::min(*first, uint64_t{hour} * kNanosPerHour);
                          return absl::OkStatus();
                        });
  }

  // Whole days, hours and minutes from their roll-ups where there are some, the rest row by row.
  absl::Status SumRange(uint32_t series, StackSummer* summer, uint64_t* first) {
    const std::optional<HourSpan> stored = StoredHours(database_);
    const TimeRange& range = query_.range;
    if (!stored.has_value() || range.from >= range.to)
      return absl::OkStatus();
    uint32_t hour = std::max(stored->first, HourOf(range.from));
    const uint32_t last = std::min(stored->last, HourOf(range.to - 1));
    const auto is_whole = [&](uint32_t begin, uint32_t count) {
      return uint64_t{begin} * kNanosPerHour >= range.from &&
             (uint64_t{begin} + count) * kNanosPerHour <= range.to;
    };
    const auto add_rollup = [&](RollupLevel level, uint32_t period,
                                uint32_t begin) -> absl::StatusOr<bool> {
      FLARE_ASSIGN(const std::optional<StackSums> sums,
                   ReadRollup(database_, {.level = level, .period = period, .series = series}));
      if (sums.has_value() && !sums->stacks.empty()) {
        summer->Add(*sums);
        *first = std::min(*first, uint64_t{begin} * kNanosPerHour);
      }
      return sums.has_value();
    };
    const auto chunks = database_.NewIterator(Family::kSamples);
    while (true) {
      const std::optional<uint32_t> next = NextHourOf(series, hour, chunks.get());
      if (!next.has_value() || *next > last)
        return absl::OkStatus();
      // A day that is asked for as a whole is begun at its begin.
      const uint32_t day_begin = *next - *next % kHoursPerDay;
      hour = day_begin >= hour ? day_begin : *next;
      if (hour % kHoursPerDay == 0 && is_whole(hour, kHoursPerDay)) {
        FLARE_ASSIGN(const bool has_day, add_rollup(RollupLevel::kDay, hour / kHoursPerDay, hour));
        if (has_day) {
          hour += kHoursPerDay;
          continue;
        }
      }
      hour = *next;
      const uint64_t begin = uint64_t{hour} * kNanosPerHour;
      const TimeRange rows = {.from = std::max(range.from, begin),
                              .to = std::min(range.to, begin + kNanosPerHour)};
      bool is_rolled = false;
      if (is_whole(hour, 1)) {
        FLARE_ASSIGN(is_rolled, add_rollup(RollupLevel::kHour, hour, hour));
      } else if (rows.from % kNanosPerMinute == 0 && rows.to % kNanosPerMinute == 0) {
        const auto minute = [&](uint64_t time) {
          return static_cast<uint32_t>((time - begin) / kNanosPerMinute);
        };
        FLARE_ASSIGN(is_rolled, AddRolledMinutes(database_, hour, series, minute(rows.from),
                                                 minute(rows.to), summer));
        if (is_rolled)
          *first = std::min(*first, begin);
      }
      if (!is_rolled)
        FLARE_RETURN_IF_ERROR(SumRows(series, rows, summer, first));
      ++hour;
    }
  }

  // Rows of one identity become one sample again.
  struct Identity {
    uint32_t stack = 0;
    ChunkAttributes attributes;
    std::optional<ChunkLink> link;
    friend auto operator<=>(const Identity&, const Identity&) = default;
  };
  struct Events {
    std::vector<int64_t> values;
    std::vector<uint64_t> times;
  };
  using Samples = std::map<Identity, Events>;

  absl::Status AddSamples(const StoredSeries& series) {
    std::map<ChunkProfile, Samples> profiles;
    const auto take = [&](uint32_t /*hour*/, const Chunk& chunk) -> absl::Status {
      for (const ChunkRow& row : chunk.rows) {
        if (!filter_.Accepts(chunk, row))
          continue;
        Identity identity = {
            .stack = row.stack, .attributes = chunk.attribute_sets[row.attributes], .link = {}};
        if (row.link != 0)
          identity.link = chunk.links[row.link - 1];
        Events& events = profiles[chunk.profiles[row.profile]][identity];
        FLARE_RETURN_IF_ERROR(
            size_.Add(AnswerSize::kEvent + (events.times.empty() ? AnswerSize::kSample : 0)));
        events.times.push_back(row.time);
        events.values.push_back(row.value);
      }
      return absl::OkStatus();
    };
    for (const TimeRange& range : Ranges(series.number)) {
      FLARE_RETURN_IF_ERROR(
          ForEachChunk(database_, series.number, range, ChunkColumns::kAll, take));
    }
    if (profiles.empty())
      return absl::OkStatus();
    const Place place = PlaceOf(series);
    for (const auto& [header, samples] : profiles)
      FLARE_RETURN_IF_ERROR(AddProfile(place, header, samples));
    return absl::OkStatus();
  }

  absl::Status AddProfile(const Place& place, const ChunkProfile& header, const Samples& samples) {
    model::Profile profile = place.profile;
    profile.time_unix_nano = header.time;
    profile.duration_nano = header.duration;
    profile.profile_id = header.profile_id;
    FLARE_ASSIGN(const auto attributes, loader_.Attributes(header.attributes));
    profile.attributes = builder_.dictionary().AttributeList(attributes);
    builder_.AddProfile(place.scope, profile);
    for (const auto& [identity, events] : samples) {
      FLARE_ASSIGN(const model::StackIndex stack, loader_.Stack(identity.stack));
      FLARE_ASSIGN(const auto set, loader_.Attributes(identity.attributes));
      model::Sample sample = {.stack = stack,
                              .attributes = builder_.dictionary().AttributeList(set)};
      if (identity.link.has_value()) {
        sample.link = builder_.dictionary().Link(
            {.trace_id = View(identity.link->trace_id), .span_id = View(identity.link->span_id)});
      }
      if (header.has_values || !header.has_timestamps)
        sample.values = builder_.Values(events.values);
      if (header.has_timestamps)
        sample.timestamps = builder_.Timestamps(events.times);
      builder_.AddSample(sample);
    }
    return absl::OkStatus();
  }

  const Database& database_;
  const ProfileQuery& query_;
  std::map<uint32_t, std::vector<uint32_t>> linked_;  // hours by series, of a query by trace
  RowFilter filter_;
  AnswerSize size_;
  model::BatchBuilder builder_;
  DictionaryLoader loader_;
};

}  // namespace

std::optional<HourSpan> StoredHours(const Database& database, Family family) {
  const auto at = database.NewIterator(family);
  at->SeekToFirst();
  if (!at->Valid())
    return std::nullopt;
  HourSpan span;
  span.first = base::ByteReader(ToView(at->key())).BigEndian<uint32_t>();
  at->SeekToLast();
  if (!at->Valid())
    return std::nullopt;
  span.last = base::ByteReader(ToView(at->key())).BigEndian<uint32_t>();
  return span;
}

absl::Status ForEachChunk(const Database& database, uint32_t series, TimeRange range,
                          ChunkColumns columns,
                          absl::FunctionRef<absl::Status(uint32_t, const Chunk&)> take) {
  const std::optional<HourSpan> stored = StoredHours(database);
  if (!stored.has_value() || range.from >= range.to)
    return absl::OkStatus();
  const auto at = database.NewIterator(Family::kSamples);
  const uint32_t last = std::min(stored->last, HourOf(range.to - 1));
  std::optional<uint32_t> hour =
      NextHourOf(series, std::max(stored->first, HourOf(range.from)), at.get());
  while (hour.has_value() && *hour <= last) {
    const std::string prefix = SamplePrefix(*hour, series);
    for (; at->Valid() && at->key().starts_with(ToSlice(prefix)); at->Next()) {
      Chunk chunk;
      FLARE_RETURN_IF_ERROR(DecodeChunk(ToView(at->value()), &chunk, columns));
      FLARE_RETURN_IF_ERROR(take(*hour, chunk));
    }
    hour = NextHourOf(series, *hour + 1, at.get());
  }
  return ToStatus(at->status());
}

void AddProfiles(uint32_t hour, const Chunk& chunk, TimeRange range,
                 absl::FunctionRef<void(const ChunkProfile&)> count) {
  for (const ChunkProfile& profile : chunk.profiles) {
    // A profile that spans two hours is in both, and counts where it begins.
    if (HourOf(profile.time) == hour && profile.time >= range.from && profile.time < range.to)
      count(profile);
  }
}

absl::StatusOr<model::Batch> ReadProfiles(const Database& database, const ProfileQuery& query) {
  return ProfileReader(database, query).Read();
}

}  // namespace flarestack::store::rocks

// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/profile_reader.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "base/hash.h"
#include "base/helper_pool.h"
#include "base/status.h"
#include "model/builder/batch_builder.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/database/read_control.h"
#include "store/rocks/dictionary/dictionary_loader.h"
#include "store/rocks/profiles/chunk_scan.h"
#include "store/rocks/profiles/gauge_average.h"
#include "store/rocks/profiles/hour_scan.h"
#include "store/rocks/profiles/range_sums.h"
#include "store/rocks/profiles/rollups.h"
#include "store/rocks/profiles/row_filter.h"
#include "store/rocks/profiles/sample_events.h"
#include "store/rocks/profiles/series_index.h"
#include "store/rocks/profiles/series_steps.h"

namespace flarestack::store::rocks {
namespace {

std::string_view View(const auto& id) { return {id.data(), id.size()}; }

// A heat map of an hour has 180,000 steps of 20 ms.
constexpr uint64_t kStepsMax = 1'000'000;

// The cached dictionary of a similar query: on the same series, with half to twice as many stacks.
// It then has neither many more nor many fewer entries than needed.
class KeptDictionary {
 public:
  KeptDictionary(const Database& database, const ProfileQuery& query,
                 const std::vector<StoredSeries>& series, size_t stack_count)
      : cache_(database.dictionaries()),
        is_wanted_(query.may_have_orphans),
        key_(static_cast<uint64_t>(std::bit_width(stack_count))),
        stack_count_(stack_count) {
    for (const StoredSeries& one : series)
      key_ = base::Mix64(key_, one.number);
  }

  void Begin(DictionaryLoader* loader) {
    if (!is_wanted_)
      return;
    const std::shared_ptr<const LoadedDictionary> before = cache_.Find(key_);
    // Stacks that are no longer queried accumulate over time.
    if (before == nullptr || before->dictionary.stacks.size() > kTooMany * stack_count_)
      return;
    kept_count_ = before->dictionary.stacks.size();
    loader->ContinueFrom(before);
  }

  size_t kept_count() const { return kept_count_; }  // of stacks

  // Caches the loaded dictionary if it has many new stacks.
  void End(const DictionaryLoader& loader, const model::Dictionary& dictionary) {
    const size_t new_count = dictionary.stacks.size() - kept_count_;
    const bool has_few = kept_count_ != 0 && new_count <= kept_count_ / kFew;
    if (!is_wanted_ || has_few || stack_count_ == 0)
      return;
    const uint64_t bytes = loader.LoadedBytes();
    if (bytes <= cache_.entry_bytes_max())
      cache_.Replace(key_, loader.Loaded(), bytes);
  }

 private:
  static constexpr size_t kTooMany = 4;
  static constexpr size_t kFew = 16;

  DictionaryCache& cache_;
  const bool is_wanted_;
  uint64_t key_;
  const size_t stack_count_;
  size_t kept_count_ = 0;
};

class ProfileReader {
 public:
  ProfileReader(const Database& database, const ProfileQuery& query)
      : database_(database),
        query_(query),
        control_(query),
        loader_(database, &builder_.dictionary()) {}

  absl::StatusOr<model::Batch> Read() {
    SeriesQuery of_series = query_.series;
    sample_matchers_ = TakeSampleMatchers(database_, &of_series.matchers);
    FLARE_ASSIGN(std::vector<StoredSeries> found, FindSeries(database_, of_series));
    KeepBestType(of_series.types, &found);
    FLARE_RETURN_IF_ERROR(FindLinked());
    if (!query_.spans.empty())
      std::erase_if(found, [&](const auto& series) { return !linked_.contains(series.number); });
    if (query_.detail == Detail::kSteps) {
      FLARE_RETURN_IF_ERROR(AddSteps(std::move(found)));
      return std::move(builder_).Finish();
    }
    if (query_.detail != Detail::kSamples) {
      FLARE_RETURN_IF_ERROR(AddSums(found));
      return std::move(builder_).Finish();
    }
    control_.SetParts(found.size());
    for (const StoredSeries& series : found) {
      if (!control_.is_stopped())
        FLARE_RETURN_IF_ERROR(AddSamples(series));
    }
    return std::move(builder_).Finish();
  }

 private:
  // Whether all samples of a series and range count.
  bool can_use_rollups() const { return rows_wanted().are_all(); }
  RowsWanted rows_wanted() const { return {.query = query_, .sample_matchers = sample_matchers_}; }

  // Finds the series and hours that may have samples of the traces, so that only those are read.
  absl::Status FindLinked() {
    if (query_.spans.empty())
      return absl::OkStatus();
    std::set<std::string> prefixes;
    for (const SpanRef& span : query_.spans)
      prefixes.insert(LinkPrefix(span.trace_id));
    const auto take = [&](std::string_view key, std::string_view) {
      if (const auto link = LinkKey::Decode(key); link.has_value())
        linked_[link->series].insert(link->hour);
      return absl::OkStatus();
    };
    const auto on_progress = [] { return true; };
    for (const std::string& prefix : prefixes) {
      FLARE_RETURN_IF_ERROR(FindInHours(
          database_, {.family = Family::kLinks, .range = query_.range, .prefix = prefix},
          {.take = take, .on_progress = on_progress}));
    }
    return absl::OkStatus();
  }

  // The parts of the range to read for a series.
  std::vector<TimeRange> Ranges(uint32_t series) const {
    if (query_.spans.empty())
      return {query_.range};
    std::vector<TimeRange> ranges;
    for (const uint32_t hour : linked_.at(series)) {
      ranges.push_back({.from = std::max(query_.range.from, uint64_t{hour} * kNanosPerHour),
                        .to = std::min(query_.range.to, (uint64_t{hour} + 1) * kNanosPerHour)});
    }
    return ranges;
  }

  // The resource and scope of a series, and the fields that all its profiles share.
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

  // A part of a series that one thread sums.
  struct Piece {
    size_t series = 0;  // index into the found series
    TimeRange range;
    RangeSums sums;
  };

  // Splits by series and, if there are fewer series than threads, by hours.
  std::vector<Piece> Pieces(const std::vector<StoredSeries>& found) const {
    const auto threads = std::max<size_t>(1, std::thread::hardware_concurrency());
    const std::optional<HourSpan> stored = StoredHours(database_);
    std::vector<Piece> pieces;
    for (size_t i = 0; stored.has_value() && i < found.size(); ++i) {
      if (!query_.spans.empty()) {
        for (const TimeRange& range : Ranges(found[i].number))
          pieces.push_back({.series = i, .range = range, .sums = {}});
        continue;
      }
      const uint64_t begin = std::max(query_.range.from, uint64_t{stored->first} * kNanosPerHour);
      const uint64_t end = std::min(query_.range.to, (uint64_t{stored->last} + 1) * kNanosPerHour);
      if (begin >= end)
        continue;
      const uint64_t hours = HourOf(end - 1) - HourOf(begin) + 1;
      const uint64_t count = found.size() >= threads ? 1 : std::min<uint64_t>(threads, hours);
      uint64_t from = query_.range.from;
      for (uint64_t part = 1; part <= count; ++part) {
        uint64_t cut = HourOf(begin) + hours * part / count;
        if (hours > uint64_t{2} * kHoursPerDay)
          cut -= cut % kHoursPerDay;  // never split a day, because it has a roll-up
        const uint64_t to = part == count ? query_.range.to : cut * kNanosPerHour;
        pieces.push_back({.series = i, .range = {.from = from, .to = to}, .sums = {}});
        from = to;
      }
    }
    return pieces;
  }

  absl::Status AddSums(const std::vector<StoredSeries>& found) {
    std::vector<Piece> pieces = Pieces(found);
    control_.SetParts(pieces.size());
    const auto sum = [&](size_t i) -> absl::Status {
      Piece& piece = pieces[i];
      if (control_.is_stopped())
        return absl::OkStatus();
      RowFilter filter(database_, query_, sample_matchers_);
      const SumRequest request = {.series = found[piece.series].number,
                                  .range = piece.range,
                                  .can_use_rollups = can_use_rollups()};
      FLARE_RETURN_IF_ERROR(SumRange(database_, request, &filter, &control_, &piece.sums));
      control_.OnProgress(0, 1);
      return absl::OkStatus();
    };
    FLARE_RETURN_IF_ERROR(base::ParallelFor(pieces.size(), sum));
    FLARE_RETURN_IF_ERROR(AverageGauges(found, &pieces));
    return query_.detail == Detail::kMerged ? WriteMerged(found, &pieces)
                                            : WriteBySeries(found, &pieces);
  }

  // Turns the sums of gauges into averages, collecting each series in its first piece.
  absl::Status AverageGauges(const std::vector<StoredSeries>& found, std::vector<Piece>* pieces) {
    std::vector<StoredSeries> gauges;
    std::vector<size_t> first_pieces;
    for (size_t i = 0; i < pieces->size(); ++i) {
      Piece& piece = (*pieces)[i];
      if (!IsGauge(found[piece.series]))
        continue;
      if (!first_pieces.empty() && (*pieces)[first_pieces.back()].series == piece.series) {
        AddPiece(piece.sums, &(*pieces)[first_pieces.back()].sums);
        piece.sums = {};
      } else {
        first_pieces.push_back(i);
        gauges.push_back({.number = found[piece.series].number, .envelope = {}});
      }
    }
    FLARE_ASSIGN(const std::vector<double> shares,
                 ReadSharesOfTime(database_, gauges, query_, &control_));
    for (size_t i = 0; i < gauges.size(); ++i) {
      StackSummer& summer = (*pieces)[first_pieces[i]].sums.summer;
      StackSums sums = std::move(summer).Finish();
      AverageSums(shares[i], &sums);
      summer = {};
      summer.Add(sums);
    }
    return absl::OkStatus();
  }

  absl::Status WriteBySeries(const std::vector<StoredSeries>& found, std::vector<Piece>* pieces) {
    for (size_t i = 0; i < pieces->size();) {
      const size_t series = (*pieces)[i].series;
      RangeSums sums = std::move((*pieces)[i].sums);
      for (++i; i < pieces->size() && (*pieces)[i].series == series; ++i)
        AddPiece((*pieces)[i].sums, &sums);
      if (!sums.summer.empty())
        FLARE_RETURN_IF_ERROR(WriteSums(PlaceOf(found[series]), std::move(sums)));
    }
    return absl::OkStatus();
  }

  // Merges series with the same type and period into one profile.
  absl::Status WriteMerged(const std::vector<StoredSeries>& found, std::vector<Piece>* pieces) {
    using Kind = std::tuple<std::string, std::string, std::string, std::string, int64_t>;
    std::map<Kind, RangeSums> by_kind;
    for (Piece& piece : *pieces) {
      // A profile may begin in this piece and have all its samples in the next.
      if (piece.sums.summer.empty() && piece.sums.summer.sums().profile_count == 0)
        continue;
      const Series series = Describe(found[piece.series].envelope);
      const auto [at, is_new] = by_kind.try_emplace(
          {series.type, series.unit, series.period_type, series.period_unit, series.period});
      if (is_new) {
        at->second = std::move(piece.sums);
      } else {
        AddPiece(piece.sums, &at->second);
      }
    }
    std::erase_if(by_kind, [](const auto& kind) { return kind.second.summer.empty(); });
    size_t stack_count = 0;
    for (const auto& [kind, sums] : by_kind)
      stack_count += sums.summer.sums().stacks.size();
    KeptDictionary kept(database_, query_, found, stack_count);
    kept.Begin(&loader_);
    if (kept.kept_count() != 0)
      FLARE_RETURN_IF_ERROR(control_.Hold(kept.kept_count() * ReadControl::kStack));
    const model::ScopeId scope = builder_.AddScope(builder_.AddResource({}), {});
    for (auto& [kind, sums] : by_kind) {
      const auto& [type, unit, period_type, period_unit, period] = kind;
      model::DictionaryBuilder& to = builder_.dictionary();
      const Place place = {
          .scope = scope,
          .profile = {
              .sample_type = {.type = to.String(type), .unit = to.String(unit)},
              .period_type = {.type = to.String(period_type), .unit = to.String(period_unit)},
              .period = period}};
      FLARE_RETURN_IF_ERROR(WriteSums(place, std::move(sums)));
    }
    kept.End(loader_, builder_.dictionary().dictionary());
    return absl::OkStatus();
  }

  static void AddPiece(const RangeSums& from, RangeSums* to) {
    to->summer.Add(from.summer.sums());
    to->first_nanos = std::min(to->first_nanos, from.first_nanos);
  }

  absl::Status WriteSums(Place place, RangeSums from) {
    const StackSums sums = std::move(from.summer).Finish();
    place.profile.time_unix_nano = std::max(from.first_nanos, query_.range.from);
    place.profile.duration_nano = sums.duration_nanos;
    builder_.AddProfile(place.scope, place.profile);
    builder_.ReserveSamples(builder_.batch().samples.size() + sums.stacks.size());
    FLARE_RETURN_IF_ERROR(control_.Hold(sums.stacks.size() * ReadControl::kStack));
    for (const StackSum& sum : sums.stacks) {
      FLARE_ASSIGN(const model::StackIndex stack, loader_.Stack(sum.stack));
      builder_.AddSample({.stack = stack, .values = builder_.Values({{sum.value}})});
    }
    return absl::OkStatus();
  }

  absl::Status AddSteps(std::vector<StoredSeries> found) {
    if (query_.step_nanos == 0 ||
        (query_.range.to - query_.range.from) / query_.step_nanos >= kStepsMax)
      return absl::InvalidArgumentError(base::StrCat("more than ", kStepsMax, " steps"));
    control_.SetParts(found.size());
    const auto gauges = std::stable_partition(found.begin(), found.end(), std::not_fn(IsGauge));
    const std::span<const StoredSeries> all(found);
    const auto counter_count = static_cast<size_t>(gauges - found.begin());
    FLARE_RETURN_IF_ERROR(AddCounterSteps(all.first(counter_count)));
    return AddGaugeSteps(all.subspan(counter_count));
  }

  absl::Status AddCounterSteps(std::span<const StoredSeries> series) {
    const SeriesStepsRequest request = {.series = series,
                                        .range = query_.range,
                                        .step_nanos = query_.step_nanos,
                                        .without_stacks = query_.without_stacks};
    FLARE_ASSIGN(const std::vector<StepSums> sums,
                 SumSeriesSteps(database_, request, rows_wanted(), &control_));
    return WriteAllSteps(series, sums);
  }

  absl::Status AddGaugeSteps(std::span<const StoredSeries> series) {
    const uint64_t steps_before =
        std::min<uint64_t>(StepsBefore(query_.step_nanos), query_.range.from / query_.step_nanos);
    const SeriesStepsRequest request = {
        .series = series,
        .range = {.from = query_.range.from - steps_before * query_.step_nanos,
                  .to = query_.range.to},
        .step_nanos = query_.step_nanos,
        .without_stacks = query_.without_stacks,
        .counts_profiles = true};
    FLARE_ASSIGN(std::vector<StepSums> sums,
                 SumSeriesSteps(database_, request, rows_wanted(), &control_));
    for (StepSums& one : sums)
      AverageSteps(query_.step_nanos, static_cast<uint32_t>(steps_before), &one);
    return WriteAllSteps(series, sums);
  }

  absl::Status WriteAllSteps(std::span<const StoredSeries> series, std::span<const StepSums> sums) {
    for (size_t i = 0; i < series.size(); ++i) {
      if (!sums[i].empty())
        FLARE_RETURN_IF_ERROR(WriteSteps(PlaceOf(series[i]), sums[i]));
    }
    return absl::OkStatus();
  }

  absl::Status WriteSteps(Place place, const StepSums& sums) {
    place.profile.time_unix_nano = query_.range.from;
    place.profile.duration_nano = query_.range.to - query_.range.from;
    builder_.AddProfile(place.scope, place.profile);
    std::vector<int64_t> values;
    std::vector<uint64_t> times;
    values.reserve(sums.of_all.size());
    times.reserve(sums.of_all.size());
    const auto add = [&](uint32_t step, int64_t value) {
      values.push_back(value);
      times.push_back(query_.range.from + step * query_.step_nanos);
    };
    const auto write = [&](model::StackIndex stack) {
      builder_.AddSample({.stack = stack,
                          .values = builder_.Values(values),
                          .timestamps = builder_.Timestamps(times)});
      values.clear();
      times.clear();
    };
    for (uint32_t step = 0; step < sums.of_all.size(); ++step) {
      if (sums.of_all[step] != 0)
        add(step, sums.of_all[step]);
    }
    if (!times.empty())
      write({});
    std::vector<std::pair<std::pair<uint32_t, uint32_t>, int64_t>> sorted(sums.by_stack.begin(),
                                                                          sums.by_stack.end());
    std::ranges::sort(sorted);
    for (size_t i = 0; i < sorted.size();) {
      const uint32_t number = sorted[i].first.first;
      for (; i < sorted.size() && sorted[i].first.first == number; ++i)
        add(sorted[i].first.second, sorted[i].second);
      FLARE_RETURN_IF_ERROR(control_.Hold(ReadControl::kStack));
      FLARE_ASSIGN(const model::StackIndex stack, loader_.Stack(number));
      write(stack);
    }
    return absl::OkStatus();
  }

  absl::Status AddSamples(const StoredSeries& series) {
    SamplesByProfile profiles;
    RowFilter filter(database_, query_, sample_matchers_);
    const auto take = [&](uint32_t /*hour*/, const Chunk& chunk) -> absl::Status {
      if (!control_.OnProgress(chunk.rows.size()))
        return absl::OkStatus();
      FLARE_RETURN_IF_ERROR(filter.Enter(chunk));
      return AddEvents(chunk, query_.range, filter, &control_, &profiles);
    };
    for (const TimeRange& range : Ranges(series.number)) {
      FLARE_RETURN_IF_ERROR(
          ForEachChunk(database_, series.number, range, ChunkColumns::kAll, take));
    }
    control_.OnProgress(0, 1);
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
  std::map<uint32_t, std::set<uint32_t>> linked_;  // hours by series, for a query by spans
  std::vector<Matcher> sample_matchers_;
  ReadControl control_;
  model::BatchBuilder builder_;
  DictionaryLoader loader_;
};

}  // namespace

absl::StatusOr<model::Batch> ReadProfiles(const Database& database, const ProfileQuery& query) {
  return ProfileReader(database, query).Read();
}

}  // namespace flarestack::store::rocks

// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/profile_writer.h"

#include <algorithm>
#include <utility>

#include "base/byte_reader.h"
#include "base/status.h"
#include "store/rocks/database/chunk_merge.h"
#include "store/rocks/profiles/rollups.h"

namespace flarestack::store::rocks {
namespace {

// A chunk is decoded as a whole, so its size must be capped.
constexpr uint32_t kRowsPerChunkMax = 256 * 1024;
// A message is written in pieces, because rows use several times the bytes they arrived in.
constexpr size_t kRowsPerPieceMax = kRowsPerChunkMax / 2;
constexpr size_t kHoursPerPieceMax = 1024;
constexpr size_t kFillsMax = 1 << 20;
constexpr size_t kFreshIdsMax = 1 << 16;
constexpr size_t kTraceIdBytes = 16;
constexpr size_t kSpanIdBytes = 8;

// The grid of the sample times, if the profile defines one.
uint64_t GridOf(const ProfilePath& path) {
  const model::Profile& profile = path.profile;
  const bool is_time = path.batch.dictionary.Text(profile.period_type.unit) == "nanoseconds";
  return is_time && profile.period > 1 ? static_cast<uint64_t>(profile.period) : 1;
}

bool IsLink(const model::Link& link) {
  return link.trace_id.size() == kTraceIdBytes && link.span_id.size() == kSpanIdBytes;
}

ChunkLink ToChunkLink(const model::Link& link) {
  ChunkLink copy;
  std::ranges::copy(link.trace_id, copy.trace_id.begin());
  std::ranges::copy(link.span_id, copy.span_id.begin());
  return copy;
}

// Marks everything that the profiles to be written refer to.
void NeedAll(const model::Batch& batch, model::DictionaryMerger* merger) {
  for (const model::Profile& profile : batch.profiles)
    merger->NeedAttributes(profile.attributes);
  for (const model::Sample& sample : batch.samples) {
    merger->Need(sample.stack);
    merger->NeedAttributes(sample.attributes);
  }
}

}  // namespace

void ProfileWriter::Forget() {
  series_.Forget();
  last_minutes_.clear();
  fresh_ids_.clear();
  earlier_ids_.clear();
}

absl::StatusOr<AppendedProfiles> ProfileWriter::Write(const model::Batch& batch, Changes* changes) {
  AppendedProfiles appended;
  model::DictionaryMerger merger(batch.dictionary, interner_.entries());
  NeedAll(batch, &merger);
  merger.Run();
  FLARE_RETURN_IF_ERROR(interner_.NumberNewEntries(changes));
  for (const model::Resource& resource : batch.resources) {
    for (const model::Scope& scope : model::In(batch.scopes, resource.scopes)) {
      for (const model::Profile& profile : model::In(batch.profiles, scope.profiles)) {
        FLARE_ASSIGN(const bool is_stored, IsStored(profile, changes));
        if (is_stored) {
          ++appended.duplicate_profiles;
          continue;
        }
        const ProfilePath path = {batch, resource, scope, profile};
        const auto numbered = series_.Number(path, changes);
        if (absl::IsResourceExhausted(numbered.status())) {
          ++appended.rejected_profiles;
          continue;
        }
        FLARE_ASSIGN(const uint32_t series, numbered);
        appended.samples += WriteRows(path, series, &merger, changes);
      }
    }
  }
  return appended;
}

absl::StatusOr<bool> ProfileWriter::IsStored(const model::Profile& profile, Changes* changes) {
  const std::string_view profile_id = profile.profile_id;
  if (profile_id.size() != 16 || profile_id.find_first_not_of('\0') == std::string_view::npos)
    return false;
  std::string id(profile_id);
  if (fresh_ids_.contains(id) || earlier_ids_.contains(id))
    return true;
  // A resent profile has the same time.
  const std::string key = EncodeProfileId(HourOf(profile.time_unix_nano), profile_id);
  FLARE_ASSIGN(const std::optional<std::string> known, database_.Get(Family::kProfileIds, key));
  if (known.has_value())
    return true;
  if (fresh_ids_.size() >= kFreshIdsMax)
    earlier_ids_ = std::exchange(fresh_ids_, {});
  fresh_ids_.insert(std::move(id));
  changes->Put(Family::kProfileIds, key, {});
  return false;
}

uint64_t ProfileWriter::WriteRows(const ProfilePath& path, uint32_t series,
                                  model::DictionaryMerger* merger, Changes* changes) {
  HourChunks hours;
  uint64_t rows = 0;
  uint64_t first_time = UINT64_MAX;  // of the rows
  const model::Batch& batch = path.batch;
  const model::Profile& profile = path.profile;
  const auto add = [&](uint64_t time, int64_t value, const ChunkProfile& header,
                       const model::Link& link, const ChunkAttributes& attributes, ChunkRow row) {
    if (hours.size() >= kHoursPerPieceMax)
      MergeChunks(series, &hours, changes);
    Chunk& chunk = hours[HourOf(time)];
    ++rows;
    first_time = std::min(first_time, time);
    if (chunk.profiles.empty())
      chunk.period = GridOf(path);
    // Samples of one shape share a header, and nearly all profiles have a single shape.
    if (chunk.profiles.empty() || chunk.profiles.back() != header)
      chunk.profiles.push_back(header);
    row.profile = static_cast<uint32_t>(chunk.profiles.size() - 1);
    if (IsLink(link)) {
      const ChunkLink copy = ToChunkLink(link);
      if (chunk.links.empty() || chunk.links.back() != copy)
        chunk.links.push_back(copy);
      row.link = static_cast<uint32_t>(chunk.links.size());
    }
    // The rows of a sample share its set. Canonicalize merges equal sets of other samples.
    if (chunk.attribute_sets.back() != attributes)
      chunk.attribute_sets.push_back(attributes);
    row.attributes = static_cast<uint32_t>(chunk.attribute_sets.size() - 1);
    row.time = time;
    row.value = value;
    chunk.rows.push_back(row);
    if (chunk.rows.size() >= kRowsPerPieceMax) {
      MergeChunk(series, HourOf(time), &chunk, changes);
      chunk = {};
    }
  };
  ChunkProfile header = {
      .time = profile.time_unix_nano,
      .duration = profile.duration_nano,
      .attributes = interner_.Numbers(merger->MapAttributes(profile.attributes)),
      .profile_id = std::string(profile.profile_id.size() == 16 ? profile.profile_id : "")};
  for (const model::Sample& sample : model::In(batch.samples, profile.samples)) {
    const ChunkAttributes attributes = interner_.Numbers(merger->MapAttributes(sample.attributes));
    const auto values = model::In(batch.values, sample.values);
    const auto times = model::In(batch.timestamps, sample.timestamps);
    header.has_timestamps = !times.empty();
    header.has_values = !values.empty();
    const ChunkRow row = {.stack = interner_.Number(merger->Map(sample.stack))};
    const model::Link& link = batch.dictionary.links[sample.link.value];
    for (size_t i = 0; i < std::max(values.size(), times.size()); ++i) {
      add(times.empty() ? profile.time_unix_nano : times[i], values.empty() ? 1 : values[i], header,
          sample.link ? link : model::Link{}, attributes, row);
    }
  }
  // A profile counts in the hour in which it begins, even if all its rows are in the next one.
  const uint64_t begin = profile.time_unix_nano;
  if (rows != 0 && HourOf(begin) < HourOf(first_time) &&
      first_time - begin <= profile.duration_nano) {
    Chunk& chunk = hours[HourOf(begin)];
    chunk.period = GridOf(path);
    chunk.profiles.push_back(header);
  }
  MergeChunks(series, &hours, changes);
  return rows;
}

void ProfileWriter::MergeChunks(uint32_t series, HourChunks* hours, Changes* changes) {
  for (auto& [hour, chunk] : *hours) {
    if (!chunk.profiles.empty())
      MergeChunk(series, hour, &chunk, changes);
  }
  hours->clear();
}

void ProfileWriter::MergeChunk(uint32_t series, uint32_t hour, Chunk* chunk, Changes* changes) {
  Canonicalize(chunk);
  if (!chunk->rows.empty()) {
    const uint64_t last = std::ranges::max(chunk->rows, {}, &ChunkRow::time).time;
    NoteMinute(series, static_cast<uint32_t>(last / kNanosPerMinute), changes);
  }
  const SampleKey key = {
      .hour = hour, .series = series, .part = PartFor(series, hour, chunk->rows.size())};
  changes->Merge(Family::kSamples, key.Encode(), EncodeChunk(*chunk));
  if (hour <= rolled_hour)
    DropRollups(hour, series, changes);
  for (const ChunkLink& link : chunk->links) {
    const LinkKey link_key = {.hour = hour,
                              .prefix = LinkPrefix({link.trace_id.data(), link.trace_id.size()}),
                              .series = series};
    changes->Put(Family::kLinks, link_key.Encode(), {});
  }
}

// The next minute corrects a lost or late note, so a failed read is ignored.
void ProfileWriter::NoteMinute(uint32_t series, uint32_t minute, Changes* changes) {
  const auto [at, is_new] = last_minutes_.try_emplace(series, 0);
  if (is_new)
    at->second = LastMinuteOf(database_, series);
  if (minute <= at->second)
    return;
  at->second = minute;
  std::string note;
  base::AppendBigEndian(minute, &note);
  changes->Put(Family::kMeta, SeenKey(series), note);
}

// The part after the stored ones, because it is not known here how full those are.
uint16_t ProfileWriter::FirstPart(uint32_t series, uint32_t hour) const {
  const ReadingPieces pieces;
  const auto at = database_.NewIterator(Family::kSamples);
  at->SeekForPrev(ToSlice(SampleKey{.hour = hour, .series = series, .part = UINT16_MAX}.Encode()));
  const auto last = at->Valid() ? SampleKey::Decode(ToView(at->key())) : std::nullopt;
  if (!last.has_value() || last->hour != hour || last->series != series)
    return 0;
  return static_cast<uint16_t>(last->part < UINT16_MAX ? last->part + 1 : UINT16_MAX);
}

uint16_t ProfileWriter::PartFor(uint32_t series, uint32_t hour, size_t rows) {
  if (fills_.size() > kFillsMax)
    fills_.clear();
  const auto [at, is_new] = fills_.try_emplace(uint64_t{hour} << 32 | series);
  Fill& fill = at->second;
  if (is_new)
    fill.part = FirstPart(series, hour);
  if (fill.rows > 0 && fill.rows + rows > kRowsPerChunkMax && fill.part < UINT16_MAX) {
    ++fill.part;
    fill.rows = 0;
  }
  fill.rows += static_cast<uint32_t>(rows);
  return fill.part;
}

}  // namespace flarestack::store::rocks

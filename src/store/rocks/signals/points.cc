// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/signals/signals.h"

#include <algorithm>
#include <map>

#include "base/byte_reader.h"
#include "base/hash.h"
#include "base/status.h"
#include "codec/otlp/signals/metrics_protobuf.h"
#include "model/attribute_text.h"
#include "store/rocks/database/read_control.h"
#include "store/rocks/signals/signal_envelope.h"

namespace flarestack::store::rocks {
namespace {

using codec::wire::ReverseWriter;

// Estimated bytes per point while reading, besides its text: the stored string and the decoded
// point.
constexpr uint64_t kPointBytes = sizeof(std::string) + sizeof(model::HistogramPoint);

// A stored series: the numbers of resource and scope, the metric without points, and the attributes
// as a point that has nothing else.
struct SeriesRecord {
  uint32_t resource = 0;
  uint32_t scope = 0;
  std::string metric;
  std::string attributes;

  std::string Encode() const {
    std::string bytes;
    base::AppendVarint(resource, &bytes);
    base::AppendVarint(scope, &bytes);
    base::AppendBytes(metric, &bytes);
    base::AppendBytes(attributes, &bytes);
    return bytes;
  }
  static absl::StatusOr<SeriesRecord> Decode(std::string_view bytes) {
    base::ByteReader in(bytes);
    SeriesRecord record;
    record.resource = in.Varint32();
    record.scope = in.Varint32();
    record.metric = in.Bytes();
    record.attributes = in.Bytes();
    if (!in.AtEnd())
      return absl::DataLossError("a stored metric series is corrupt");
    return record;
  }
};

class PointWriter {
 public:
  PointWriter(const model::MetricBatch& batch, uint64_t series_max, Interner* interner,
              Changes* changes)
      : batch_(batch), series_max_(series_max), interner_(*interner), changes_(*changes) {}

  // Returns how many points were rejected.
  absl::StatusOr<uint64_t> Write() {
    for (const model::Resource& resource : batch_.resources) {
      FLARE_ASSIGN(record_.resource, NumberResource(batch_, resource, &interner_, &changes_));
      for (const model::ItemScope& scope : model::In(batch_.scopes, resource.scopes)) {
        FLARE_ASSIGN(record_.scope, NumberScope(batch_, scope, &interner_, &changes_));
        for (const model::Metric& metric : model::In(batch_.metrics, scope.items))
          FLARE_RETURN_IF_ERROR(WriteMetric(metric));
      }
    }
    return left_out_;
  }

 private:
  absl::Status WriteMetric(const model::Metric& metric) {
    record_.metric = EncodeToString(
        [&](ReverseWriter* out) { codec::otlp::EncodeMetricHead(batch_, metric, out); });
    switch (metric.kind) {
      case model::MetricKind::kNone:
        return absl::OkStatus();
      case model::MetricKind::kGauge:
      case model::MetricKind::kSum:
        return WriteAll(metric, model::In(batch_.number_points, metric.points));
      case model::MetricKind::kHistogram:
        return WriteAll(metric, model::In(batch_.histogram_points, metric.points));
      case model::MetricKind::kExponentialHistogram:
        return WriteAll(metric, model::In(batch_.exponential_histogram_points, metric.points));
      case model::MetricKind::kSummary:
        return WriteAll(metric, model::In(batch_.summary_points, metric.points));
    }
    return absl::OkStatus();
  }

  template <typename P>
  absl::Status WriteAll(const model::Metric& metric, std::span<const P> points) {
    for (const P& point : points) {
      record_.attributes = SortedAttributes(point.attributes);
      const auto numbered = Series(metric);
      if (absl::IsResourceExhausted(numbered.status())) {
        ++left_out_;
        continue;
      }
      FLARE_ASSIGN(const uint32_t series, numbered);
      P bare = point;
      bare.attributes = {};
      const PointKey key = {
          .hour = HourOf(point.time_unix_nano), .series = series, .time = point.time_unix_nano};
      changes_.Put(Family::kPoints, key.Encode(), EncodeToString([&](ReverseWriter* out) {
                     codec::otlp::EncodePoint(batch_, bare, out);
                   }));
    }
    return absl::OkStatus();
  }

  // Encodes the attributes as a point that has nothing else, sorted by key: senders may use any
  // order, and the series is the same. Concatenated protobuf messages are a message with the fields
  // of both.
  std::string SortedAttributes(model::Slice attributes) const {
    std::vector<std::pair<std::string_view, std::string>> entries;
    for (uint32_t i = attributes.begin; i < attributes.end(); ++i) {
      model::NumberPoint point;
      point.attributes = {.begin = i, .count = 1};
      entries.emplace_back(batch_.nodes[i].key, EncodeToString([&](ReverseWriter* out) {
                             codec::otlp::EncodePoint(batch_, point, out);
                           }));
    }
    std::ranges::sort(entries);
    std::string bytes;
    for (const auto& [key, encoded] : entries)
      bytes += encoded;
    return bytes;
  }

  absl::StatusOr<uint32_t> Series(const model::Metric& metric) {
    const std::string bytes = record_.Encode();
    bool is_new = false;
    FLARE_ASSIGN(const uint32_t number,
                 interner_.NumberOnce(Table::kMetric, bytes, &changes_, &is_new, series_max_));
    if (is_new) {
      changes_.Put(Family::kMetrics, SeriesKey(number), bytes);
      changes_.Put(Family::kMetricPostings, EncodePosting("name", metric.name, number), {});
    }
    return number;
  }

  const model::MetricBatch& batch_;
  const uint64_t series_max_;
  uint64_t left_out_ = 0;
  Interner& interner_;
  Changes& changes_;
  SeriesRecord record_;  // of the current point
};

// The metric of a series, and its attributes as those of a point.
absl::StatusOr<model::MetricBatch> DecodeSeries(const SeriesRecord& record) {
  model::MetricBatch batch;
  FLARE_RETURN_IF_ERROR(codec::otlp::DecodeMetric(record.metric, {}, &batch));
  FLARE_RETURN_IF_ERROR(codec::otlp::DecodeNumberPoint(record.attributes, {}, &batch));
  return batch;
}

std::vector<std::pair<std::string, std::string>> TextsOf(const model::SignalBatch& batch,
                                                         model::Slice attributes) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const model::KeyValue& node : model::In(batch.nodes, attributes))
    texts.emplace_back(node.key, model::AttributeText(batch, node.value));
  return texts;
}

// Reads back one series. Its metric and attributes are in the batch under construction.
class PointReader {
 public:
  PointReader(const Database& database, const MetricQuery& query)
      : database_(database), query_(query) {}

  absl::StatusOr<model::MetricBatch> Read() {
    FLARE_RETURN_IF_ERROR(FindSeries());
    FLARE_RETURN_IF_ERROR(FindPoints());
    model::MetricBatch batch;
    std::vector<StoredItem> items;
    for (auto& [number, series] : series_) {
      if (!series.points.empty())
        items.push_back({.resource = series.record.resource,
                         .scope = series.record.scope,
                         .bytes = SeriesKey(number)});
    }
    FLARE_RETURN_IF_ERROR(Assemble(
        database_, std::move(items),
        [&](std::string_view number) { return AddSeries(number, &batch); }, &batch));
    return batch;
  }

  absl::StatusOr<std::vector<MetricSeries>> List() {
    FLARE_RETURN_IF_ERROR(FindSeries());
    std::vector<MetricSeries> list;
    for (const auto& [number, series] : series_) {
      absl::StatusOr<MetricSeries> listed = Describe(series.record);
      if (absl::IsNotFound(listed.status()))  // its resource expired with its last points
        continue;
      FLARE_RETURN_IF_ERROR(listed.status());
      list.push_back(*std::move(listed));
    }
    std::ranges::stable_sort(list, {}, &MetricSeries::name);
    if (list.size() > query_.limit)
      list.resize(query_.limit);
    return list;
  }

 private:
  struct StoredSeries {
    SeriesRecord record;
    std::vector<std::string> points;
  };

  absl::StatusOr<MetricSeries> Describe(const SeriesRecord& record) const {
    FLARE_ASSIGN(model::MetricBatch batch, DecodeSeries(record));
    FLARE_RETURN_IF_ERROR(LoadResource(database_, record.resource, &batch));
    const model::Metric& metric = batch.metrics[0];
    return MetricSeries{.name = std::string(metric.name),
                        .unit = std::string(metric.unit),
                        .description = std::string(metric.description),
                        .kind = metric.kind,
                        .temporality = metric.temporality,
                        .is_monotonic = metric.is_monotonic,
                        .resource_attributes = TextsOf(batch, batch.resources[0].attributes),
                        .point_attributes = TextsOf(batch, batch.number_points[0].attributes)};
  }

  absl::Status FindSeries() {
    const std::string prefix =
        query_.name.empty() ? PostingPrefix("name") : PostingPrefix("name", query_.name);
    const auto at = database_.NewIterator(Family::kMetricPostings);
    for (at->Seek(ToSlice(prefix)); at->Valid() && at->key().starts_with(ToSlice(prefix));
         at->Next()) {
      if (!control_.OnProgress())
        return absl::OkStatus();
      const auto posting = DecodePosting("name", ToView(at->key()));
      if (!posting.has_value())
        continue;
      FLARE_ASSIGN(const std::optional<std::string> bytes,
                   database_.Get(Family::kMetrics, SeriesKey(posting->series)));
      if (!bytes.has_value())
        continue;
      FLARE_ASSIGN(SeriesRecord record, SeriesRecord::Decode(*bytes));
      FLARE_ASSIGN(const bool accepts, Accepts(record));
      if (accepts)
        series_[posting->series].record = std::move(record);
    }
    return ToStatus(at->status());
  }

  // A matcher whose key the point has applies to the point, others to the resource.
  absl::StatusOr<bool> Accepts(const SeriesRecord& record) {
    FLARE_ASSIGN(const model::MetricBatch batch, DecodeSeries(record));
    if (!query_.name.empty() && batch.metrics[0].name != query_.name)
      return false;
    const model::Slice attributes = batch.number_points[0].attributes;
    std::vector<Matcher> of_resource;
    for (const Matcher& matcher : query_.matchers) {
      const model::AnyValue* value = model::FindAttribute(batch, attributes, matcher.key());
      if (value == nullptr)
        of_resource.push_back(matcher);
      else if (!matcher.Accepts(model::AttributeText(batch, *value)))
        return false;
    }
    const absl::StatusOr<bool> accepts =
        ResourceFilter(database_, std::move(of_resource)).Accepts(record.resource);
    return absl::IsNotFound(accepts.status()) ? false : accepts;
  }

  // Reads only the found series in each hour, and skips the keys between them.
  absl::Status FindPoints() {
    if (query_.range.from >= query_.range.to)
      return absl::OkStatus();
    const uint32_t last = HourOf(query_.range.to - 1);
    const auto at = database_.NewIterator(Family::kPoints);
    at->Seek(ToSlice(SamplePrefix(HourOf(query_.range.from))));
    while (at->Valid() && taken_ < query_.limit && control_.OnProgress()) {
      const auto key = PointKey::Decode(ToView(at->key()));
      if (!key.has_value())
        return absl::DataLossError("a stored metric point is corrupt");
      if (key->hour > last)
        break;
      const auto series = series_.lower_bound(key->series);
      if (series == series_.end()) {
        at->Seek(ToSlice(SamplePrefix(key->hour + 1)));
      } else if (series->first != key->series) {
        at->Seek(ToSlice(PointKey{.hour = key->hour, .series = series->first}.Encode()));
      } else {
        FLARE_RETURN_IF_ERROR(Take(key->time, ToView(at->value()), &series->second));
        at->Next();
      }
    }
    return ToStatus(at->status());
  }

  absl::Status Take(uint64_t time, std::string_view value, StoredSeries* series) {
    if (time < query_.range.from || time >= query_.range.to)
      return absl::OkStatus();
    series->points.emplace_back(value);
    taken_bytes_ += kPointBytes + 2 * value.size();
    ++taken_;
    return control_.Hold(taken_bytes_);
  }

  absl::Status AddSeries(std::string_view number_bytes, model::MetricBatch* batch) {
    const StoredSeries& series = series_[base::ByteReader(number_bytes).BigEndian<uint32_t>()];
    const auto keep = [&](const std::string& bytes) { return batch->arena.Copy(bytes); };
    FLARE_RETURN_IF_ERROR(codec::otlp::DecodeMetric(keep(series.record.metric), {}, batch));
    FLARE_RETURN_IF_ERROR(
        codec::otlp::DecodeNumberPoint(keep(series.record.attributes), {}, batch));
    const model::Slice attributes = batch->number_points.back().attributes;
    batch->number_points.pop_back();
    const auto add_all = [&](auto& pool, auto decode) -> absl::Status {
      model::Slice& points = batch->metrics.back().points;
      points = {.begin = static_cast<uint32_t>(pool.size()), .count = 0};
      for (const std::string& point : series.points) {
        FLARE_RETURN_IF_ERROR(decode(keep(point), codec::otlp::Limits(), batch));
        pool.back().attributes = attributes;
        ++points.count;
      }
      return absl::OkStatus();
    };
    switch (batch->metrics.back().kind) {
      case model::MetricKind::kNone:
        return absl::OkStatus();
      case model::MetricKind::kGauge:
      case model::MetricKind::kSum:
        return add_all(batch->number_points, codec::otlp::DecodeNumberPoint);
      case model::MetricKind::kHistogram:
        return add_all(batch->histogram_points, codec::otlp::DecodeHistogramPoint);
      case model::MetricKind::kExponentialHistogram:
        return add_all(batch->exponential_histogram_points,
                       codec::otlp::DecodeExponentialHistogramPoint);
      case model::MetricKind::kSummary:
        return add_all(batch->summary_points, codec::otlp::DecodeSummaryPoint);
    }
    return absl::OkStatus();
  }

  const Database& database_;
  const MetricQuery& query_;
  ScanControl<MetricQuery> control_{query_};
  std::map<uint32_t, StoredSeries> series_;
  size_t taken_ = 0;
  uint64_t taken_bytes_ = 0;
};

}  // namespace

absl::StatusOr<uint64_t> WritePoints(const model::MetricBatch& batch, uint64_t series_max,
                                     Interner* interner, Changes* changes) {
  return PointWriter(batch, series_max, interner, changes).Write();
}

absl::StatusOr<model::MetricBatch> ReadPoints(const Database& database, const MetricQuery& query) {
  return PointReader(database, query).Read();
}

absl::StatusOr<std::vector<MetricSeries>> ReadMetricSeries(const Database& database,
                                                           const MetricQuery& query) {
  return PointReader(database, query).List();
}

absl::StatusOr<model::MetricKind> CheckMetricEntry(std::string_view value) {
  FLARE_ASSIGN(const SeriesRecord record, SeriesRecord::Decode(value));
  FLARE_ASSIGN(const model::MetricBatch batch, DecodeSeries(record));
  return batch.metrics[0].kind;
}

absl::Status CheckPointEntry(model::MetricKind kind, std::string_view key, std::string_view value) {
  if (!PointKey::Decode(key).has_value())
    return absl::DataLossError("a stored metric point is corrupt");
  model::MetricBatch batch;
  switch (kind) {
    case model::MetricKind::kNone:
      return absl::OkStatus();
    case model::MetricKind::kGauge:
    case model::MetricKind::kSum:
      return codec::otlp::DecodeNumberPoint(value, {}, &batch);
    case model::MetricKind::kHistogram:
      return codec::otlp::DecodeHistogramPoint(value, {}, &batch);
    case model::MetricKind::kExponentialHistogram:
      return codec::otlp::DecodeExponentialHistogramPoint(value, {}, &batch);
    case model::MetricKind::kSummary:
      return codec::otlp::DecodeSummaryPoint(value, {}, &batch);
  }
  return absl::OkStatus();
}

}  // namespace flarestack::store::rocks

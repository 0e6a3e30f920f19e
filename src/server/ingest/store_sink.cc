// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/store_sink.h"

#include "base/status.h"
#include "model/attribute_text.h"

namespace flarestack::server {
namespace {

// A collector may send hundreds of services in one request.
constexpr size_t kServicesMax = 16;

constexpr std::string_view kServiceKey = "service.name";

}  // namespace

void StoreSink::NoteService(std::string name) {
  if (services_.size() < kServicesMax)
    services_.insert(std::move(name));
}

void StoreSink::NoteServices(const model::Batch& batch) {
  for (const model::Resource& resource : batch.resources) {
    for (const model::KeyValue& entry : model::In(batch.dictionary.nodes, resource.attributes)) {
      if (model::SameAttributeKey(batch.dictionary.Key(entry), kServiceKey))
        NoteService(model::AttributeText(batch.dictionary, entry.value));
    }
  }
}

void StoreSink::NoteServices(const model::SignalBatch& batch) {
  for (const model::Resource& resource : batch.resources) {
    if (const auto* value = model::FindAttribute(batch, resource.attributes, kServiceKey))
      NoteService(model::AttributeText(batch, *value));
  }
}

absl::StatusOr<TenantData> StoreSink::DataWithRoom() const {
  FLARE_RETURN_IF_ERROR(room_.Admit());
  return find_data_();
}

model::Pushed StoreSink::BeyondSeriesLimit(std::string_view signal, std::string_view items,
                                           uint64_t count) {
  if (count == 0)
    return {};
  counters_.Add("flarestack_otlp_items_rejected_total",
                {{"signal", signal}, {"reason", "series_limit"}}, count);
  return {.rejected = count,
          .reason = base::StrCat(
              count, " ", items,
              " rejected: series_limit (the series limit is reached; new series are rejected)")};
}

absl::StatusOr<model::Pushed> StoreSink::Push(const model::Batch& batch) {
  NoteServices(batch);
  FLARE_ASSIGN(const TenantData data, DataWithRoom());
  FLARE_ASSIGN(const store::AppendedProfiles appended, data.store->AppendProfiles(batch));
  if (data.names != nullptr)
    data.names->Prefetch(batch);
  items_ += batch.samples.size();
  if (appended.duplicate_profiles > 0)
    counters_.Add("flarestack_store_duplicate_profiles_total", {}, appended.duplicate_profiles);
  return BeyondSeriesLimit("profiles", "profiles", appended.rejected_profiles);
}

absl::Status StoreSink::Push(const model::TraceBatch& batch) {
  NoteServices(batch);
  FLARE_ASSIGN(const TenantData data, DataWithRoom());
  FLARE_RETURN_IF_ERROR(data.store->AppendTraces(batch));
  items_ += batch.spans.size();
  return absl::OkStatus();
}

absl::Status StoreSink::Push(const model::LogBatch& batch) {
  NoteServices(batch);
  FLARE_ASSIGN(const TenantData data, DataWithRoom());
  FLARE_RETURN_IF_ERROR(data.store->AppendLogs(batch));
  items_ += batch.log_records.size();
  return absl::OkStatus();
}

absl::StatusOr<model::Pushed> StoreSink::Push(const model::MetricBatch& batch) {
  NoteServices(batch);
  FLARE_ASSIGN(const TenantData data, DataWithRoom());
  FLARE_ASSIGN(const store::AppendedMetrics appended, data.store->AppendMetrics(batch));
  items_ += model::CountPoints(batch) - appended.rejected_points;
  return BeyondSeriesLimit("metrics", "points", appended.rejected_points);
}

}  // namespace flarestack::server

// SPDX-License-Identifier: Apache-2.0
#include "query/traces/trace_search.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "query/data/data_source.h"
#include "query/traces/span_tree.h"

namespace flarestack::query {
namespace {

// Each page scans its hour again, so a search that needs many spans uses large pages.
constexpr size_t kPageOfNewest = 2000;
constexpr size_t kPageOfAll = 20'000;
constexpr size_t kSpanIdsMax = 3;

class Search {
 public:
  Search(const DataSource& source, const TraceSearch& search) : source_(source), search_(search) {}

  absl::StatusOr<FoundTraces> Run() {
    FLARE_RETURN_IF_ERROR(Collect());
    Pick();
    for (FoundTrace& trace : found_.traces) {
      FLARE_ASSIGN(const model::TraceBatch batch,
                   source_.SelectTrace({.trace_id = trace.trace_id}));
      if (!batch.spans.empty())  // empty: it has expired meanwhile
        trace.summary = Summarize(batch);
    }
    std::erase_if(found_.traces, [](const FoundTrace& at) { return at.summary.span_count == 0; });
    if (search_.sort == TraceSearch::Sort::kNewest) {
      std::ranges::stable_sort(found_.traces, std::greater<>(),
                               [](const FoundTrace& trace) { return trace.summary.start; });
    }
    return std::move(found_);
  }

 private:
  absl::Status Collect() {
    store::SpanQuery query = search_.spans;
    query.limit = search_.sort == TraceSearch::Sort::kNewest ? kPageOfNewest : kPageOfAll;
    query.limit = std::min(query.limit, search_.spans_max);
    query.order = store::TimeOrder::kNewestFirst;
    do {
      FLARE_ASSIGN(const store::SelectedSpans page, source_.SelectSpans(query));
      for (const model::Span& span : page.spans)
        Add(span);
      found_.spans_scanned += page.spans.size();
      query.after = page.next;
      // The newest are known as soon as there are enough; the longest may come last.
      if (search_.sort == TraceSearch::Sort::kNewest && found_.traces.size() >= search_.limit) {
        found_.has_more = !query.after.empty();
        return absl::OkStatus();
      }
      if (!query.after.empty() && found_.spans_scanned >= search_.spans_max) {
        found_.is_complete = false;
        return absl::OkStatus();
      }
    } while (!query.after.empty());
    return absl::OkStatus();
  }

  void Add(const model::Span& span) {
    const auto [at, is_new] = by_id_.try_emplace(std::string(span.trace_id), found_.traces.size());
    if (is_new)
      found_.traces.push_back({.trace_id = std::string(span.trace_id)});
    FoundTrace& trace = found_.traces[at->second];
    if (trace.span_ids.size() < kSpanIdsMax)
      trace.span_ids.emplace_back(span.span_id);
    trace.newest_start = std::max(trace.newest_start, span.start_time_unix_nano);
    if (span.end_time_unix_nano > span.start_time_unix_nano) {
      trace.longest_nanos =
          std::max(trace.longest_nanos, span.end_time_unix_nano - span.start_time_unix_nano);
    }
  }

  void Pick() {
    const auto rank = [&](const FoundTrace& trace) {
      const bool by_length = search_.sort == TraceSearch::Sort::kLongest;
      return std::tuple(by_length ? trace.longest_nanos : 0, trace.newest_start, trace.trace_id);
    };
    std::ranges::sort(found_.traces, std::greater<>(), rank);
    if (found_.traces.size() > search_.limit) {
      found_.has_more = true;
      found_.traces.resize(search_.limit);
    }
    // Plus one, so that traces with the same start are not lost. The last trace is found again.
    if (found_.has_more && search_.sort == TraceSearch::Sort::kNewest)
      found_.next_to = found_.traces.back().newest_start + 1;
  }

  const DataSource& source_;
  const TraceSearch& search_;
  FoundTraces found_;
  absl::flat_hash_map<std::string, size_t> by_id_;  // in found_.traces
};

}  // namespace

TraceSummary Summarize(const model::TraceBatch& batch) {
  const SpanTree tree = BuildSpanTree(batch);
  const SpanNode& root = tree.nodes[tree.main_root];
  TraceSummary summary = {.service = ServiceName(batch, batch.resources[root.resource]),
                          .name = std::string(batch.spans[root.span].name),
                          .start = root.start,
                          .duration_nanos = root.duration(),
                          .status = batch.spans[root.span].status_code,
                          .has_root = root.parent_kind == SpanNode::Parent::kNone,
                          .span_count = batch.spans.size(),
                          .services = {}};
  for (const model::Span& span : batch.spans)
    summary.error_count += span.status_code == model::SpanStatusCode::kError ? 1 : 0;
  std::set<std::string> services;
  for (const model::Resource& resource : batch.resources)
    services.insert(ServiceName(batch, resource));
  summary.services.assign(services.begin(), services.end());
  return summary;
}

absl::StatusOr<FoundTraces> FindTraces(const DataSource& source, const TraceSearch& search) {
  return Search(source, search).Run();
}

}  // namespace flarestack::query

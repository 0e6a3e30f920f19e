// SPDX-License-Identifier: Apache-2.0
//
// Which rows of a chunk belong to an answer: those of its time, of its trace or span, and with the
// attributes that a selector asks of samples. Not thread-safe.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "model/batch_builder.h"
#include "store/chunk/chunk.h"
#include "store/rocks/dictionary/dictionary_loader.h"
#include "store/store.h"

namespace flarestack::store::rocks {

class RowFilter {
 public:
  // `matchers` are those of the query that no resource can answer. All must outlive the filter.
  RowFilter(const Database& database, const ProfileQuery& query,
            const std::vector<Matcher>& matchers)
      : query_(query), matchers_(matchers), loader_(database, &texts_.dictionary()) {
    for (const SpanRef& span : query.spans)
      spans_.insert(span.trace_id + span.span_id);
  }

  bool needs_attributes() const { return !matchers_.empty(); }
  bool needs_links() const { return !query_.spans.empty(); }

  // Whether a chunk with these links may have rows that are accepted, where links are needed.
  bool WantsAnyOf(const std::vector<ChunkLink>& links) const;

  // Before rows of another chunk are asked about.
  absl::Status Enter(const Chunk& chunk);

  bool Accepts(const ChunkRow& row, TimeRange range) const {
    return row.time >= range.from && row.time < range.to &&
           (query_.spans.empty() || (row.link != 0 && accepts_link_[row.link - 1])) &&
           (matchers_.empty() || accepts_[row.profile * set_count_ + row.attributes]);
  }

 private:
  bool IsWanted(const ChunkLink& link) const;

  // What one matcher finds in a list of attributes; nothing where its key is not among them.
  absl::StatusOr<std::optional<std::string>> TextIn(const ChunkAttributes& attributes,
                                                    const Matcher& matcher);

  const ProfileQuery& query_;
  const std::vector<Matcher>& matchers_;
  model::BatchBuilder texts_;
  DictionaryLoader loader_;
  absl::flat_hash_set<std::string> spans_;  // trace ids, those of one span with its id behind
  std::vector<bool> accepts_link_;          // by link of the chunk
  size_t set_count_ = 0;
  std::vector<bool> accepts_;  // by profile and set of attributes
};

}  // namespace flarestack::store::rocks

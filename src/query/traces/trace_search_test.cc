// SPDX-License-Identifier: Apache-2.0
#include "query/traces/trace_search.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/byte_reader.h"
#include "base/text/text.h"
#include "store/rocks/rocks_store.h"

namespace flarestack::query {
namespace {

constexpr uint64_t kStart = 1'800'000'000'000'000'000;

class TraceSearchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "trace_search_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    auto store = store::OpenRocksStore({.directory = directory_, .sync_each_commit = false});
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  // Spans without parents, each of one nanosecond, except the first, which takes `duration`.
  void Append(char trace, uint64_t start, size_t count, uint64_t duration = 1) {
    model::TraceBatch batch;
    model::Resource resource;
    resource.scopes = {.begin = 0, .count = 1};
    batch.resources.push_back(resource);
    model::ItemScope scope;
    scope.items = {.begin = 0, .count = static_cast<uint32_t>(count)};
    batch.scopes.push_back(scope);
    for (size_t i = 0; i < count; ++i) {
      std::string id;
      base::AppendBigEndian(uint64_t{i + 1}, &id);
      model::Span span;
      span.trace_id = batch.arena.Copy(std::string(16, trace));
      span.span_id = batch.arena.Copy(id);
      span.name = "work";
      span.start_time_unix_nano = kStart + start + i;
      span.end_time_unix_nano = span.start_time_unix_nano + (i == 0 ? duration : 1);
      batch.spans.push_back(span);
    }
    ASSERT_TRUE(store_->AppendTraces(batch).ok());
  }

  // The first letters of the found traces, and whether the result is complete.
  std::string Find(const TraceSearch& search) {
    const auto found = FindTraces(DataSource(DataSource(store_.get())), search);
    EXPECT_TRUE(found.ok()) << found.status();
    std::string text;
    for (const FoundTrace& trace : found->traces)
      base::StrAppend(&text, trace.trace_id.substr(0, 1), trace.summary.span_count, " ");
    return text + (found->is_complete ? "all" : "part");
  }

  std::string directory_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(TraceSearchTest, FindsTracesBeyondATraceOfManySpans) {
  Append('a', 1000, 5000);
  Append('b', 10, 2);
  EXPECT_EQ(Find({.limit = 2}), "a5000 b2 all");
  EXPECT_EQ(Find({.limit = 1}), "a5000 all");
  EXPECT_EQ(Find({.limit = 2, .spans_max = 3000}), "a5000 part");
}

TEST_F(TraceSearchTest, ContinuesAfterTheLimit) {
  for (const char trace : {'a', 'b', 'c', 'd', 'e'})
    Append(trace, static_cast<uint64_t>(trace) * 10, 3);
  TraceSearch search = {.limit = 2};
  std::string pages;
  for (int page = 0; page < 5; ++page) {
    const auto found = FindTraces(DataSource(DataSource(store_.get())), search);
    ASSERT_TRUE(found.ok()) << found.status();
    for (const FoundTrace& trace : found->traces)
      pages += trace.trace_id[0];
    EXPECT_EQ(found->has_more, found->next_to != 0);
    if (!found->has_more)
      break;
    pages += ' ';
    search.spans.range.to = found->next_to;
  }
  EXPECT_EQ(pages, "ed dc cb ba");  // the last of each page is found again
  search = {.limit = 2, .sort = TraceSearch::Sort::kLongest};
  EXPECT_TRUE(FindTraces(DataSource(DataSource(store_.get())), search)->has_more);
  search.limit = 5;
  EXPECT_FALSE(FindTraces(DataSource(DataSource(store_.get())), search)->has_more);
}

TEST_F(TraceSearchTest, SortsMatchesByNewestOrLongest) {
  Append('a', 10, 1, 500);
  Append('b', 20, 2, 900);
  Append('c', 30, 3, 100);
  EXPECT_EQ(Find({.limit = 2}), "c3 b2 all");
  EXPECT_EQ(Find({.limit = 2, .sort = TraceSearch::Sort::kLongest}), "b2 a1 all");
  EXPECT_EQ(Find({.spans = {.duration_max_nanos = 500}, .sort = TraceSearch::Sort::kLongest}),
            "a1 c3 b2 all");
  EXPECT_EQ(Find({.spans = {.name = "rest"}}), "all");
}

}  // namespace
}  // namespace flarestack::query

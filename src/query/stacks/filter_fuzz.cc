// SPDX-License-Identifier: Apache-2.0
//
// Users type filters and links contain them: any text is accepted or rejected. Applying a filter
// never adds weight.
#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "query/reports/top.h"
#include "query/stacks/filter.h"
#include "query/testing/stack_text.h"

namespace query = flarestack::query;

namespace {

constexpr std::string_view kStacks =
    "main;serve;parse(p.cc:3 @app);read(@libc.so) 3 {thread=io}\n"
    "main;serve;render;render 5 {thread=io,host=a}\n"
    "main;gc 2\n"
    "main;serve;parse;serve;read(@libc.so);write(@libc.so) 7 {thread=main}\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  query::Filter filter;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    (void)filter.Add(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  query::StackSet set = query::testing::FromText(kStacks);
  const int64_t before = set.Total();
  FLARE_CHECK(filter.Apply(&set).ok());
  FLARE_CHECK(set.Total() <= before);
  for (const query::TopRow& row : query::Top(set, query::TopOrder::kSelf))
    FLARE_CHECK(row.self <= row.total && row.total <= set.Total());
  return 0;
}

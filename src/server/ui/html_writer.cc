// SPDX-License-Identifier: Apache-2.0
#include "server/ui/html_writer.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/compress/compress.h"
#include "base/status.h"
#include "model/sample_type.h"
#include "query/flame/flame.h"
#include "query/flame/value_tree.h"
#include "query/stacks/stack_set_builder.h"
#include "server/ui/html_page.h"
#include "server/ui/ui_assets.h"

namespace flarestack::server {
namespace {

constexpr std::array<std::string_view, 1> kExtensions = {".html"};

// A page draws this many without stutter (bench/). Smaller nodes are summed.
constexpr uint32_t kNodesMax = 200'000;
// The most that the columns of a page can store.
constexpr uint32_t kDepthMax = 60'000;

const UiAsset* FindViewer() {
  const auto assets = UiAssets();
  const auto found =
      std::ranges::find_if(assets, [](const UiAsset& asset) { return asset.path == kViewerPath; });
  return found == assets.end() ? nullptr : &*found;
}

// The requested type, or all types with the profile's default first.
absl::StatusOr<std::vector<model::SampleTypeView>> TypesFor(const model::Batch& batch,
                                                            const std::string& wanted) {
  FLARE_ASSIGN(model::SampleTypeView first, model::SelectSampleType(batch, wanted));
  std::vector<model::SampleTypeView> types;
  if (wanted.empty()) {
    types = model::ListSampleTypes(batch);
    std::erase_if(types, [&](const model::SampleTypeView& type) {
      return type.type == first.type && type.unit == first.unit;
    });
  }
  types.insert(types.begin(), std::move(first));
  return types;
}

absl::StatusOr<query::Flame> FlameOf(const model::Batch& batch, const model::SampleTypeView& type,
                                     base::Warnings* warnings) {
  query::StackSetBuilder builder({});
  FLARE_RETURN_IF_ERROR(builder.Add(batch, type));
  const query::StackSet set = std::move(builder).Finish();
  FLARE_ASSIGN(query::ValueTree tree, query::MakeValueTree(set));
  const size_t node_count = tree.nodes.size();
  FLARE_ASSIGN(query::Flame flame,
               query::CutFlame(std::move(tree), {.nodes_max = kNodesMax, .depth_max = kDepthMax}));
  flame.type = set.type;
  flame.unit = set.unit;
  if (node_count > flame.nodes.size()) {
    warnings->Add("small frames were merged to keep the page small",
                  base::StrCat(set.type, ": ", flame.nodes.size(), " of ", node_count,
                               " call paths are in the page"));
  }
  return flame;
}

absl::Status Write(const model::Batch& batch, const codec::WriteOptions& options,
                   codec::WriteBytes write) {
  const UiAsset* const asset = FindViewer();
  if (asset == nullptr) {
    return absl::FailedPreconditionError("this build has no web UI, which HTML output embeds");
  }
  FLARE_ASSIGN(const std::string viewer, base::Gunzip(asset->gzip, asset->plain_bytes));
  FLARE_ASSIGN(const std::vector<model::SampleTypeView> types,
               TypesFor(batch, options.sample_type));
  std::vector<query::Flame> flames;
  for (const model::SampleTypeView& type : types) {
    FLARE_ASSIGN(query::Flame flame, FlameOf(batch, type, options.warnings));
    flames.push_back(std::move(flame));
  }
  return WriteHtmlPage(viewer, {.title = options.title, .flames = flames}, write);
}

}  // namespace

const codec::Writer kHtmlWriter = {
    .name = "html",
    .summary = "interactive flame graph: one HTML file with search, zoom and a table",
    .extensions = kExtensions,
    .write = Write,
};

bool CanWriteHtml() { return FindViewer() != nullptr; }

}  // namespace flarestack::server

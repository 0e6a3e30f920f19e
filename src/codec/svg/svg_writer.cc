// SPDX-License-Identifier: Apache-2.0
#include "codec/svg/svg_writer.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/human_value.h"
#include "base/warnings.h"
#include "codec/format/piece_writer.h"
#include "codec/format/stack_table.h"
#include "codec/svg/flame_layout.h"
#include "codec/svg/frame_colours.h"
#include "codec/svg/svg_page.h"
#include "codec/svg/xml_text.h"
#include "model/batch.h"
#include "model/call_tree.h"
#include "model/frame.h"
#include "model/sample_type.h"

namespace flarestack::codec::svg {
namespace {

// The maximum number of frames visited, over all stacks: a small message can repeat long stacks
// with many inlined frames.
constexpr uint64_t kFramesMax = uint64_t{1} << 28;

class TreeMaker {
 public:
  explicit TreeMaker(const model::Dictionary& dictionary)
      : dictionary_(dictionary), frames_of_location_(dictionary.locations.size()) {}

  absl::Status Add(const model::StackWeight& sum) {
    stack_.clear();
    const model::Slice locations = dictionary_.stacks[sum.stack.value].locations;
    for (uint32_t i = locations.end(); i-- > locations.begin;) {
      const std::vector<model::CallFrameId>& frames = FramesOf(dictionary_.location_indices[i]);
      walked_ += frames.size();
      if (walked_ > kFramesMax) {
        return absl::ResourceExhaustedError(
            base::StrCat("the stacks have more than ", kFramesMax, " frames"));
      }
      stack_.insert(stack_.end(), frames.begin(), frames.end());
    }
    if (stack_.empty()) {
      stack_.push_back(builder_.Frame({.name = std::string(kNoStack)}));
    }
    return builder_.Add(stack_, sum.weight);
  }

  model::CallTree Finish() && { return std::move(builder_).Finish(); }

 private:
  // The functions at one location, physical caller first.
  const std::vector<model::CallFrameId>& FramesOf(model::LocationIndex index) {
    std::vector<model::CallFrameId>& ids = frames_of_location_[index.value];
    if (!ids.empty()) {
      return ids;
    }
    const auto lines = model::In(dictionary_.lines, dictionary_.locations[index.value].lines);
    const std::string_view type = model::FrameType(dictionary_, index);
    const auto add = [&](model::FunctionIndex function) {
      const model::Frame frame = {.location = index, .function = function, .filename = {}};
      std::string name = model::FrameName(dictionary_, frame);
      ids.push_back(builder_.Frame({.name = name.empty() ? std::string(kUnknownFrame) : name,
                                    .module = std::string(model::ModuleName(dictionary_, frame)),
                                    .type = std::string(type)}));
    };
    if (lines.empty()) {
      add({});
    }
    for (size_t i = lines.size(); i-- > 0;) {
      add(lines[i].function);
    }
    return ids;
  }

  const model::Dictionary& dictionary_;
  model::CallTreeBuilder builder_;
  std::vector<std::vector<model::CallFrameId>> frames_of_location_;
  std::vector<model::CallFrameId> stack_;  // scratch
  uint64_t walked_ = 0;
};

// Samples without a stack are below a frame "[no stack]". Stacks with negative weight cannot be
// drawn and are dropped with a warning. Returns kResourceExhausted if the batch repeats its stacks
// out of proportion.
absl::StatusOr<model::CallTree> BatchTree(const model::Batch& batch,
                                          const model::SampleTypeView& type,
                                          base::Warnings* warnings) {
  TreeMaker maker(batch.dictionary);
  for (const model::StackWeight& sum : model::SumByStack(batch, type)) {
    if (sum.weight < 0) {
      warnings->Add("stack of negative weight omitted", base::StrCat(sum.weight));
      continue;
    }
    FLARE_RETURN_IF_ERROR(maker.Add(sum));
  }
  return std::move(maker).Finish();
}

constexpr std::array<std::string_view, 1> kExtensions = {".svg"};

// In px. The script recomputes the layout of the boxes for the width of the window; rows and
// heights stay.
constexpr double kPadding = 10;
constexpr double kRowHeight = 18;
constexpr double kBoxHeight = 17;
constexpr double kHeadHeight = 66;
constexpr double kLegendHeight = 24;
constexpr double kFootHeight = 34;
constexpr double kTextInset = 4;
constexpr double kColumnWidth = 6.62;       // of the fixed-width font in the boxes
constexpr double kLegendColumnWidth = 6.8;  // of the other font, on average
constexpr size_t kNameColumnsMax = 1000;    // limits the size: each box of a name repeats it

struct FlamePage {
  const model::CallTree& tree;
  const FlameLayout layout;
  const FrameColours colours;
  const model::SampleTypeView& type;
  const WriteOptions& options;

  double width() const { return LayoutLimits().width_px + 2 * kPadding; }
  double top() const { return kHeadHeight + (colours.legend().empty() ? 0 : kLegendHeight); }
  double bottom() const { return top() + std::max(layout.row_count, 1U) * kRowHeight; }
  std::string Amount(int64_t value) const {
    return base::StrCat(base::HumanValue(value, type.unit), " (",
                        base::Percent(value, tree.root().total), ")");
  }
};

std::string NameOf(const FlamePage& page, const Box& box) {
  if (box.is_other) {
    return "(other)";
  }
  if (box.node.value == 0) {
    return "all";
  }
  const model::CallFrame& frame = page.tree.FrameOf(page.tree.nodes[box.node.value]);
  return FitText(base::ToValidUtf8(frame.name), kNameColumnsMax);
}

// The lines of the hint. The name comes first, on a separate line, because the script relies on it.
std::string TitleOf(const FlamePage& page, const Box& box, std::string_view name) {
  std::string title = XmlText(name);
  const model::CallTree::Node& node = page.tree.nodes[box.node.value];
  const model::CallFrame& frame = page.tree.FrameOf(node);
  if (box.is_other) {
    base::StrAppend(&title, "\n", base::GroupDigits(static_cast<int64_t>(box.merged_count)),
                    " call paths too narrow or too deep to draw");
  } else if (!frame.module.empty() || !frame.type.empty()) {
    const bool has_both = !frame.module.empty() && !frame.type.empty();
    title.push_back('\n');
    AppendXmlText(FitText(base::ToValidUtf8(frame.module), kNameColumnsMax), &title);
    title.append(has_both ? " · " : "");
    AppendXmlText(FitText(base::ToValidUtf8(frame.type), kNameColumnsMax), &title);
  }
  base::StrAppend(&title, "\ntotal ", XmlText(page.Amount(box.total)));
  if (!box.is_other && box.node.value != 0) {
    base::StrAppend(&title, "\nself ", XmlText(page.Amount(node.self)));
  }
  return title;
}

absl::Status WriteBox(const FlamePage& page, const Box& box, PieceWriter* out) {
  const double px_per_weight =
      LayoutLimits().width_px / static_cast<double>(page.tree.root().total);
  const double x = kPadding + static_cast<double>(box.start) * px_per_weight;
  const double width = static_cast<double>(box.total) * px_per_weight;
  const double y = page.top() + box.row * kRowHeight;
  const std::string name = NameOf(page, box);
  const double columns = std::max(0.0, (width - 2 * kTextInset + 1) / kColumnWidth);
  const std::string style_class =
      box.is_other ? "other"
      : box.node.value == 0
          ? "root"
          : page.colours.ClassOf(page.tree.FrameOf(page.tree.nodes[box.node.value]));
  return out->Append(
      fmt::format("<g class=\"f\" data-s=\"{}\" data-t=\"{}\" data-r=\"{}\"><title>", box.start,
                  box.total, box.row),
      TitleOf(page, box, name),
      // Slightly narrower than its weight, to separate neighbours.
      fmt::format("</title><rect class=\"{}\" x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" "
                  "height=\"{:.0f}\" rx=\"2\"/><text x=\"{:.2f}\" y=\"{:.1f}\">",
                  style_class, x, y, std::max(width - 0.6, width * 0.6), kBoxHeight, x + kTextInset,
                  y + 12.5),
      XmlText(FitText(name, static_cast<size_t>(columns))), "</text></g>\n");
}

absl::Status WriteHead(const FlamePage& page, PieceWriter* out) {
  const std::string title =
      XmlText(page.options.title.empty() ? "Flame graph" : page.options.title);
  const double height = page.bottom() + kFootHeight;
  FLARE_RETURN_IF_ERROR(out->Append(
      "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n",
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                  "viewBox=\"0 0 {0:.0f} {1:.0f}\" data-total=\"{2}\" role=\"img\">\n",
                  page.width(), height, page.tree.root().total),
      "<title>", title, "</title>\n<style>", kPageStyle, "</style>\n",
      "<rect id=\"page\" width=\"100%\" height=\"100%\"/>\n"));
  FLARE_RETURN_IF_ERROR(out->Append(
      fmt::format("<text id=\"title\" x=\"{:.0f}\" y=\"32\">", kPadding), title, "</text>\n",
      fmt::format("<text id=\"sums\" x=\"{:.0f}\" y=\"53\">", kPadding), XmlText(page.type.type),
      page.type.unit.empty() ? "" : base::StrCat("/", XmlText(page.type.unit)), " · total <tspan>",
      XmlText(base::HumanValue(page.tree.root().total, page.type.unit)), "</tspan> · ",
      base::GroupDigits(static_cast<int64_t>(page.tree.nodes.size() - 1)), " call paths</text>\n"));
  if (page.colours.legend().empty()) {
    return absl::OkStatus();
  }
  FLARE_RETURN_IF_ERROR(out->Append("<g id=\"legend\">"));
  double x = kPadding;
  for (const LegendEntry& entry : page.colours.legend()) {
    FLARE_RETURN_IF_ERROR(out->Append(
        fmt::format("<rect class=\"{}\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"12\" height=\"12\" "
                    "rx=\"2\"/><text x=\"{:.0f}\" y=\"{:.0f}\">",
                    entry.style_class, x, kHeadHeight + 1, x + 17, kHeadHeight + 11),
        XmlText(entry.label), "</text>"));
    x += 40 + static_cast<double>(entry.label.size()) * kLegendColumnWidth;
  }
  return out->Append("</g>\n");
}

absl::Status WriteFoot(const FlamePage& page, PieceWriter* out) {
  std::string note = "Every call path is drawn.";
  if (page.tree.root().total <= 0) {
    note = "There are no samples of this type.";
  } else if (page.layout.merged_count > 0) {
    note = fmt::format(
        "(other) merges {} call paths narrower than {:.2g} px or deeper than {} rows; "
        "in total {}.",
        base::GroupDigits(static_cast<int64_t>(page.layout.merged_count)), page.layout.width_px_min,
        LayoutLimits().rows_max, page.Amount(page.layout.merged_total));
  }
  return out->Append(
      fmt::format("<text class=\"note\" x=\"{:.0f}\" y=\"{:.0f}\">", kPadding, page.bottom() + 20),
      XmlText(note), "</text>\n");
}

absl::Status Write(const model::Batch& batch, const WriteOptions& options, WriteBytes write) {
  FLARE_ASSIGN(const model::SampleTypeView type,
               model::SelectSampleType(batch, options.sample_type));
  FLARE_ASSIGN(const model::CallTree tree, BatchTree(batch, type, options.warnings));
  const FlamePage page = {.tree = tree,
                          .layout = LayOut(tree, {}),
                          .colours = FrameColours(tree),
                          .type = type,
                          .options = options};
  PieceWriter out(write);
  FLARE_RETURN_IF_ERROR(WriteHead(page, &out));
  for (const Box& box : page.layout.boxes) {
    FLARE_RETURN_IF_ERROR(WriteBox(page, box, &out));
  }
  FLARE_RETURN_IF_ERROR(WriteFoot(page, &out));
  FLARE_RETURN_IF_ERROR(out.Append("<script><![CDATA[", kPageScript, "]]></script>\n</svg>\n"));
  return out.Flush();
}

}  // namespace

const Writer kSvgWriter = {
    .name = "svg",
    .summary = "interactive flame graph: one SVG file with zoom and search",
    .extensions = kExtensions,
    .holds_one_sample_type = true,
    .write = Write,
};

}  // namespace flarestack::codec::svg

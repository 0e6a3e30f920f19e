// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/demo_guide.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "cli/input/page_link.h"
#include "demo/incident.h"
#include "net/http/http_target.h"

namespace flarestack::cli {
namespace {

using server::GuideStep;

constexpr uint64_t kNanosPerMilli = 1'000'000;
constexpr std::string_view kGuilty = "shop::Coupon::matches";

using Values = std::map<std::string, std::string>;

std::string Path(const std::string& page, Values values) {
  return FormatPageLink({.page = page, .state = {.values = std::move(values)}});
}

Values Between(uint64_t from_nanos, uint64_t to_nanos, Values values) {
  values["from"] = std::to_string(from_nanos / kNanosPerMilli);
  values["to"] = std::to_string(to_nanos / kNanosPerMilli);
  return values;
}

std::string Checkout() { return R"({service.name="checkout"})"; }

std::string CheckoutOf(std::string_view version) {
  return base::StrCat(R"({service.name="checkout",service.version=")", version, R"("})");
}

double Millis(uint64_t nanos) { return static_cast<double>(nanos) / kNanosPerMilli; }

GuideStep Spike(const demo::Timeline& timeline) {
  return {.title = "The spike",
          .text =
              "Checkout's p95 request duration spikes after the dashed line, the release of "
              "1.4.2. Each diamond is an exemplar, one request: click one of the highest, or "
              "continue with the next step.",
          .path = Path("/charts",
                       Between(timeline.begin_nanos(), timeline.end_nanos(),
                               {{"q", Checkout()}, {"metric", "http.server.request.duration"}}))};
}

std::string TraceOf(const demo::Incident& incident) { return base::HexEncode(incident.trace_id); }

std::string SpanOf(const demo::Incident& incident) {
  return base::HexEncode(incident.coupons_span_id);
}

GuideStep SlowTrace(const demo::Incident& incident) {
  return {.title = "A slow request",
          .text = fmt::format("One of those exemplars. Checkout took {:.0f} ms, and {:.0f} ms of "
                              "that is the selected span, apply coupons. The span did not wait: it "
                              "was on CPU the whole time.",
                              Millis(incident.duration_nanos), Millis(incident.coupons_nanos)),
          .path = Path("/trace/" + TraceOf(incident), {{"span", SpanOf(incident)}})};
}

GuideStep SpanProfile(const demo::Incident& incident) {
  return {
      .title = "Its profile",
      .text =
          "Samples are tagged with their span ID, so this flame graph shows only that span. "
          "Almost all of it is std::regex_search, called by shop::Coupon::matches.",
      .path = Path("/explore",
                   {{"type", "cpu"}, {"trace", TraceOf(incident)}, {"span", SpanOf(incident)}})};
}

GuideStep GuiltyLine(const demo::Timeline& timeline) {
  return {.title = "The line",
          .text =
              "The function costs far more in 1.4.2, mostly at line 88 of coupon.cc: a regular "
              "expression with nested repetition. For a coupon code that almost matches, each "
              "additional letter doubles the work.",
          .path = Path(base::StrCat("/fn/", net::PercentEncode(kGuilty)),
                       Between(timeline.begin_nanos(), timeline.end_nanos(), {{"q", Checkout()}}))};
}

GuideStep LogBeside(const demo::Timeline& timeline, const demo::Incident& incident) {
  constexpr uint64_t kMinute = 60'000 * kNanosPerMilli;
  return {.title = "The logs",
          .text = fmt::format("\"coupon rule loaded\" is logged at the release, followed by "
                              "warnings. The slow request logged \"coupon rule took {:.0f} ms\"; "
                              "the link next to it opens the trace.",
                              Millis(incident.coupons_nanos)),
          .path = Path("/logs",
                       Between(timeline.rollout_nanos() - kMinute, incident.start_nanos + kMinute,
                               {{"q", Checkout()}, {"order", "asc"}, {"text", "coupon rule"}}))};
}

GuideStep Comparison(const demo::Timeline& timeline) {
  return {.title = "Compare versions",
          .text = fmt::format("1.4.1 compared with 1.4.2, in CPU per instance-second: {:+.1f} %. "
                              "Most of the change is std::regex_search, which is new.",
                              demo::CheckoutCpuRise(timeline) * 100),
          .path = Path("/diff", Between(timeline.begin_nanos(), timeline.end_nanos(),
                                        {{"q", CheckoutOf(demo::kNewVersion)},
                                         {"type", "cpu"},
                                         {"norm", "rate"},
                                         {"b.q", CheckoutOf(demo::kOldVersion)}}))};
}

// The page shows the commands.
GuideStep OwnProgram() {
  return {.title = "Your program",
          .text =
              "That is the whole path from a metric to a line of code. To profile your own "
              "programs, start with one of these commands.",
          .path = ""};
}

}  // namespace

server::Guide MakeDemoGuide(const demo::Timeline& timeline) {
  const demo::Incident incident = demo::FindIncident(timeline);
  return {
      .title = "What happened to the shop?",
      .steps = {Spike(timeline), SlowTrace(incident), SpanProfile(incident), GuiltyLine(timeline),
                LogBeside(timeline, incident), Comparison(timeline), OwnProgram()}};
}

}  // namespace flarestack::cli

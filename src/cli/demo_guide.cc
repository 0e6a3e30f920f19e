// SPDX-License-Identifier: Apache-2.0
#include "cli/demo_guide.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "base/encoding.h"
#include "base/text.h"
#include "cli/page_link.h"
#include "demo/incident.h"
#include "net/http_target.h"

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
              "Requests to checkout became slow about fifteen minutes ago: the 95th percentile "
              "rises where the mark of release 1.4.2 is. Each diamond is a request that was "
              "measured; click one of the highest, or go on.",
          .path = Path("/charts",
                       Between(timeline.begin_nanos(), timeline.end_nanos(),
                               {{"q", Checkout()}, {"metric", "http.server.request.duration"}}))};
}

GuideStep SlowTrace(const demo::Incident& incident, const std::string& trace) {
  return {.title = "One slow request",
          .text = fmt::format("The metric names this trace as an example. Checkout took {:.0f} ms "
                              "for it, and {:.0f} ms of that are one span: apply coupons. It did "
                              "not wait for another service; it computed.",
                              Millis(incident.duration_nanos), Millis(incident.coupons_nanos)),
          .path = Path("/trace/" + trace, {{"span", base::HexEncode(incident.server_span_id)}})};
}

GuideStep SpanProfile(const demo::Incident& incident, const std::string& trace) {
  return {.title = "What that span did",
          .text =
              "These samples carry the id of the span, so this flame graph is of this request "
              "alone: nearly all of it is std::regex_search, below "
              "shop::Checkout::apply_coupons.",
          .path = Path("/explore", {{"type", "cpu"},
                                    {"trace", trace},
                                    {"span", base::HexEncode(incident.coupons_span_id)}})};
}

GuideStep GuiltyLine(const demo::Timeline& timeline) {
  return {.title = "The line",
          .text =
              "coupon.cc:88 searches by a regular expression with one repetition inside "
              "another. A code that almost matches is tried in every way there is, which "
              "doubles with each letter. Before the release nothing was spent on this line.",
          .path = Path(base::StrCat("/fn/", net::PercentEncode(kGuilty)),
                       Between(timeline.begin_nanos(), timeline.end_nanos(), {{"q", Checkout()}}))};
}

GuideStep LogBeside(const demo::Timeline& timeline, const demo::Incident& incident) {
  constexpr uint64_t kMinute = 60'000 * kNanosPerMilli;
  return {.title = "The log beside it",
          .text =
              "\"coupon rule loaded\" came with the release, and the warnings after it: the "
              "slow request is among them. Each line leads back to its trace.",
          .path = Path("/logs",
                       Between(timeline.rollout_nanos() - kMinute, incident.start_nanos + kMinute,
                               {{"q", Checkout()}, {"order", "asc"}, {"text", "coupon rule"}}))};
}

GuideStep Comparison(const demo::Timeline& timeline) {
  return {.title = "Compare 1.4.1 with 1.4.2",
          .text =
              "Both versions side by side, per second of each instance: checkout needs about "
              "40 % more CPU, and the regular expression explains it. The other differences "
              "are within noise.",
          .path = Path("/diff", Between(timeline.begin_nanos(), timeline.end_nanos(),
                                        {{"q", CheckoutOf(demo::kNewVersion)},
                                         {"type", "cpu"},
                                         {"norm", "rate"},
                                         {"b.q", CheckoutOf(demo::kOldVersion)}}))};
}

// The page has the commands for it.
GuideStep OwnProgram() {
  return {.title = "Your own program",
          .text =
              "That was the whole way, from a metric to a line and back. With your own programs "
              "it begins with one of these.",
          .path = ""};
}

}  // namespace

server::Guide MakeDemoGuide(const demo::Timeline& timeline) {
  const demo::Incident incident = demo::FindIncident(timeline);
  const std::string trace = base::HexEncode(incident.trace_id);
  return {.title = "What happened to the shop?",
          .steps = {Spike(timeline), SlowTrace(incident, trace), SpanProfile(incident, trace),
                    GuiltyLine(timeline), LogBeside(timeline, incident), Comparison(timeline),
                    OwnProgram()}};
}

}  // namespace flarestack::cli

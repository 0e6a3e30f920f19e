// SPDX-License-Identifier: Apache-2.0
#include "demo/request.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "demo/request_writer.h"

namespace flarestack::demo {
namespace {

using model::SeverityNumber;

constexpr double kMilli = 1e6;
constexpr double kCheckoutShare = 0.6;  // of all requests; the others view an item
constexpr double kCardRefused = 0.02;
constexpr double kLedgerBusy = 0.03;
constexpr double kCouponLimitMs = 50;

// How the regular expression of 1.4.2 handles the codes: most match at once, but long codes that
// almost match cause exhaustive backtracking.
constexpr double kQuickTicks = 0.15;
constexpr double kSlowCoupons = 0.075;
constexpr double kVerySlowCoupons = 0.01;

class Shopper {
 public:
  Shopper(const Servers& servers, Random* random)
      : servers_(servers), random_(*random), write_(servers.thread, random) {}

  Request Shop() && {
    if (random_.Chance(kCheckoutShare))
      PlaceOrder();
    else
      LookAtItem();
    return std::move(write_).Finish();
  }

 private:
  uint64_t Ticks(double middle) { return random_.Count(random_.Spread(middle)); }
  uint64_t Millis(double middle) { return static_cast<uint64_t>(random_.Spread(middle) * kMilli); }

  void PlaceOrder() {
    write_.OpenServer(servers_.storefront, "POST", "/checkout");
    write_.Set("user.id", base::StrCat("u-", 1000 + random_.Below(9000)));
    write_.Work(Code::kRoutePage, Ticks(1.2));
    write_.Work(Code::kEncodeOrder, Ticks(0.8));
    const Call call = {"POST", "/orders", servers_.checkout, Code::kStorefrontAwait};
    write_.Send(call, [&] { TakeOrder(); });
    RenderPage(1.6);
    if (is_refused_)
      write_.Fail(402, "the order was not placed");
    write_.Close();
  }

  void LookAtItem() {
    write_.OpenServer(servers_.storefront, "GET", "/items/{id}");
    write_.Work(Code::kRoutePage, Ticks(1.0));
    const Call call = {"GET", "/stock/{item}", servers_.inventory, Code::kStorefrontAwait};
    write_.Send(call, [&] {
      write_.Set("item.id", static_cast<int64_t>(random_.Below(4000)));
      write_.Work(Code::kReadStock, Ticks(1.0));
      if (random_.Chance(0.4))
        write_.Wait(Code::kAwaitDatabase, Millis(6));
    });
    write_.Send({"GET", "/similar/{item}", servers_.recommendations, Code::kStorefrontAwait},
                [&] { write_.Work(Code::kRankItems, Ticks(2.4)); });
    RenderPage(3.0);
    write_.Close();
  }

  void RenderPage(double ticks) {
    write_.Open(servers_.storefront, "render page", model::SpanKind::kInternal);
    write_.Work(Code::kRenderPage, Ticks(ticks));
    write_.Close();
  }

  void TakeOrder() {
    const uint64_t items = 1 + random_.Below(6);
    write_.Set("order.items", static_cast<int64_t>(items));
    write_.Work(Code::kServeOrder, Ticks(1.0));
    write_.Open(servers_.checkout, "read basket", model::SpanKind::kInternal);
    write_.Work(Code::kReadBasket, Ticks(2.2));
    write_.Close();
    ApplyCoupons();
    write_.Send({"POST", "/reservations", servers_.inventory, Code::kAwaitInventory},
                [&] { Reserve(items); });
    write_.Open(servers_.checkout, "price order", model::SpanKind::kInternal);
    write_.Work(Code::kPriceOrder, Ticks(1.2));
    write_.Close();
    write_.Send({"POST", "/charges", servers_.payments, Code::kAwaitPayments}, [&] { Charge(); });
    write_.Work(Code::kServeOrder, Ticks(1.0));
    if (is_refused_) {
      write_.Fail(402, "card refused");
      write_.Log(SeverityNumber::kWarn, "order not placed: card refused");
    } else {
      write_.Log(SeverityNumber::kInfo, base::StrCat("order placed, ", items, " items"));
    }
  }

  struct Coupon {
    std::string code;
    uint64_t search_ticks = 0;  // spent in the regular expression
  };

  Coupon DrawCoupon() {
    constexpr std::array<std::string_view, 4> kCodes = {"WELCOME10", "FREESHIP", "SPRING15",
                                                        "THANKYOU"};
    const double kind = random_.Unit();
    if (kind < kVerySlowCoupons)
      return {"SUMMER" + std::string(26, 'A') + "!", 75 + random_.Below(115)};
    if (kind < kVerySlowCoupons + kSlowCoupons)
      return {"SUMMER" + std::string(18 + random_.Below(4), 'A') + "!", 38 + random_.Below(20)};
    return {std::string(kCodes[random_.Below(kCodes.size())]), random_.Count(kQuickTicks)};
  }

  void ApplyCoupons() {
    const Coupon coupon = DrawCoupon();
    write_.Open(servers_.checkout, "apply coupons", model::SpanKind::kInternal);
    write_.Set("coupon.code", coupon.code);
    write_.Work(Code::kCompareCoupons, Ticks(2.0));
    if (servers_.checkout.is_new_version) {
      write_.AddEvent("coupon rule tried", {{"coupon.rule", "^SUMMER(A+)+B$"}});
      write_.Work(Code::kSearchCoupons, coupon.search_ticks);
    }
    const double took_ms = static_cast<double>(write_.elapsed_nanos()) / kMilli;
    if (took_ms > kCouponLimitMs) {
      write_.Log(
          SeverityNumber::kWarn,
          fmt::format("coupon rule took {:.0f} ms, limit is {:.0f} ms", took_ms, kCouponLimitMs),
          {{"coupon.code", coupon.code}, {"coupon.rule", "^SUMMER(A+)+B$"}});
    }
    write_.Close();
  }

  void Reserve(uint64_t items) {
    write_.Set("order.items", static_cast<int64_t>(items));
    write_.Work(Code::kReserveStock, Ticks(1.5));
    write_.Wait(Code::kAwaitDatabase, Millis(9));
    write_.Work(Code::kReserveStock, Ticks(0.8));
    write_.Log(SeverityNumber::kDebug, base::StrCat("reserved ", items, " items"));
  }

  void Charge() {
    write_.Work(Code::kCharge, Ticks(1.4));
    write_.Wait(Code::kAwaitBank, Millis(26));
    if (random_.Chance(kLedgerBusy)) {
      const auto nanos = static_cast<uint64_t>(random_.Between(60, 170) * kMilli);
      write_.Wait(Code::kAwaitLedger, nanos);
      write_.Log(SeverityNumber::kWarn,
                 base::StrCat("waited ", nanos / 1'000'000, " ms for the ledger"));
    }
    write_.Work(Code::kCharge, Ticks(1.0));
    is_refused_ = random_.Chance(kCardRefused);
    if (is_refused_) {
      write_.AddEvent("exception", {{"exception.type", "bank.Refused"},
                                    {"exception.message", "card refused by the bank: code 51"}});
      write_.Fail(402, "card refused");
      write_.Log(SeverityNumber::kError, "card refused by the bank: code 51");
    } else {
      write_.Log(SeverityNumber::kDebug, "charge accepted");
    }
  }

  const Servers& servers_;
  Random& random_;
  RequestWriter write_;
  bool is_refused_ = false;
};

}  // namespace

void Request::MoveBy(uint64_t nanos) {
  for (Span& span : spans) {
    span.start_nanos += nanos;
    span.end_nanos += nanos;
    for (Event& event : span.events)
      event.time_nanos += nanos;
    for (LogLine& line : span.logs)
      line.time_nanos += nanos;
    for (Stretch& stretch : span.stretches)
      stretch.start_nanos += nanos;
  }
}

Request MakeRequest(const Servers& servers, Random random) {
  return Shopper(servers, &random).Shop();
}

}  // namespace flarestack::demo

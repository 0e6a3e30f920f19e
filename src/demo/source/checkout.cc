// SPDX-License-Identifier: Apache-2.0
//
// Source text of checkout, C++.
#include "demo/source/files.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kMainCc =
    R"__(// checkout: takes orders. Threads serve requests, this one waits for the signal to stop.
#include <checkout/server.h>
#include <config/flags.h>
#include <log/log.h>

namespace {

shop::Config read_config(int argc, char** argv) {
  shop::Config config = shop::Config::Defaults();
  for (const flags::Flag& flag : flags::parse(argc, argv))
    config.set(flag.name, flag.value);
  return config;
}

}  // namespace

int main(int argc, char** argv) {
  const shop::Config config = read_config(argc, argv);
  shop::Catalogue catalogue;
  catalogue.Load(config.catalogue_file);
  shop::Server server(config, catalogue);
  server.Start();
  log::Info("checkout {} started", config.version);
  server.AwaitSignal();
  server.Stop();
  return 0;
}
)__";

constexpr std::string_view kServerCc =
    R"__(// Accepts connections, and gives each request to the worker that owns its connection.
#include <checkout/server.h>

#include <asio/io_context.hpp>
#include <http/parser.h>

namespace shop {

void Server::Start() {
  for (size_t i = 0; i < config_.workers; ++i)
    workers_.emplace_back([this, i] { Run(i); });
}

// A worker. Its event loop ends when the server stops.
void Server::Run(size_t worker) {
  thread::set_name("checkout-{}", worker);
  asio::io_context& loop = loops_[worker];
  sessions_.Expire(loop, config_.session_timeout);
  loop.run();
}

void Server::OnRead(Connection* connection, std::span<const char> bytes) {
  http::Parser& parser = connection->parser;
  parser.Feed(bytes);
  while (parser.has_request())
    Dispatch(connection, parser.take());
}

void Server::Dispatch(Connection* connection, http::Request request) {
  const trace::Context context = trace::from_headers(request.headers());
  const trace::Scope scope(context);
  const auto handler = routes_.find(request.route());
  if (handler == routes_.end())
    return Answer(connection, http::Response::NotFound());
  Answer(connection, handler->second->Handle(request));
}

void Server::Answer(Connection* connection, const http::Response& response) {
  std::string& out = connection->out;
  json::Writer writer(&out);
  writer.Object(response.body());
  connection->socket.send(out, response.is_last());
}

}  // namespace shop
)__";

constexpr std::string_view kCheckoutCc = R"__(// POST /orders: from the basket to the charge.
#include <checkout/checkout.h>

#include <checkout/basket.h>
#include <checkout/coupon.h>
#include <log/log.h>

namespace shop {

http::Response Checkout::Handle(const http::Request& request) {
  Order order;
  order.basket = read_basket(request.body());
  order.coupons = apply_coupons(order.basket, request.query("coupon"));
  inventory_.reserve(order.basket);
  order.total = total(order);
  if (!payments_.charge(order.total, request.header("x-card-token"))) {
    log::Warn("order not placed: card refused");
    return http::Response::PaymentRequired();
  }
  orders_.Append(order);
  log::Info("order placed, {} items", order.basket.size());
  return http::Response::Created(order);
}

Money Checkout::total(const Order& order) const {
  Money sum;
  for (const Item& item : order.basket) {
    const Money price = catalogue_.Price(item.sku) * item.count;
    sum += price + tax_.Of(price, order.country);
  }
  for (const Coupon& coupon : order.coupons)
    sum -= coupon.discount(sum);
  return sum.round(order.currency);
}

}  // namespace shop
)__";

constexpr std::string_view kBasketCc =
    R"__(// The basket as the storefront sends it: a JSON array of items.
#include <checkout/basket.h>

#include <json/parse.h>

namespace shop {
namespace {

Item read_item(const json::Value& value) {
  Item item;
  item.sku = value["sku"].as_string();
  item.count = value["count"].as_number();
  item.options = value["options"].as_strings();
  return item;
}

}  // namespace

Basket read_basket(std::string_view body) {
  const json::Value value = json::parse(body);
  Basket basket;
  basket.reserve(value.size());
  for (const json::Value& item : value.items())
    basket.push_back(read_item(item));
  basket.check_limits();
  return basket;
}

}  // namespace shop
)__";

constexpr std::string_view kCouponCc =
    R"__(// Coupons: which of them an order may use, and what they take off.
//
// Marketing edits the file with the rules. A rule has either a code, which must be entered exactly,
// or a pattern between slashes:
//
//   welcome;10;WELCOME10
//   summer;15;/^SUMMER(A+)+B$/
#include <checkout/coupon.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <log/log.h>
#include <text/split.h>

namespace shop {
namespace {

constexpr std::chrono::milliseconds kLimit{50};

bool is_pattern(std::string_view code) {
  return code.size() > 2 && code.front() == '/' && code.back() == '/';
}

Coupon parse_rule(std::string_view line) {
  const std::vector<std::string_view> parts = text::split(line, ';');
  Coupon coupon(parts.at(0), text::to_number(parts.at(1)));
  if (is_pattern(parts.at(2))) {
    coupon.set_pattern(parts.at(2).substr(1, parts.at(2).size() - 2));
    log::Info("coupon rule loaded: {}", coupon.pattern());
  } else {
    coupon.set_code(parts.at(2));
  }
  return coupon;
}

}  // namespace

std::vector<Coupon> load_rules(const std::string& path) {
  std::vector<Coupon> coupons;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    coupons.push_back(parse_rule(line));
  return coupons;
}

// Tries what the customer entered against every rule.
std::vector<Coupon> Checkout::apply_coupons(const Basket& basket, std::string_view code) {
  const Stopwatch watch;
  const std::string entered = text::to_upper(text::trim(code));
  std::vector<Coupon> applied;
  for (const Coupon& coupon : rules_) {
    if (!coupon.matches(entered))
      continue;
    if (catalogue_.Find(basket, coupon.category()))
      applied.push_back(coupon);
  }
  if (watch.elapsed() > kLimit)
    log::Warn("coupon rule took {} ms, limit is {} ms", watch.elapsed(), kLimit);
  return applied;
}

void Coupon::set_pattern(std::string_view pattern) {
  pattern_ = std::regex(pattern.begin(), pattern.end());
  has_pattern_ = true;
}

Money Coupon::discount(const Money& sum) const {
  return sum * percent_ / 100;
}

bool Coupon::is_valid_on(const Date& day) const {
  return first_day_ <= day && day <= last_day_;
}

bool Coupon::matches(const std::string& code) const {
  if (code.empty() || !is_valid_on(Date::today()))
    return false;
  for (const std::string& known : codes_) {
    if (known.compare(code) == 0)
      return true;
  }
  if (!has_pattern_)
    return false;
  // New in 1.4.2: one rule for a whole family of codes.
  return std::regex_search(code, pattern_);  // ^SUMMER(A+)+B$
}

}  // namespace shop
)__";

}  // namespace

std::span<const SourceFile> CheckoutSources() {
  static constexpr SourceFile kFiles[] = {{"main.cc", kMainCc},
                                          {"server.cc", kServerCc},
                                          {"checkout.cc", kCheckoutCc},
                                          {"basket.cc", kBasketCc},
                                          {"coupon.cc", kCouponCc}};
  return kFiles;
}

}  // namespace flarestack::demo

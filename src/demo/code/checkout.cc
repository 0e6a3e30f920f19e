// SPDX-License-Identifier: Apache-2.0
//
// The stacks of checkout, C++.
#include "demo/code/texts.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kPieces = R"(
= worker
+thread
 shop::Server::Run @ server.cc:19
  asio::io_context::run @ asio/impl/io_context.ipp:63
= read_event
+worker
 shop::Server::OnRead @ server.cc:26
= serve
+read_event
 shop::Server::Dispatch @ server.cc:35
= dfs
std::__detail::_Executor::_M_dfs @ bits/regex_executor.tcc:488 * 2
 std::__detail::_Executor::_M_handle_subexpr_begin @ bits/regex_executor.tcc:268 * 1
  std::__detail::_Executor::_M_dfs @ bits/regex_executor.tcc:488 * 1
   std::__detail::_Executor::_M_handle_repeat @ bits/regex_executor.tcc:221 * 2
    std::__detail::_Executor::_M_rep_once_more @ bits/regex_executor.tcc:190 * 2
     std::__detail::_Executor::_M_dfs @ bits/regex_executor.tcc:488 * 2
      std::__detail::_Executor::_M_handle_match @ bits/regex_executor.tcc:334 * 2
       ~std::__detail::_State::_M_matches @ bits/regex_automaton.h:148 * 3
      std::__detail::_Executor::_M_handle_subexpr_end @ bits/regex_executor.tcc:283
       std::__detail::_Executor::_M_dfs @ bits/regex_executor.tcc:488 * 1
        std::__detail::_Executor::_M_handle_repeat @ bits/regex_executor.tcc:221 * 2
         std::__detail::_Executor::_M_rep_once_more @ bits/regex_executor.tcc:190 * 1
          std::__detail::_Executor::_M_dfs @ bits/regex_executor.tcc:488 * 3
           std::__detail::_Executor::_M_handle_match @ bits/regex_executor.tcc:334 * 4
           std::__detail::_Executor::_M_handle_repeat @ bits/regex_executor.tcc:221 * 2
            std::__detail::_Executor::_M_dfs @ bits/regex_executor.tcc:488 * 1
             std::__detail::_Executor::_M_handle_accept @ bits/regex_executor.tcc:384 * 1
= json_value
json::parse_value @ json/parse.cc:174 * 1
 json::parse_object @ json/parse.cc:142 * 2
  json::parse_string @ json/parse.cc:96 * 4
   ~json::find_escape @ json/scan.h:31 * 3
   std::string::_M_append @ bits/basic_string.tcc:431
    +memcpy * 1
  json::parse_value @ json/parse.cc:180
   json::parse_number @ json/parse.cc:131 * 2
    std::from_chars @ libstdc++-v3/src/c++17/floating_from_chars.cc:1207 * 2
   json::parse_array @ json/parse.cc:118
    ~std::vector<json::Value>::emplace_back @ bits/vector.tcc:114
     +new * 3
    std::vector<json::Value>::_M_realloc_insert @ bits/vector.tcc:459 * 1
     +memcpy * 1
= log_line
log::Info @ log/log.cc:42
 fmt::v9::vformat @ fmt/format-inl.h:1472
  fmt::v9::detail::vformat_to @ fmt/core.h:3204 * 2
   fmt::v9::detail::do_write_float @ fmt/format.h:2502 * 1
 log::Writer::Append @ log/writer.cc:57 * 1
  pthread_mutex_lock @ nptl/pthread_mutex_lock.c:86 * 1
  +futex_wake * 1
)";

constexpr CodeText kTexts[] = {
    {Code::kServeOrder, "native", R"(
+read_event
 http::Parser::Feed @ http/parser.cc:140 * 3
  ~http::Parser::Header @ http/parser.cc:96 * 4
   http::Headers::Add @ http/headers.cc:38
    ~std::string::assign @ bits/basic_string.h:1387
     +malloc * 2
 shop::Server::Dispatch @ server.cc:30
  trace::from_headers @ trace/context.cc:29
   trace::parse_id @ trace/context.cc:14 * 2
 shop::Server::Dispatch @ server.cc:32
  ~std::unordered_map<std::string, Handler>::find @ bits/unordered_map.h:871
   std::_Hash_bytes @ libstdc++-v3/libsupc++/hash_bytes.cc:138 * 1
 shop::Server::Dispatch @ server.cc:35
  shop::Checkout::Handle @ checkout.cc:20
   shop::OrderLog::Append @ orders/order_log.cc:51 * 1
    +write_file * 4
  shop::Checkout::Handle @ checkout.cc:21
   +log_line * 5
  shop::Server::Answer @ server.cc:41
   json::Writer::Object @ json/writer.cc:52 * 1
    json::Writer::String @ json/writer.cc:81 * 2
     ~std::string::append @ bits/basic_string.h:1420
      +memcpy * 2
    json::Writer::Number @ json/writer.cc:104
     std::to_chars @ libstdc++-v3/src/c++17/floating_to_chars.cc:1534 * 2
  shop::Server::Answer @ server.cc:42
   asio::detail::socket_ops::send @ asio/detail/impl/socket_ops.ipp:1276
    __send @ sysdeps/unix/sysv/linux/send.c:28
     +tcp_send * 14
)"},
    {Code::kReadBasket, "native", R"(
+serve
 shop::Checkout::Handle @ checkout.cc:12
  shop::read_basket @ basket.cc:20
   json::parse @ json/parse.cc:210 * 1
    +json_value * 16
  shop::read_basket @ basket.cc:24
   shop::read_item @ basket.cc:11
    json::Value::operator[] @ json/value.cc:66 * 2
    json::Value::as_string @ json/value.cc:91
     +new * 1
   shop::read_item @ basket.cc:13
    json::Value::as_strings @ json/value.cc:117 * 1
     +new * 1
  shop::read_basket @ basket.cc:26
   json::Value::~Value @ json/value.cc:23 * 1
    +free * 3
)"},
    {Code::kCompareCoupons, "native", R"(
+serve
 shop::Checkout::Handle @ checkout.cc:13
  shop::Checkout::apply_coupons @ coupon.cc:52
   text::to_upper @ text/case.cc:19 * 1
    std::ctype<char>::do_toupper @ libstdc++-v3/config/os/gnu-linux/ctype_configure_char.cc:139 * 1
  shop::Checkout::apply_coupons @ coupon.cc:55 * 1
   shop::Coupon::matches @ coupon.cc:79
    shop::Date::today @ base/date.cc:33
     __clock_gettime @ sysdeps/unix/sysv/linux/clock_gettime.c:38 * 1
   shop::Coupon::matches @ coupon.cc:82 * 1
    ~std::string::compare @ bits/basic_string.h:3141 * 2
     __memcmp_avx2_movbe @ sysdeps/x86_64/multiarch/memcmp-avx2-movbe.S:413 * 5
  shop::Checkout::apply_coupons @ coupon.cc:57
   shop::Catalogue::Find @ catalogue/catalogue.cc:29 * 2
    ~std::unordered_map<std::string, Entry>::find @ bits/unordered_map.h:871
     std::_Hash_bytes @ libstdc++-v3/libsupc++/hash_bytes.cc:138 * 3
)"},
    // No single part dominates, so that a comparison points to the search and not into the library.
    {Code::kSearchCoupons, "native", R"(
+serve
 shop::Checkout::Handle @ checkout.cc:13
  shop::Checkout::apply_coupons @ coupon.cc:55
   shop::Coupon::matches @ coupon.cc:88
    ~std::regex_search @ bits/regex.h:2352 * 2
     std::__detail::_Executor::_M_handle_repeat @ bits/regex_executor.tcc:221 * 1
      +dfs * 9
     std::__detail::_Executor::_M_handle_alternative @ bits/regex_executor.tcc:411 * 1
      +dfs * 6
     std::vector<std::sub_match>::operator= @ bits/vector.tcc:213 * 1
      +memcpy * 1
      +new * 3
)"},
    {Code::kPriceOrder, "native", R"(
+serve
 shop::Checkout::Handle @ checkout.cc:15
  shop::Checkout::total @ checkout.cc:28
   shop::Catalogue::Price @ catalogue/catalogue.cc:57 * 2
    std::_Hash_bytes @ libstdc++-v3/libsupc++/hash_bytes.cc:138 * 1
  shop::Checkout::total @ checkout.cc:29
   shop::Tax::Of @ tax/tax.cc:33 * 2
    shop::Tax::Rule @ tax/rules.cc:71 * 2
     ~std::lower_bound @ bits/stl_algo.h:1998 * 1
  shop::Checkout::total @ checkout.cc:32
   shop::Coupon::discount @ coupon.cc:71 * 1
  shop::Checkout::total @ checkout.cc:33
   ~shop::Money::round @ base/money.h:40 * 3
    __udivti3 @ libgcc/libgcc2.c:1214 * 2
)"},
    {Code::kCheckoutBackground, "native", R"(
+worker
 asio::detail::scheduler::do_run_one @ asio/detail/impl/scheduler.ipp:493
  asio::detail::epoll_reactor::run @ asio/detail/impl/epoll_reactor.ipp:520 * 1
   epoll_wait @ sysdeps/unix/sysv/linux/epoll_wait.c:30
    +poll_events * 7
 asio::detail::wait_handler::do_complete @ asio/detail/wait_handler.hpp:74
  shop::Sessions::Expire @ sessions/sessions.cc:91 * 3
   ~std::list<shop::Session>::erase @ bits/list.tcc:156
    +free * 4
+thread
 log::Writer::Run @ log/writer.cc:88 * 1
  log::Writer::Flush @ log/writer.cc:71
   __write @ sysdeps/unix/sysv/linux/write.c:26
    +write_file * 3
+thread
 metrics::Exporter::Run @ metrics/exporter.cc:40
  metrics::Registry::Collect @ metrics/registry.cc:112 * 1
   metrics::Histogram::Snapshot @ metrics/histogram.cc:64 * 2
  opentelemetry::proto::MetricsData::SerializeToString @ google/protobuf/message_lite.cc:466
   google::protobuf::internal::WireFormatLite::WriteMessage @ google/protobuf/wire_format_lite.h:1842 * 2
    +memcpy * 1
)"},
    {Code::kAwaitInventory, "native", R"(
+serve
 shop::Checkout::Handle @ checkout.cc:14
  shop::Inventory::reserve @ clients/inventory_client.cc:30
   http::Client::Post @ http/client.cc:77
    http::Connection::ReadResponse @ http/connection.cc:112
     __recv @ sysdeps/unix/sysv/linux/recv.c:28
      +await_packet * 1
)"},
    {Code::kAwaitPayments, "native", R"(
+serve
 shop::Checkout::Handle @ checkout.cc:16
  shop::Payments::charge @ clients/payments_client.cc:41
   http::Client::Post @ http/client.cc:77
    http::Connection::ReadResponse @ http/connection.cc:112
     __recv @ sysdeps/unix/sysv/linux/recv.c:28
      +await_packet * 1
)"},
    {Code::kCheckoutQueued, "native", R"(
+read_event
 +run_queue * 1
)"},
    {Code::kCheckoutHeap, "native", R"(
_start @ sysdeps/x86_64/start.S:115
 __libc_start_main_impl @ csu/libc-start.c:381
  main @ main.cc:20
   shop::Catalogue::Load @ catalogue/catalogue.cc:12 * 1
    ~std::unordered_map<std::string, Entry>::emplace @ bits/unordered_map.h:396
     operator new @ libstdc++-v3/libsupc++/new_op.cc:50 * 7
    std::string::_M_create @ bits/basic_string.tcc:153
     operator new @ libstdc++-v3/libsupc++/new_op.cc:50 * 4
  main @ main.cc:22
   shop::Server::Start @ server.cc:11
    ~std::vector<std::thread>::emplace_back @ bits/vector.tcc:114
     operator new @ libstdc++-v3/libsupc++/new_op.cc:50 * 1
+serve
 shop::Checkout::Handle @ checkout.cc:12
  shop::read_basket @ basket.cc:20
   json::parse @ json/parse.cc:210
    json::parse_array @ json/parse.cc:118
     operator new @ libstdc++-v3/libsupc++/new_op.cc:50 * 4
  shop::read_basket @ basket.cc:22
   operator new @ libstdc++-v3/libsupc++/new_op.cc:50 * 2
+read_event
 http::Parser::Feed @ http/parser.cc:140
  http::Headers::Add @ http/headers.cc:38
   operator new @ libstdc++-v3/libsupc++/new_op.cc:50 * 2
)"},
};

}  // namespace

ServiceCode CheckoutCode() { return {.pieces = {"native", kPieces}, .texts = kTexts}; }

}  // namespace flarestack::demo

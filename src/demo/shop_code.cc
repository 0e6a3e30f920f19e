// SPDX-License-Identifier: Apache-2.0
#include "demo/shop_code.h"

#include <array>

#include "base/check.h"

namespace flarestack::demo {
namespace {

struct CodeText {
  Code code;
  std::string_view type;
  std::string_view text;
};

constexpr std::string_view kJavaScript = "v8js";
constexpr std::string_view kNative = "native";
constexpr std::string_view kJava = "jvm";
constexpr std::string_view kGo = "go";

constexpr CodeText kStorefront[] = {{Code::kRoutePage, kJavaScript, R"(
[native] node::Start @ src/node.cc:1199
 [native] uv_run @ deps/uv/src/unix/core.c:425
  [v8js] Server.onRequest @ server.js:41
   route @ router.js:88
    matchRoute @ router.js:31 * 3
    readSession @ session.js:57 * 2
     JSON.parse @ node:json:1 * 2
   [kernel] entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
    ksys_read @ fs/read_write.c:612
     tcp_recvmsg @ net/ipv4/tcp.c:2676 * 1
)"},
                                    {Code::kRenderPage, kJavaScript, R"(
[native] node::Start @ src/node.cc:1199
 [native] uv_run @ deps/uv/src/unix/core.c:425
  [v8js] Server.onRequest @ server.js:41
   route @ router.js:88
    renderPage @ render.js:12
     Template.fill @ template.js:140 * 6
      ~escapeHtml @ escape.js:9 * 3
     formatPrice @ money.js:22
      Intl.NumberFormat.format @ node:intl:1 * 2
     [kernel] entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
      do_writev @ fs/read_write.c:993
       tcp_sendmsg @ net/ipv4/tcp.c:1390 * 1
)"},
                                    {Code::kEncodeOrder, kJavaScript, R"(
[native] node::Start @ src/node.cc:1199
 [native] uv_run @ deps/uv/src/unix/core.c:425
  [v8js] Server.onRequest @ server.js:41
   route @ router.js:88
    placeOrder @ clients.js:61
     JSON.stringify @ node:json:1 * 3
     http.request @ node:http:101 * 1
)"},
                                    {Code::kStorefrontBackground, kJavaScript, R"(
[native] node::Start @ src/node.cc:1199
 [native] uv_run @ deps/uv/src/unix/core.c:425
  [v8js] reportMetrics @ metrics.js:70 * 2
  [native] v8::internal::Heap::Scavenge @ src/heap/heap.cc:2210
   v8::internal::ScavengerCollector::CollectGarbage @ src/heap/scavenger.cc:330 * 4
   v8::internal::MarkCompactCollector::Evacuate @ src/heap/mark-compact.cc:4481 * 1
)"},
                                    {Code::kStorefrontAwait, kJavaScript, R"(
[native] node::Start @ src/node.cc:1199
 [native] uv_run @ deps/uv/src/unix/core.c:425
  [native] uv__io_poll @ deps/uv/src/unix/linux.c:1400
   [kernel] entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
    do_epoll_wait @ fs/eventpoll.c:2261
     schedule @ kernel/sched/core.c:6780 * 1
)"},
                                    {Code::kStorefrontQueued, kJavaScript, R"(
[native] node::Start @ src/node.cc:1199
 [native] uv_run @ deps/uv/src/unix/core.c:425
  [v8js] Server.onRequest @ server.js:41
   [kernel] exit_to_user_mode_loop @ kernel/entry/common.c:170
    schedule @ kernel/sched/core.c:6780 * 1
)"},
                                    {Code::kStorefrontHeap, kJavaScript, R"(
[native] node::Start @ src/node.cc:1199
 [v8js] loadTemplates @ template.js:18 * 5
 Server.onRequest @ server.js:41
  readSession @ session.js:57 * 3
  renderPage @ render.js:12
   Template.fill @ template.js:140 * 4
)"}};

constexpr CodeText kCheckout[] = {
    {Code::kServeOrder, kNative, R"(
main @ main.cc:31
 shop::Server::Run @ server.cc:77
  http::Parser::Feed @ parser.cc:140 * 2
  shop::Checkout::Handle @ checkout.cc:44
   json::Writer::Object @ json_writer.cc:52
    ~std::string::append @ bits/basic_string.h:1420 * 2
   log::Info @ log.cc:12 * 1
    [kernel] entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
     ksys_write @ fs/read_write.c:637 * 1
  [kernel] entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
   __sys_sendmsg @ net/socket.c:2571
    tcp_sendmsg @ net/ipv4/tcp.c:1390
     __tcp_transmit_skb @ net/ipv4/tcp_output.c:1402 * 3
)"},
    {Code::kReadBasket, kNative, R"(
main @ main.cc:31
 shop::Server::Run @ server.cc:77
  shop::Checkout::Handle @ checkout.cc:44
   shop::read_basket @ basket.cc:18
    json::parse @ json.cc:210
     json::parse_string @ json.cc:96 * 4
     json::parse_number @ json.cc:131 * 2
     ~std::vector<json::Value>::emplace_back @ bits/vector.tcc:114
      operator new @ new_op.cc:50
       malloc @ malloc/malloc.c:3301 * 2
)"},
    {Code::kCompareCoupons, kNative, R"(
main @ main.cc:31
 shop::Server::Run @ server.cc:77
  shop::Checkout::Handle @ checkout.cc:46
   shop::Checkout::apply_coupons @ coupon.cc:71 * 1
    shop::Coupon::matches @ coupon.cc:52
     ~std::string::compare @ bits/basic_string.h:3141
      __memcmp_avx2_movbe @ sysdeps/x86_64/multiarch/memcmp-avx2-movbe.S:413 * 3
    shop::Catalogue::Find @ catalogue.cc:29 * 2
)"},
    // The work below regex_search has several parts, none of which is most of it: whoever looks for
    // what changed is led to the search and not into the library.
    {Code::kSearchCoupons, kNative, R"(
main @ main.cc:31
 shop::Server::Run @ server.cc:77
  shop::Checkout::Handle @ checkout.cc:46
   shop::Checkout::apply_coupons @ coupon.cc:71
    shop::Coupon::matches @ coupon.cc:88
     ~std::regex_search @ bits/regex.h:2352 * 2
      std::__detail::_Executor::_M_handle_repeat @ bits/regex_executor.tcc:221 * 3
       std::__detail::_Executor::_M_dfs @ bits/regex_executor.tcc:488 * 5
      std::__detail::_Executor::_M_handle_alternative @ bits/regex_executor.tcc:411
       std::__detail::_Executor::_M_dfs @ bits/regex_executor.tcc:488 * 5
      std::vector<std::sub_match>::operator= @ bits/vector.tcc:213
       operator new @ new_op.cc:50
        malloc @ malloc/malloc.c:3301 * 3
)"},
    {Code::kPriceOrder, kNative, R"(
main @ main.cc:31
 shop::Server::Run @ server.cc:77
  shop::Checkout::Handle @ checkout.cc:51
   shop::Checkout::total @ checkout.cc:120
    shop::Tax::Of @ tax.cc:33 * 2
    ~shop::Money::round @ money.h:40 * 3
)"},
    {Code::kCheckoutBackground, kNative, R"(
main @ main.cc:31
 shop::Server::Run @ server.cc:77
  shop::Sessions::Expire @ sessions.cc:91 * 2
  [kernel] entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
   do_epoll_wait @ fs/eventpoll.c:2261 * 2
__clone3 @ sysdeps/unix/sysv/linux/x86_64/clone3.S:81
 log::Writer::Run @ log.cc:88 * 1
)"},
    {Code::kAwaitInventory, kNative, R"(
main @ main.cc:31
 shop::Server::Run @ server.cc:77
  shop::Checkout::Handle @ checkout.cc:48
   shop::Inventory::reserve @ inventory_client.cc:30
    http::Client::Post @ http_client.cc:77
     recv @ sysdeps/unix/sysv/linux/recv.c:28
      [kernel] entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
       tcp_recvmsg @ net/ipv4/tcp.c:2676
        schedule_timeout @ kernel/time/timer.c:2121 * 1
)"},
    {Code::kAwaitPayments, kNative, R"(
main @ main.cc:31
 shop::Server::Run @ server.cc:77
  shop::Checkout::Handle @ checkout.cc:53
   shop::Payments::charge @ payments_client.cc:41
    http::Client::Post @ http_client.cc:77
     recv @ sysdeps/unix/sysv/linux/recv.c:28
      [kernel] entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
       tcp_recvmsg @ net/ipv4/tcp.c:2676
        schedule_timeout @ kernel/time/timer.c:2121 * 1
)"},
    {Code::kCheckoutQueued, kNative, R"(
main @ main.cc:31
 shop::Server::Run @ server.cc:77
  shop::Checkout::Handle @ checkout.cc:44
   [kernel] exit_to_user_mode_loop @ kernel/entry/common.c:170
    schedule @ kernel/sched/core.c:6780 * 1
)"},
    {Code::kCheckoutHeap, kNative, R"(
main @ main.cc:31
 shop::Catalogue::Load @ catalogue.cc:12
  operator new @ new_op.cc:50 * 6
 shop::Server::Run @ server.cc:77
  shop::Checkout::Handle @ checkout.cc:44
   shop::read_basket @ basket.cc:18
    operator new @ new_op.cc:50 * 3
)"}};

constexpr CodeText kInventory[] = {{Code::kReserveStock, kJava, R"(
[native] thread_native_entry @ os_linux.cpp:858
 [jvm] java.lang.Thread.run @ Thread.java:1583
  shop.Worker.loop @ Worker.java:70
   shop.StockService.reserve @ StockService.java:112
    java.util.HashMap.get @ HashMap.java:564 * 3
    org.postgresql.jdbc.PgResultSet.next @ PgResultSet.java:2200 * 3
     org.postgresql.core.PGStream.receiveInteger4 @ PGStream.java:410 * 1
   shop.OrderCodec.decode @ OrderCodec.java:301 * 2
)"},
                                   {Code::kReadStock, kJava, R"(
[native] thread_native_entry @ os_linux.cpp:858
 [jvm] java.lang.Thread.run @ Thread.java:1583
  shop.Worker.loop @ Worker.java:70
   shop.StockService.find @ StockService.java:64
    shop.StockCache.get @ StockCache.java:33
     java.util.HashMap.get @ HashMap.java:564 * 3
     shop.StockCache.put @ StockCache.java:48
      java.util.HashMap.resize @ HashMap.java:712 * 2
)"},
                                   {Code::kInventoryBackground, kJava, R"(
[native] thread_native_entry @ os_linux.cpp:858
 [native] WorkerThread::run @ workerThread.cpp:69
  G1EvacuateRegionsTask::work @ g1YoungCollector.cpp:651
   G1ParScanThreadState::trim_queue_to_threshold @ g1ParScanThreadState.cpp:329 * 4
 [native] CompileBroker::compiler_thread_loop @ compileBroker.cpp:1940
  C2Compiler::compile_method @ c2compiler.cpp:120 * 1
)"},
                                   {Code::kAwaitDatabase, kJava, R"(
[native] thread_native_entry @ os_linux.cpp:858
 [jvm] java.lang.Thread.run @ Thread.java:1583
  shop.Worker.loop @ Worker.java:70
   shop.StockService.query @ StockService.java:140
    org.postgresql.core.PGStream.receiveChar @ PGStream.java:372
     sun.nio.ch.NioSocketImpl.read @ NioSocketImpl.java:350
      [kernel] entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
       tcp_recvmsg @ net/ipv4/tcp.c:2676
        schedule_timeout @ kernel/time/timer.c:2121 * 1
)"},
                                   {Code::kInventoryQueued, kJava, R"(
[native] thread_native_entry @ os_linux.cpp:858
 [jvm] java.lang.Thread.run @ Thread.java:1583
  shop.Worker.loop @ Worker.java:70
   [kernel] exit_to_user_mode_loop @ kernel/entry/common.c:170
    schedule @ kernel/sched/core.c:6780 * 1
)"},
                                   {Code::kInventoryHeap, kJava, R"(
java.lang.Thread.run @ Thread.java:1583
 shop.Worker.loop @ Worker.java:70
  shop.StockService.reserve @ StockService.java:112
   java.util.ArrayList.grow @ ArrayList.java:237 * 3
  shop.OrderCodec.decode @ OrderCodec.java:301 * 2
 shop.Main.start @ Main.java:25
  com.zaxxer.hikari.pool.HikariPool.createPoolEntry @ HikariPool.java:497 * 4
)"},
                                   {Code::kInventoryCache, kJava, R"(
java.lang.Thread.run @ Thread.java:1583
 shop.Worker.loop @ Worker.java:70
  shop.StockService.find @ StockService.java:64
   shop.StockCache.put @ StockCache.java:48
    java.util.HashMap.newNode @ HashMap.java:1901 * 2
    shop.StockEntry.copyOf @ StockEntry.java:31 * 5
)"}};

constexpr CodeText kPayments[] = {{Code::kCharge, kGo, R"(
runtime.goexit @ runtime/asm_amd64.s:1700
 net/http.(*conn).serve @ net/http/server.go:2092
  main.(*server).charge @ charge.go:41
   encoding/json.Marshal @ encoding/json/encode.go:165
    encoding/json.(*encodeState).reflectValue @ encoding/json/encode.go:310 * 2
   crypto/tls.(*Conn).Write @ crypto/tls/conn.go:1160
    crypto/internal/fips140/aes/gcm.gcmAesEnc @ crypto/internal/fips140/aes/gcm/gcm_asm.go:12 * 4
   main.(*ledger).append @ ledger.go:66
    crypto/sha256.block @ crypto/sha256/sha256block.go:77 * 3
)"},
                                  {Code::kPaymentsBackground, kGo, R"(
runtime.goexit @ runtime/asm_amd64.s:1700
 runtime.gcBgMarkWorker @ runtime/mgc.go:1366
  runtime.gcDrain @ runtime/mgcmark.go:1080
   runtime.scanobject @ runtime/mgcmark.go:1370 * 3
runtime.mcall @ runtime/asm_amd64.s:458
 runtime.schedule @ runtime/proc.go:3995
  runtime.findRunnable @ runtime/proc.go:3430
   [kernel] entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
    do_futex @ kernel/futex/syscalls.c:95 * 1
)"},
                                  {Code::kAwaitBank, kGo, R"(
runtime.goexit @ runtime/asm_amd64.s:1700
 net/http.(*conn).serve @ net/http/server.go:2092
  main.(*server).charge @ charge.go:58
   main.(*bank).authorize @ bank.go:37
    net/http.(*Client).Do @ net/http/client.go:590
     internal/poll.runtime_pollWait @ runtime/netpoll.go:351
      runtime.gopark @ runtime/proc.go:424 * 1
)"},
                                  {Code::kAwaitLedger, kGo, R"(
runtime.goexit @ runtime/asm_amd64.s:1700
 net/http.(*conn).serve @ net/http/server.go:2092
  main.(*server).charge @ charge.go:63
   main.(*ledger).append @ ledger.go:61
    sync.(*Mutex).Lock @ sync/mutex.go:90
     ~sync.(*Mutex).lockSlow @ sync/mutex.go:171
      sync.runtime_SemacquireMutex @ runtime/sema.go:95
       runtime.gopark @ runtime/proc.go:424 * 1
)"},
                                  {Code::kPaymentsQueued, kGo, R"(
runtime.goexit @ runtime/asm_amd64.s:1700
 net/http.(*conn).serve @ net/http/server.go:2092
  runtime.mcall @ runtime/asm_amd64.s:458
   runtime.schedule @ runtime/proc.go:3995 * 1
)"},
                                  {Code::kPaymentsHeap, kGo, R"(
runtime.goexit @ runtime/asm_amd64.s:1700
 net/http.(*conn).serve @ net/http/server.go:2092
  bufio.NewReaderSize @ bufio/bufio.go:57 * 3
  main.(*server).charge @ charge.go:41
   encoding/json.Marshal @ encoding/json/encode.go:165 * 2
runtime.main @ runtime/proc.go:283
 main.main @ main.go:22
  main.openLedger @ ledger.go:24 * 5
)"}};

constexpr size_t kCodeCount = static_cast<size_t>(Code::kPaymentsHeap) + 1;

using Trees = std::array<CodeTree, kCodeCount>;

template <size_t kCount>
void Read(const CodeText (&texts)[kCount], Trees* trees) {
  for (const CodeText& entry : texts)
    (*trees)[static_cast<size_t>(entry.code)] = ParseCodeTree(entry.text, entry.type);
}

Trees ReadAll() {
  Trees trees;
  Read(kStorefront, &trees);
  Read(kCheckout, &trees);
  Read(kInventory, &trees);
  Read(kPayments, &trees);
  for (const CodeTree& tree : trees)
    FLARE_CHECK(tree.weight > 0);  // a code without a text
  return trees;
}

}  // namespace

const CodeTree& TreeOf(Code code) {
  static const Trees* const trees = new Trees(ReadAll());
  return (*trees)[static_cast<size_t>(code)];
}

std::string_view WaitStateOf(Code code) {
  switch (code) {
    case Code::kStorefrontAwait:
    case Code::kAwaitInventory:
    case Code::kAwaitPayments:
    case Code::kAwaitDatabase:
    case Code::kAwaitBank:
      return "sleep";
    case Code::kAwaitLedger:
      return "lock";
    case Code::kStorefrontQueued:
    case Code::kCheckoutQueued:
    case Code::kInventoryQueued:
    case Code::kPaymentsQueued:
      return "run_queue";
    default:
      return "";
  }
}

}  // namespace flarestack::demo

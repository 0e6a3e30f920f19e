// SPDX-License-Identifier: Apache-2.0
//
// The stacks of inventory, Java.
#include "demo/code/texts.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kPieces = R"(
= java
+thread
 thread_native_entry @ src/hotspot/os/linux/os_linux.cpp:858
  Thread::call_run @ src/hotspot/share/runtime/thread.cpp:220
= worker
+java
 JavaThread::thread_main_inner @ src/hotspot/share/runtime/javaThread.cpp:721
  JavaCalls::call_virtual @ src/hotspot/share/runtime/javaCalls.cpp:179
   [jvm] java.lang.Thread.run @ Thread.java:1583
    java.util.concurrent.ThreadPoolExecutor$Worker.run @ ThreadPoolExecutor.java:642
     java.util.concurrent.ThreadPoolExecutor.runWorker @ ThreadPoolExecutor.java:1144
      io.undertow.server.Connectors.executeRootHandler @ Connectors.java:395
       shop.Routes.handle @ Routes.java:47
= postgres
org.postgresql.jdbc.PgPreparedStatement.executeQuery @ PgPreparedStatement.java:134
 org.postgresql.jdbc.PgStatement.execute @ PgStatement.java:490
  org.postgresql.core.v3.QueryExecutorImpl.execute @ QueryExecutorImpl.java:371
= socket_read
org.postgresql.core.PGStream.receiveChar @ PGStream.java:469
 org.postgresql.core.VisibleBufferedInputStream.readMore @ VisibleBufferedInputStream.java:161
  sun.nio.ch.NioSocketImpl.implRead @ NioSocketImpl.java:346
   sun.nio.ch.SocketDispatcher.read0 @ SocketDispatcher.java:66
    [native] Java_sun_nio_ch_SocketDispatcher_read0 @ src/java.base/unix/native/libnio/ch/SocketDispatcher.c:63
     __read @ sysdeps/unix/sysv/linux/read.c:26
= decode
shop.OrderCodec.decode @ OrderCodec.java:61
 com.fasterxml.jackson.databind.ObjectMapper.readValue @ ObjectMapper.java:3648
  com.fasterxml.jackson.databind.deser.BeanDeserializer.vanillaDeserialize @ BeanDeserializer.java:311 * 2
   com.fasterxml.jackson.databind.deser.std.CollectionDeserializer.deserialize @ CollectionDeserializer.java:244
    com.fasterxml.jackson.databind.deser.std.StringDeserializer.deserialize @ StringDeserializer.java:42 * 2
     com.fasterxml.jackson.core.json.UTF8StreamJsonParser.getText @ UTF8StreamJsonParser.java:294 * 3
      ~java.lang.StringLatin1.inflate @ StringLatin1.java:71 * 1
)";

constexpr CodeText kTexts[] = {
    {Code::kReserveStock, "jvm", R"(
+worker
 +decode * 7
 shop.StockService.reserve @ StockService.java:33
  shop.StockService.query @ StockService.java:47
   com.zaxxer.hikari.pool.HikariPool.getConnection @ HikariPool.java:163
    com.zaxxer.hikari.util.ConcurrentBag.borrow @ ConcurrentBag.java:118 * 2
  shop.StockService.query @ StockService.java:48
   org.postgresql.jdbc.PgConnection.prepareStatement @ PgConnection.java:1299 * 1
    org.postgresql.core.Parser.parseJdbcSql @ Parser.java:73 * 3
     ~java.lang.String.charAt @ String.java:1555 * 1
  shop.StockService.query @ StockService.java:50
   +postgres
    org.postgresql.core.v3.QueryExecutorImpl.sendParse @ QueryExecutorImpl.java:1636 * 1
     java.io.BufferedOutputStream.flush @ BufferedOutputStream.java:252
      sun.nio.ch.NioSocketImpl.implWrite @ NioSocketImpl.java:424
       [native] __write @ sysdeps/unix/sysv/linux/write.c:26
        +tcp_send * 7
    org.postgresql.core.v3.QueryExecutorImpl.processResults @ QueryExecutorImpl.java:2286 * 2
     org.postgresql.core.PGStream.receiveTupleV3 @ PGStream.java:639 * 4
     +socket_read
      +tcp_receive * 4
  shop.StockService.query @ StockService.java:51
   org.postgresql.jdbc.PgResultSet.next @ PgResultSet.java:2200 * 3
  shop.StockService.query @ StockService.java:52
   shop.StockEntry.of @ StockEntry.java:24 * 1
    org.postgresql.jdbc.PgResultSet.getLong @ PgResultSet.java:2381 * 2
     org.postgresql.jdbc.PgResultSet.toLong @ PgResultSet.java:3190 * 2
 shop.StockService.reserve @ StockService.java:36
  java.util.HashMap.get @ HashMap.java:564 * 1
   java.util.HashMap.getNode @ HashMap.java:576 * 3
    ~java.lang.String.equals @ String.java:1861 * 2
 shop.StockService.reserve @ StockService.java:40
  shop.Reservation.add @ Reservation.java:19 * 1
   java.util.ArrayList.grow @ ArrayList.java:237 * 1
)"},
    {Code::kReadStock, "jvm", R"(
+worker
 shop.StockService.find @ StockService.java:24
  shop.StockCache.get @ StockCache.java:14 * 1
   shop.StockCache.key @ StockCache.java:20 * 1
    java.lang.StringConcatHelper.simpleConcat @ StringConcatHelper.java:421 * 3
     [native] __memmove_avx_unaligned_erms @ sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S:512 * 1
   java.util.HashMap.get @ HashMap.java:564
    java.util.HashMap.getNode @ HashMap.java:576 * 4
     ~java.lang.String.equals @ String.java:1861 * 2
 shop.StockService.find @ StockService.java:27
  shop.StockCache.put @ StockCache.java:24
   shop.StockEntry.copyOf @ StockEntry.java:31 * 2
    [native] OptoRuntime::new_instance_C @ src/hotspot/share/opto/runtime.cpp:250
     MemAllocator::allocate @ src/hotspot/share/gc/shared/memAllocator.cpp:363
      G1CollectedHeap::allocate_new_tlab @ src/hotspot/share/gc/g1/g1CollectedHeap.cpp:370 * 1
       +page_fault * 2
  shop.StockCache.put @ StockCache.java:25
   java.util.HashMap.putVal @ HashMap.java:661 * 1
    java.util.HashMap.resize @ HashMap.java:712 * 4
 shop.Json.write @ Json.java:22
  com.fasterxml.jackson.databind.ser.BeanSerializer.serialize @ BeanSerializer.java:183 * 2
   com.fasterxml.jackson.core.json.UTF8JsonGenerator.writeString @ UTF8JsonGenerator.java:531 * 3
)"},
    {Code::kInventoryBackground, "native", R"(
+java
 WorkerThread::run @ src/hotspot/share/gc/shared/workerThread.cpp:69
  G1EvacuateRegionsTask::work @ src/hotspot/share/gc/g1/g1YoungCollector.cpp:651
   G1RemSet::scan_heap_roots @ src/hotspot/share/gc/g1/g1RemSet.cpp:1190 * 2
    G1ScanHRForRegionClosure::scan_memregion @ src/hotspot/share/gc/g1/g1RemSet.cpp:621 * 3
   G1ParScanThreadState::trim_queue_to_threshold @ src/hotspot/share/gc/g1/g1ParScanThreadState.cpp:329 * 4
    G1ParScanThreadState::do_copy_to_survivor_space @ src/hotspot/share/gc/g1/g1ParScanThreadState.cpp:476 * 5
     +memcpy * 3
  G1CMConcurrentMarkingTask::work @ src/hotspot/share/gc/g1/g1ConcurrentMark.cpp:882
   G1CMTask::do_marking_step @ src/hotspot/share/gc/g1/g1ConcurrentMark.cpp:2650 * 1
    G1CMTask::drain_local_queue @ src/hotspot/share/gc/g1/g1ConcurrentMark.cpp:2314 * 3
 JavaThread::thread_main_inner @ src/hotspot/share/runtime/javaThread.cpp:721
  CompileBroker::compiler_thread_loop @ src/hotspot/share/compiler/compileBroker.cpp:1940
   C2Compiler::compile_method @ src/hotspot/share/opto/c2compiler.cpp:120
    Compile::Optimize @ src/hotspot/share/opto/compile.cpp:2257 * 1
     PhaseIdealLoop::build_and_optimize @ src/hotspot/share/opto/loopnode.cpp:4702 * 2
     PhaseIterGVN::optimize @ src/hotspot/share/opto/phaseX.cpp:1262 * 2
    Compile::Code_Gen @ src/hotspot/share/opto/compile.cpp:2910
     PhaseChaitin::Register_Allocate @ src/hotspot/share/opto/chaitin.cpp:423 * 2
)"},
    {Code::kAwaitDatabase, "jvm", R"(
+worker
 shop.StockService.reserve @ StockService.java:33
  shop.StockService.query @ StockService.java:50
   +postgres
    org.postgresql.core.v3.QueryExecutorImpl.processResults @ QueryExecutorImpl.java:2286
     +socket_read
      +await_packet * 1
)"},
    {Code::kInventoryQueued, "jvm", R"(
+worker
 +run_queue * 1
)"},
    {Code::kInventoryHeap, "jvm", R"(
+worker
 shop.StockService.reserve @ StockService.java:40
  shop.Reservation.add @ Reservation.java:19
   java.util.ArrayList.grow @ ArrayList.java:237 * 3
 shop.StockService.reserve @ StockService.java:33
  shop.StockService.query @ StockService.java:53
   java.util.HashMap.putVal @ HashMap.java:638 * 2
 +decode * 4
java.lang.Thread.run @ Thread.java:1583
 shop.Main.main @ Main.java:25
  com.zaxxer.hikari.pool.HikariPool.createPoolEntry @ HikariPool.java:497 * 4
   org.postgresql.core.VisibleBufferedInputStream.<init> @ VisibleBufferedInputStream.java:58 * 3
)"},
    {Code::kInventoryCache, "jvm", R"(
+worker
 shop.StockService.find @ StockService.java:27
  shop.StockCache.put @ StockCache.java:25
   java.util.HashMap.newNode @ HashMap.java:1901 * 2
   shop.StockCache.key @ StockCache.java:20
    java.lang.StringConcatHelper.newArray @ StringConcatHelper.java:511 * 2
  shop.StockCache.put @ StockCache.java:24
   shop.StockEntry.copyOf @ StockEntry.java:31 * 5
)"},
};

}  // namespace

ServiceCode InventoryCode() { return {.pieces = {"native", kPieces}, .texts = kTexts}; }

}  // namespace flarestack::demo

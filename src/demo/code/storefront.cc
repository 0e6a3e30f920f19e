// SPDX-License-Identifier: Apache-2.0
//
// The stacks of storefront, JavaScript in Node.js.
#include "demo/code/texts.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kPieces = R"(
= loop
_start @ sysdeps/x86_64/start.S:115
 __libc_start_main_impl @ csu/libc-start.c:381
  node::Start @ src/node.cc:1199
   node::NodeMainInstance::Run @ src/node_main_instance.cc:127
    node::SpinEventLoopInternal @ src/api/embed_helpers.cc:44
     uv_run @ deps/uv/src/unix/core.c:425
= stream_event
+loop
 uv__io_poll @ deps/uv/src/unix/linux.c:1528
  uv__stream_io @ deps/uv/src/unix/stream.c:1217
   uv__read @ deps/uv/src/unix/stream.c:1089
    node::LibuvStreamWrap::OnUvRead @ src/stream_wrap.cc:272
= parse_event
+stream_event
 node::(anonymous namespace)::Parser::Execute @ src/node_http_parser.cc:689
  llhttp__internal_execute @ deps/llhttp/src/llhttp.c:1094
   node::(anonymous namespace)::Parser::on_headers_complete @ src/node_http_parser.cc:370
    node::InternalMakeCallback @ src/api/callback.cc:195
     v8::Function::Call @ deps/v8/src/api/api.cc:5310
      Builtins_JSEntryTrampoline @ deps/v8/src/builtins/x64/builtins-x64.cc:615
       [v8js] parserOnHeadersComplete @ node:_http_common:119
        parserOnIncoming @ node:_http_server:1109
         emit @ node:events:518
= task
+loop
 node::InternalCallbackScope::Close @ src/api/callback.cc:137
  v8::MicrotasksScope::PerformCheckpoint @ deps/v8/src/api/api.cc:10112
   Builtins_RunMicrotasks @ deps/v8/src/builtins/builtins-microtask-queue-gen.cc:117
    [v8js] processTicksAndRejections @ node:internal/process/task_queues:105
= collect
v8::internal::Heap::AllocateRawWithRetryOrFailSlowPath @ deps/v8/src/heap/heap.cc:5480
 v8::internal::Heap::CollectGarbage @ deps/v8/src/heap/heap.cc:1640
  v8::internal::Heap::Scavenge @ deps/v8/src/heap/heap.cc:2410 * 1
   v8::internal::ScavengerCollector::CollectGarbage @ deps/v8/src/heap/scavenger.cc:420
    v8::internal::Scavenger::Process @ deps/v8/src/heap/scavenger.cc:811 * 3
     v8::internal::Scavenger::ScavengeObject @ deps/v8/src/heap/scavenger-inl.h:395 * 4
      +memcpy * 2
= json_parse
JSON.parse @ native json.js:1 * 2
 [native] v8::internal::JsonParser::ParseJsonValue @ deps/v8/src/json/json-parser.cc:1250 * 4
  v8::internal::JsonParser::ScanJsonString @ deps/v8/src/json/json-parser.cc:1893 * 3
  v8::internal::JsonParser::BuildJsonObject @ deps/v8/src/json/json-parser.cc:1016 * 2
   +collect * 1
)";

constexpr CodeText kTexts[] = {
    {Code::kRoutePage, "v8js", R"(
+stream_event
 node::(anonymous namespace)::Parser::Execute @ src/node_http_parser.cc:689
  llhttp__internal_execute @ deps/llhttp/src/llhttp.c:1094 * 3
   node::(anonymous namespace)::Parser::on_header_value @ src/node_http_parser.cc:348 * 1
+loop
 uv__io_poll @ deps/uv/src/unix/linux.c:1528
  uv__stream_io @ deps/uv/src/unix/stream.c:1217
   uv__read @ deps/uv/src/unix/stream.c:1076
    __read @ sysdeps/unix/sysv/linux/read.c:26
     +tcp_receive * 4
+parse_event
 Storefront.onRequest @ server.js:15
  readSession @ session.js:57 * 2
   verifyCookie @ session.js:31
    update @ node:internal/crypto/hash:131
     [native] node::crypto::Hmac::HmacUpdate @ src/crypto/crypto_hmac.cc:88
      EVP_DigestUpdate @ crypto/evp/digest.c:424
       sha256_block_data_order_avx2 @ crypto/sha/sha256-x86_64.s:3120 * 5
   +json_parse * 6
 Storefront.onRequest @ server.js:16
  matchRoute @ router.js:31 * 4
   RegExp.exec @ native regexp.js:1
    [native] v8::internal::RegExpImpl::IrregexpExec @ deps/v8/src/regexp/regexp.cc:802 * 2
   decodeURIComponent @ native uri.js:1 * 1
)"},
    {Code::kRenderPage, "v8js", R"(
+task
 Storefront.onRequest @ server.js:18
  renderPage @ render.js:36
   Array.map @ native array.js:1
    renderItem @ render.js:31
     formatPrice @ money.js:22 * 2
      [native] v8::internal::Builtin_NumberFormatFormatNumber @ deps/v8/src/builtins/builtins-intl.cc:480
       icu_72::number::impl::NumberFormatterImpl::format @ deps/icu-small/source/i18n/number_formatimpl.cpp:115 * 3
        icu_72::number::impl::DecimalQuantity::roundToMagnitude @ deps/icu-small/source/i18n/number_decimalquantity.cpp:748 * 1
    renderItem @ render.js:32
     Template.fill @ render.js:20 * 6
      ~escapeHtml @ render.js:8 * 3
       RegExp.replace @ native regexp.js:1 * 4
        [native] v8::internal::Runtime_RegExpReplace @ deps/v8/src/runtime/runtime-regexp.cc:1840 * 2
         +collect * 2
      Template.lookUp @ render.js:26 * 2
       String.split @ native string.js:1 * 2
       Array.reduce @ native array.js:1 * 1
  renderPage @ render.js:37
   Template.fill @ render.js:19 * 3
    Builtins_StringAdd_CheckNone @ native string.js:1 * 2
  renderPage @ render.js:38
   Template.fill @ render.js:20 * 2
    ~escapeHtml @ render.js:8 * 1
 Storefront.onRequest @ server.js:19
  Storefront.answer @ server.js:29
   writeHead @ node:_http_server:345 * 1
    storeHeader @ node:_http_outgoing:421 * 1
  Storefront.answer @ server.js:30
   end @ node:_http_outgoing:1010
    writeRaw @ node:_http_outgoing:391
     Writable.write @ node:internal/streams/writable:474
      writeGeneric @ node:internal/stream_base_commons:146 * 1
       [native] node::StreamBase::WriteString @ src/stream_base.cc:396
        uv_try_write @ deps/uv/src/unix/stream.c:1503
         __write @ sysdeps/unix/sysv/linux/write.c:26
          +tcp_send * 9
)"},
    {Code::kEncodeOrder, "v8js", R"(
+parse_event
 Storefront.onRequest @ server.js:17
  Storefront.load @ server.js:23
   placeOrder @ clients.js:61
    JSON.stringify @ native json.js:1 * 2
     [native] v8::internal::JsonStringifier::SerializeJSObject @ deps/v8/src/json/json-stringifier.cc:820 * 3
      v8::internal::JsonStringifier::SerializeString @ deps/v8/src/json/json-stringifier.cc:1103 * 2
    request @ node:http:101
     ClientRequest @ node:_http_client:181 * 2
      addRequest @ node:_http_agent:268 * 1
     end @ node:_http_outgoing:1010
      writeGeneric @ node:internal/stream_base_commons:146
       [native] node::StreamBase::WriteString @ src/stream_base.cc:396
        uv_try_write @ deps/uv/src/unix/stream.c:1503
         __write @ sysdeps/unix/sysv/linux/write.c:26
          +tcp_send * 4
)"},
    {Code::kStorefrontBackground, "v8js", R"(
+loop
 uv__run_timers @ deps/uv/src/timer.c:194
  node::Environment::RunTimers @ src/env.cc:1447
   [v8js] listOnTimeout @ node:internal/timers:581
    reportMetrics @ metrics.js:70 * 3
     +json_parse * 1
 uv__io_poll @ deps/uv/src/unix/linux.c:1400
  epoll_pwait @ sysdeps/unix/sysv/linux/epoll_pwait.c:40
   +poll_events * 5
 +collect * 9
+thread
 node::PlatformWorkerThread @ src/node_platform.cc:43
  v8::internal::ConcurrentMarking::Run @ deps/v8/src/heap/concurrent-marking.cc:610 * 2
   v8::internal::MarkingVisitorBase::VisitJSObject @ deps/v8/src/heap/marking-visitor-inl.h:298 * 4
  v8::internal::OptimizingCompileDispatcher::CompileNext @ deps/v8/src/compiler-dispatcher/optimizing-compile-dispatcher.cc:114
   v8::internal::compiler::PipelineImpl::OptimizeGraph @ deps/v8/src/compiler/pipeline.cc:3210 * 2
    v8::internal::compiler::GraphReducer::ReduceGraph @ deps/v8/src/compiler/graph-reducer.cc:78 * 3
)"},
    {Code::kStorefrontAwait, "v8js", R"(
+loop
 uv__io_poll @ deps/uv/src/unix/linux.c:1400
  epoll_pwait @ sysdeps/unix/sysv/linux/epoll_pwait.c:40
   +await_event * 1
)"},
    {Code::kStorefrontQueued, "v8js", R"(
+stream_event
 +run_queue * 1
)"},
    {Code::kStorefrontHeap, "v8js", R"(
+loop
 [v8js] loadTemplates @ templates.js:18 * 3
  String.split @ native string.js:1 * 4
+parse_event
 Storefront.onRequest @ server.js:15
  readSession @ session.js:57 * 2
   JSON.parse @ native json.js:1 * 3
+task
 Storefront.onRequest @ server.js:18
  renderPage @ render.js:38
   Template.fill @ render.js:20 * 5
)"},
};

}  // namespace

ServiceCode StorefrontCode() { return {.pieces = {"native", kPieces}, .texts = kTexts}; }

}  // namespace flarestack::demo

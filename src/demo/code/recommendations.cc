// SPDX-License-Identifier: Apache-2.0
//
// The stacks of recommendations, Python.
#include "demo/code/texts.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kPieces = R"(
= call
_start @ sysdeps/x86_64/start.S:115
 __libc_start_main_impl @ csu/libc-start.c:381
  Py_BytesMain @ Modules/main.c:731
   Py_RunMain @ Modules/main.c:680
    PyEval_EvalCode @ Python/ceval.c:1142
     _PyEval_EvalFrameDefault @ Python/ceval.c:5376
= gunicorn
+call
 [cpython] <module> @ /usr/bin/gunicorn:8
  run @ gunicorn/app/wsgiapp.py:67
   Arbiter.run @ gunicorn/arbiter.py:202
    Arbiter.spawn_worker @ gunicorn/arbiter.py:589
     ThreadWorker.init_process @ gunicorn/workers/gthread.py:88
= request
+gunicorn
 ThreadWorker.handle_request @ gunicorn/workers/gthread.py:332
= app
+request
 App.__call__ @ app.py:17
= ufunc
[native] array_subscript @ numpy/core/src/multiarray/mapping.c:1436 * 2
 PyArray_NewFromDescr_int @ numpy/core/src/multiarray/ctors.c:726 * 1
  +malloc * 2
)";

constexpr CodeText kTexts[] = {
    {Code::kRankItems, "cpython", R"(
+app
 Ranker.rank @ ranker.py:14
  Ranker.score @ ranker.py:19
   +ufunc * 2
  Ranker.score @ ranker.py:20
   [native] ufunc_generic_fastcall @ numpy/core/src/umath/ufunc_object.c:4950
    FLOAT_matmul @ numpy/core/src/umath/matmul.c.src:414
     cblas_sgemv @ interface/gemv.c:236
      sgemv_t_HASWELL @ kernel/x86_64/sgemv_t_4.c:302 * 12
      exec_blas @ driver/others/blas_server.c:741
       +futex_wake * 2
  Ranker.score @ ranker.py:21
   [native] ufunc_generic_fastcall @ numpy/core/src/umath/ufunc_object.c:4950 * 1
    FLOAT_divide_AVX2 @ numpy/core/src/umath/loops_arithm_fp.dispatch.c.src:611 * 3
    PyArray_NewFromDescr_int @ numpy/core/src/multiarray/ctors.c:726
     +page_fault * 3
 Ranker.rank @ ranker.py:15 * 2
  nlargest @ heapq.py:563 * 5
   [native] gentype_richcompare @ numpy/core/src/multiarray/scalartypes.c.src:1245 * 3
   [native] heapreplace_internal @ Modules/_heapqmodule.c:301 * 4
    siftup @ Modules/_heapqmodule.c:91 * 3
 Ranker.rank @ ranker.py:16
  Ranker.explain @ ranker.py:24
   [native] ufunc_generic_fastcall @ numpy/core/src/umath/ufunc_object.c:4950 * 1
    FLOAT_minimum_AVX2 @ numpy/core/src/umath/loops_minmax.dispatch.c.src:302 * 2
  Ranker.explain @ ranker.py:25
   argsort @ numpy/core/fromnumeric.py:1133 * 1
    [native] aquicksort_float @ numpy/core/src/npysort/quicksort.cpp:577 * 5
     ~npy::float_tag::less @ numpy/core/src/common/numpy_tag.h:81 * 2
  Ranker.explain @ ranker.py:26 * 2
   [native] float___round___impl @ Objects/floatobject.c:976 * 1
+request
 App.__call__ @ app.py:18
  dumps @ json/__init__.py:231
   JSONEncoder.encode @ json/encoder.py:200
    JSONEncoder.iterencode @ json/encoder.py:258 * 1
     [native] encoder_listencode_dict @ Modules/_json.c:1530 * 2
      encoder_encode_float @ Modules/_json.c:1322
       _Py_dg_dtoa @ Python/dtoa.c:2222 * 3
 Response.write @ gunicorn/http/wsgi.py:345
  sock_send @ socket.py:812
   [native] sock_sendall @ Modules/socketmodule.c:4330
    __send @ sysdeps/unix/sysv/linux/send.c:28
     +tcp_send * 5
+gunicorn
 RequestParser.__next__ @ gunicorn/http/parser.py:42
  Request.parse_headers @ gunicorn/http/message.py:94 * 3
   [native] unicode_split_impl @ Objects/unicodeobject.c:12980 * 1
)"},
    {Code::kRecommendationsBackground, "cpython", R"(
+gunicorn
 ThreadWorker.run @ gunicorn/workers/gthread.py:214 * 1
  EpollSelector.select @ selectors.py:468 * 1
   [native] select_epoll_poll_impl @ Modules/selectmodule.c:1620
    +poll_events * 4
  ThreadWorker.murder_keepalived @ gunicorn/workers/gthread.py:178 * 2
+call
 gc_collect_main @ Modules/gcmodule.c:1200 * 1
  deduce_unreachable @ Modules/gcmodule.c:1099
   update_refs @ Modules/gcmodule.c:414 * 2
   subtract_refs @ Modules/gcmodule.c:460
    dict_traverse @ Objects/dictobject.c:3580 * 3
)"},
    {Code::kRecommendationsQueued, "cpython", R"(
+gunicorn
 [native] take_gil @ Python/ceval_gil.h:230
  +run_queue * 1
)"},
    {Code::kRecommendationsHeap, "cpython", R"(
+call
 [cpython] main @ app.py:24
  load_vectors @ vectors.py:17
   fromfile @ numpy/core/records.py:846
    [native] PyArray_NewFromDescr_int @ numpy/core/src/multiarray/ctors.c:726 * 9
+app
 Ranker.rank @ ranker.py:14
  Ranker.score @ ranker.py:20
   [native] PyArray_NewFromDescr_int @ numpy/core/src/multiarray/ctors.c:726 * 2
+gunicorn
 RequestParser.__next__ @ gunicorn/http/parser.py:42
  Request.parse_headers @ gunicorn/http/message.py:94 * 1
)"},
};

}  // namespace

ServiceCode RecommendationsCode() { return {.pieces = {"native", kPieces}, .texts = kTexts}; }

}  // namespace flarestack::demo

// SPDX-License-Identifier: Apache-2.0
//
// The stacks of payments, Go.
#include "demo/code/texts.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kPieces = R"(
= conn
runtime.goexit @ runtime/asm_amd64.s:1700
 net/http.(*Server).Serve.gowrap3 @ net/http/server.go:3330
  net/http.(*conn).serve @ net/http/server.go:2092
= handler
+conn
 net/http.serverHandler.ServeHTTP @ net/http/server.go:3210
  net/http.(*ServeMux).ServeHTTP @ net/http/server.go:2747
   net/http.HandlerFunc.ServeHTTP @ net/http/server.go:2220
= syscall_write
internal/poll.(*FD).Write @ internal/poll/fd_unix.go:375
 syscall.write @ syscall/zsyscall_linux_amd64.go:964
  syscall.Syscall @ syscall/syscall_linux.go:73
   internal/runtime/syscall.Syscall6 @ internal/runtime/syscall/asm_linux_amd64.s:36
= mallocgc
runtime.mallocgc @ runtime/malloc.go:1058 * 2
 runtime.mallocgcSmallScanNoHeader @ runtime/malloc.go:1422 * 3
  runtime.(*mcache).nextFree @ runtime/malloc.go:947
   runtime.(*mcache).refill @ runtime/mcache.go:182 * 1
    runtime.(*mcentral).cacheSpan @ runtime/mcentral.go:160 * 1
 runtime.gcAssistAlloc @ runtime/mgcmark.go:562
  runtime.gcDrainN @ runtime/mgcmark.go:1227 * 2
= marshal
encoding/json.Marshal @ encoding/json/encode.go:165
 encoding/json.(*encodeState).marshal @ encoding/json/encode.go:298
  encoding/json.structEncoder.encode @ encoding/json/encode.go:704 * 2
   encoding/json.stringEncoder @ encoding/json/encode.go:611
    encoding/json.appendString @ encoding/json/encode.go:970 * 3
   encoding/json.intEncoder @ encoding/json/encode.go:529
    strconv.formatBits @ strconv/itoa.go:87 * 1
   reflect.Value.Field @ reflect/value.go:1276 * 1
 +mallocgc * 2
= gopark
runtime.gopark @ runtime/proc.go:424
)";

constexpr CodeText kTexts[] = {
    {Code::kCharge, "go", R"(
+handler
 main.(*server).charge @ charge.go:25
  encoding/json.(*Decoder).Decode @ encoding/json/stream.go:69
   encoding/json.(*Decoder).readValue @ encoding/json/stream.go:103 * 2
    encoding/json.stateInString @ encoding/json/scanner.go:344 * 2
   encoding/json.(*decodeState).object @ encoding/json/decode.go:772 * 2
    encoding/json.(*decodeState).literalStore @ encoding/json/decode.go:944 * 2
     +mallocgc * 2
 main.(*server).charge @ charge.go:29
  main.(*bank).authorize @ bank.go:37
   net/http.(*Client).do @ net/http/client.go:722
    net/http.(*Client).send @ net/http/client.go:180
     net/http.(*Transport).roundTrip @ net/http/transport.go:604 * 1
      net/http.(*Request).write @ net/http/request.go:695 * 1
       bufio.(*Writer).Flush @ bufio/bufio.go:639
        net/http.persistConnWriter.Write @ net/http/transport.go:1977
         crypto/tls.(*Conn).Write @ crypto/tls/conn.go:1160
          crypto/tls.(*Conn).writeRecordLocked @ crypto/tls/conn.go:962 * 1
           crypto/tls.(*halfConn).encrypt @ crypto/tls/conn.go:487
            crypto/internal/fips140/aes/gcm.gcmAesEnc @ crypto/internal/fips140/aes/gcm/gcm_asm.go:122 * 6
           +syscall_write
            +tcp_send * 6
 main.(*server).charge @ charge.go:34
  main.(*ledger).append @ ledger.go:31
   +marshal * 6
  main.(*ledger).append @ ledger.go:35
   crypto/sha256.Sum256 @ crypto/sha256/sha256.go:58
    crypto/internal/fips140/sha256.(*Digest).Write @ crypto/internal/fips140/sha256/sha256.go:141
     crypto/internal/fips140/sha256.blockSHANI @ crypto/internal/fips140/sha256/sha256block_amd64.s:340 * 7
  main.(*ledger).append @ ledger.go:36
   os.(*File).Write @ os/file.go:195
    +syscall_write
     +write_file * 5
 main.(*server).charge @ charge.go:39
  +marshal * 4
 main.(*server).charge @ charge.go:40
  net/http.(*response).Write @ net/http/server.go:1641
   net/http.(*chunkWriter).writeHeader @ net/http/server.go:1290 * 2
    net/http.Header.writeSubset @ net/http/header.go:186 * 1
+conn
 net/http.(*conn).readRequest @ net/http/server.go:1022
  net/textproto.(*Reader).ReadMIMEHeader @ net/textproto/reader.go:503 * 2
   net/textproto.canonicalMIMEHeaderKey @ net/textproto/reader.go:772 * 1
  +mallocgc * 1
 net/http.(*response).finishRequest @ net/http/server.go:1715
  bufio.(*Writer).Flush @ bufio/bufio.go:639
   net/http.checkConnErrorWriter.Write @ net/http/server.go:3880
    net.(*conn).Write @ net/net.go:203
     +syscall_write
      +tcp_send * 6
)"},
    {Code::kPaymentsBackground, "go", R"(
runtime.goexit @ runtime/asm_amd64.s:1700
 runtime.gcBgMarkWorker @ runtime/mgc.go:1366
  runtime.systemstack @ runtime/asm_amd64.s:514
   runtime.gcBgMarkWorker.func2 @ runtime/mgc.go:1469
    runtime.gcDrain @ runtime/mgcmark.go:1080 * 2
     runtime.scanobject @ runtime/mgcmark.go:1370 * 5
      runtime.findObject @ runtime/mbitmap.go:1337 * 2
      runtime.greyobject @ runtime/mgcmark.go:1520 * 2
     runtime.markroot @ runtime/mgcmark.go:162
      runtime.scanstack @ runtime/mgcmark.go:845 * 1
 runtime.bgsweep @ runtime/mgcsweep.go:300
  runtime.sweepone @ runtime/mgcsweep.go:388
   runtime.(*sweepLocked).sweep @ runtime/mgcsweep.go:691 * 2
runtime.mcall @ runtime/asm_amd64.s:458
 runtime.park_m @ runtime/proc.go:4103
  runtime.schedule @ runtime/proc.go:3995 * 1
   runtime.findRunnable @ runtime/proc.go:3430 * 2
    runtime.netpoll @ runtime/netpoll_epoll.go:116
     internal/runtime/syscall.EpollWait @ internal/runtime/syscall/syscall_linux.go:32
      +poll_events * 4
    runtime.stopm @ runtime/proc.go:2888
     runtime.futexsleep @ runtime/os_linux.go:75
      runtime.futex @ runtime/sys_linux_amd64.s:557
       +futex_wake * 3
)"},
    {Code::kAwaitBank, "go", R"(
+handler
 main.(*server).charge @ charge.go:29
  main.(*bank).authorize @ bank.go:37
   net/http.(*Client).do @ net/http/client.go:722
    net/http.(*Client).send @ net/http/client.go:180
     net/http.(*Transport).roundTrip @ net/http/transport.go:604
      net/http.(*persistConn).roundTrip @ net/http/transport.go:2790
       runtime.selectgo @ runtime/select.go:335
        +gopark * 1
)"},
    {Code::kAwaitLedger, "go", R"(
+handler
 main.(*server).charge @ charge.go:34
  main.(*ledger).append @ ledger.go:29
   sync.(*Mutex).Lock @ sync/mutex.go:90
    ~sync.(*Mutex).lockSlow @ sync/mutex.go:171
     sync.runtime_SemacquireMutex @ runtime/sema.go:95
      runtime.semacquire1 @ runtime/sema.go:192
       +gopark * 1
)"},
    {Code::kPaymentsQueued, "go", R"(
+conn
 runtime.mcall @ runtime/asm_amd64.s:458
  runtime.schedule @ runtime/proc.go:3995 * 1
)"},
    {Code::kPaymentsHeap, "go", R"(
+conn
 net/http.newBufioReader @ net/http/server.go:857
  bufio.NewReaderSize @ bufio/bufio.go:57 * 3
 net/http.newBufioWriterSize @ net/http/server.go:891
  bufio.NewWriterSize @ bufio/bufio.go:586 * 2
+handler
 main.(*server).charge @ charge.go:39
  encoding/json.Marshal @ encoding/json/encode.go:165 * 2
runtime.main @ runtime/proc.go:283
 main.main @ main.go:16
  main.openLedger @ ledger.go:24
   main.(*ledger).replay @ ledger.go:47
    encoding/json.(*Decoder).Decode @ encoding/json/stream.go:69 * 5
)"},
};

}  // namespace

ServiceCode PaymentsCode() { return {.pieces = {"go", kPieces}, .texts = kTexts}; }

}  // namespace flarestack::demo

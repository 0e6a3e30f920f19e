// SPDX-License-Identifier: Apache-2.0
//
// Code that programs in every language call: the kernel and the C library.
#include "demo/code/texts.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kKernel = R"(
= syscall
entry_SYSCALL_64_after_hwframe @ arch/x86/entry/entry_64.S:130
 do_syscall_64 @ arch/x86/entry/common.c:83
= schedule
schedule @ kernel/sched/core.c:6824
 __schedule @ kernel/sched/core.c:6745
= wake_up
sock_def_readable @ net/core/sock.c:3423
 __wake_up_sync_key @ kernel/sched/wait.c:173
  ep_poll_callback @ fs/eventpoll.c:1263
   autoremove_wake_function @ kernel/sched/wait.c:384
    try_to_wake_up @ kernel/sched/core.c:4271 * 3
     select_task_rq_fair @ kernel/sched/fair.c:8267 * 1
     ttwu_do_activate @ kernel/sched/core.c:3793
      enqueue_task_fair @ kernel/sched/fair.c:6772 * 2
= receive_packet
net_rx_action @ net/core/dev.c:6898
 __napi_poll @ net/core/dev.c:6773
  process_backlog @ net/core/dev.c:6161
   __netif_receive_skb_one_core @ net/core/dev.c:5661
    ip_rcv @ net/ipv4/ip_input.c:569 * 1
     ip_local_deliver_finish @ net/ipv4/ip_input.c:233
      tcp_v4_rcv @ net/ipv4/tcp_ipv4.c:2301 * 3
       tcp_v4_do_rcv @ net/ipv4/tcp_ipv4.c:1925
        tcp_rcv_established @ net/ipv4/tcp_input.c:6245 * 4
         tcp_ack @ net/ipv4/tcp_input.c:3986 * 2
         tcp_data_queue @ net/ipv4/tcp_input.c:5226 * 1
          +wake_up * 6
= transmit
tcp_write_xmit @ net/ipv4/tcp_output.c:2807 * 1
 __tcp_transmit_skb @ net/ipv4/tcp_output.c:1462 * 3
  __ip_queue_xmit @ net/ipv4/ip_output.c:532
   ip_finish_output2 @ net/ipv4/ip_output.c:235
    __dev_queue_xmit @ net/core/dev.c:4410 * 2
     dev_hard_start_xmit @ net/core/dev.c:3599
      ena_start_xmit @ drivers/net/ethernet/amazon/ena/ena_netdev.c:3103 * 2
    __local_bh_enable_ip @ kernel/softirq.c:408
     do_softirq @ kernel/softirq.c:459
      __do_softirq @ kernel/softirq.c:558
       +receive_packet * 9
= tcp_send
+syscall
 __x64_sys_sendto @ net/socket.c:2204
  __sys_sendto @ net/socket.c:2192
   sock_sendmsg @ net/socket.c:745
    tcp_sendmsg @ net/ipv4/tcp.c:1340
     tcp_sendmsg_locked @ net/ipv4/tcp.c:1283 * 2
      sk_stream_alloc_skb @ net/ipv4/tcp.c:883
       kmem_cache_alloc_node @ mm/slub.c:3515 * 1
      _copy_from_iter @ lib/iov_iter.c:628 * 2
      __tcp_push_pending_frames @ net/ipv4/tcp_output.c:2985
       +transmit * 12
= tcp_receive
+syscall
 __x64_sys_recvfrom @ net/socket.c:2262
  __sys_recvfrom @ net/socket.c:2246
   sock_recvmsg @ net/socket.c:1040
    tcp_recvmsg @ net/ipv4/tcp.c:2676 * 1
     tcp_recvmsg_locked @ net/ipv4/tcp.c:2457 * 2
      skb_copy_datagram_iter @ net/core/datagram.c:528
       _copy_to_iter @ lib/iov_iter.c:560 * 3
      tcp_cleanup_rbuf @ net/ipv4/tcp.c:1532 * 1
= await_packet
+syscall
 __x64_sys_recvfrom @ net/socket.c:2262
  __sys_recvfrom @ net/socket.c:2246
   sock_recvmsg @ net/socket.c:1040
    tcp_recvmsg @ net/ipv4/tcp.c:2676
     tcp_recvmsg_locked @ net/ipv4/tcp.c:2626
      sk_wait_data @ net/core/sock.c:2982
       wait_woken @ kernel/sched/wait.c:418
        schedule_timeout @ kernel/time/timer.c:2143
         +schedule * 1
= await_event
+syscall
 __x64_sys_epoll_wait @ fs/eventpoll.c:2325
  do_epoll_wait @ fs/eventpoll.c:2290
   ep_poll @ fs/eventpoll.c:1925
    schedule_hrtimeout_range @ kernel/time/hrtimer.c:2354
     +schedule * 1
= poll_events
+syscall
 __x64_sys_epoll_wait @ fs/eventpoll.c:2325
  do_epoll_wait @ fs/eventpoll.c:2290 * 1
   ep_poll @ fs/eventpoll.c:1856 * 2
    ep_send_events @ fs/eventpoll.c:1707 * 2
     tcp_poll @ net/ipv4/tcp.c:534 * 1
    schedule_hrtimeout_range @ kernel/time/hrtimer.c:2354
     schedule @ kernel/sched/core.c:6824
      __schedule @ kernel/sched/core.c:6745 * 2
       pick_next_task_fair @ kernel/sched/fair.c:8520 * 1
       finish_task_switch @ kernel/sched/core.c:5345 * 2
= futex_wake
+syscall
 __x64_sys_futex @ kernel/futex/syscalls.c:179
  do_futex @ kernel/futex/syscalls.c:112
   futex_wake @ kernel/futex/waitwake.c:164 * 1
    wake_up_q @ kernel/sched/core.c:1063
     try_to_wake_up @ kernel/sched/core.c:4271 * 2
= futex_wait
+syscall
 __x64_sys_futex @ kernel/futex/syscalls.c:179
  do_futex @ kernel/futex/syscalls.c:106
   futex_wait @ kernel/futex/waitwake.c:656
    futex_wait_queue @ kernel/futex/waitwake.c:355
     +schedule * 1
= write_file
+syscall
 __x64_sys_write @ fs/read_write.c:646
  ksys_write @ fs/read_write.c:637
   vfs_write @ fs/read_write.c:582 * 1
    ext4_buffered_write_iter @ fs/ext4/file.c:287
     generic_perform_write @ mm/filemap.c:3937 * 1
      ext4_da_write_begin @ fs/ext4/inode.c:2942 * 2
      ext4_da_write_end @ fs/ext4/inode.c:3099 * 1
= page_fault
asm_exc_page_fault @ arch/x86/include/asm/idtentry.h:570
 exc_page_fault @ arch/x86/mm/fault.c:1534
  do_user_addr_fault @ arch/x86/mm/fault.c:1382
   handle_mm_fault @ mm/memory.c:5247 * 1
    __handle_mm_fault @ mm/memory.c:5100
     do_anonymous_page @ mm/memory.c:4106 * 1
      __alloc_pages @ mm/page_alloc.c:5620
       get_page_from_freelist @ mm/page_alloc.c:4390 * 1
        clear_page_erms @ arch/x86/lib/clear_page_64.S:50 * 4
= run_queue
asm_sysvec_apic_timer_interrupt @ arch/x86/include/asm/idtentry.h:649
 irqentry_exit_to_user_mode @ kernel/entry/common.c:310
  exit_to_user_mode_prepare @ kernel/entry/common.c:204
   exit_to_user_mode_loop @ kernel/entry/common.c:171
    +schedule * 1
)";

constexpr std::string_view kLibraries = R"(
= malloc
malloc @ malloc/malloc.c:3301 * 4
 _int_malloc @ malloc/malloc.c:4029 * 5
  malloc_consolidate @ malloc/malloc.c:4769 * 1
  sysmalloc @ malloc/malloc.c:2732
   __glibc_morecore @ malloc/morecore.c:29
    +page_fault * 2
= free
cfree @ malloc/malloc.c:3398 * 3
 _int_free @ malloc/malloc.c:4602 * 3
  unlink_chunk @ malloc/malloc.c:1628 * 1
= new
operator new @ libstdc++-v3/libsupc++/new_op.cc:50
 +malloc * 1
= memcpy
__memmove_avx_unaligned_erms @ sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S:512 * 1
= thread
start_thread @ nptl/pthread_create.c:442
)";

}  // namespace

std::span<const PiecesText> SharedPieces() {
  static constexpr PiecesText kPieces[] = {{"kernel", kKernel}, {"native", kLibraries}};
  return kPieces;
}

}  // namespace flarestack::demo

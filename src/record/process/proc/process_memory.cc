// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/process_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>

#include "base/status.h"

namespace flarestack::record::agent {

namespace {

ssize_t ReadPart(pid_t pid, uint64_t address, std::span<char> out) {
  const iovec to = {.iov_base = out.data(), .iov_len = out.size()};
  // An address in the other process; only the kernel dereferences it.
  void* const there = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  const iovec from = {.iov_base = there, .iov_len = out.size()};
  return process_vm_readv(pid, &to, 1, &from, 1, /*flags=*/0);
}

}  // namespace

size_t ReadMemoryBegin(pid_t pid, uint64_t address, std::span<char> out) {
  return static_cast<size_t>(std::max<ssize_t>(ReadPart(pid, address, out), 0));
}

absl::Status ReadMemory(pid_t pid, uint64_t address, std::span<char> out) {
  const ssize_t got = ReadPart(pid, address, out);
  if (got == static_cast<ssize_t>(out.size()))
    return absl::OkStatus();
  const std::string what = base::StrCat("cannot read ", out.size(), " bytes at ",
                                        base::Hex(address), " of process ", pid);
  if (got >= 0 || errno == EFAULT)
    return absl::OutOfRangeError(what);
  return absl::ErrnoToStatus(errno == ESRCH ? ENOENT : errno, what);
}

absl::StatusOr<uint64_t> ReadWord(MemoryReader read, uint64_t address) {
  std::array<char, sizeof(uint64_t)> bytes = {};
  FLARE_RETURN_IF_ERROR(read(address, bytes));
  return std::bit_cast<uint64_t>(bytes);
}

}  // namespace flarestack::record::agent

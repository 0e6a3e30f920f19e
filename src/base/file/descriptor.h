// SPDX-License-Identifier: Apache-2.0
//
// An owned file descriptor. The destructor closes it.
#pragma once

#include <unistd.h>

#include <utility>

namespace flarestack::base {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }  // the caller must close it
  void Close() {
    if (fd_ >= 0)
      close(Release());
  }

 private:
  int fd_ = -1;
};

}  // namespace flarestack::base

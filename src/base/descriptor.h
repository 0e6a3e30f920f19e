// SPDX-License-Identifier: Apache-2.0
//
// An open file of the kernel's, closed at the latest when its owner is gone.
#pragma once

#include <unistd.h>

#include <utility>

namespace flarestack::base {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0)
      close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace flarestack::base

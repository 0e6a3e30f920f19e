// SPDX-License-Identifier: Apache-2.0
//
// A client that sends arbitrary bytes and returns the raw response.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::net {

class RawClient {
 public:
  explicit RawClient(uint16_t port);  // connects to 127.0.0.1
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // Returns false if the peer has closed or reset the connection.
  bool Send(std::string_view bytes);
  void CloseSending();

  // Sends `bytes` repeatedly and slowly, until the peer responds, closes or resets.
  void Trickle(std::string_view bytes);

  // Reads until the peer closes; `was_reset` says how it did.
  std::string ReadAll();
  // Reads until `text` has arrived or the peer has closed.
  std::string ReadUntil(std::string_view text);
  // Reads `count` bytes, or fewer if the peer has closed.
  std::string ReadBytes(size_t count);
  bool was_reset() const { return was_reset_; }

 private:
  bool ReadSome();

  int fd_;
  std::string received_;
  bool was_reset_ = false;
};

// Sends the request without closing the sending side, and reads until the peer closes.
std::string Exchange(uint16_t port, std::string_view request);

}  // namespace flarestack::net

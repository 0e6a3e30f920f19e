// SPDX-License-Identifier: Apache-2.0
//
// The comments that Go writes after each stack of a debug=1 page:
//
//   1 @ 0x43e6d6 0x4a1b05
//   # labels: {"handler":"checkout"}
//   #<tab>0x43e6d5<tab>net.(*conn).Read+0x45<tab>/go/src/net/net.go:179
//
// google/pprof ignores them and then needs the program's file to name anything. We use the names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "codec/pprof/legacy/legacy_builder.h"

namespace flarestack::codec::pprof::legacy {

class SymbolComments {
 public:
  explicit SymbolComments(Builder& builder) : builder_(builder) {}

  // Returns whether the line is a comment. Call it for every line, because other lines end a stack.
  bool Take(std::string_view line);

  // Call it after the last line.
  void Finish();

 private:
  void TakeFrame(std::string_view comment);
  void TakeLabels(std::string_view comment);

  Builder& builder_;
  // Frames with the same address are one location: the inlined ones come first. The address is that
  // of the call, so it equals the address of the location.
  uint64_t address_ = 0;
  std::vector<Line> lines_;
};

}  // namespace flarestack::codec::pprof::legacy

// SPDX-License-Identifier: Apache-2.0
//
// From the name a compiler wrote to the name a person reads:
//
//   _ZN3foo3barEi.cold                        foo::bar(int)
//   _ZN4core3fmt5write17h0123456789abcdefE    core::fmt::write
//   _RNvC5hello4main                          hello::main
//   _D5hello4mainFZv                          hello.main()
//
// Rust's names have neither the hash of the crate nor the type behind a constant, D's functions
// show the types of their arguments and not what they return. Names of C, Go, the kernel, and
// whatever cannot be read stay as they are. A name of Rust is recognised before C++, whose scheme
// the older ones borrow. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::symbol {

// Never fails. At most kReadableBytesMax of text, or the raw name.
std::string Demangle(std::string_view raw);

// Without the marks that optimizers append to a copy of a function: .cold, .part.3, .isra.0,
// .constprop.1, .llvm.8125, .lto_priv.0, .localalias, several of them at once. Demangle() drops
// them from names it can read; other names keep them, since `main.cold` is a function of Go.
std::string_view WithoutCloneSuffix(std::string_view raw);

}  // namespace flarestack::symbol

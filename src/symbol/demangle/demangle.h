// SPDX-License-Identifier: Apache-2.0
//
// Converts the name a compiler wrote to a readable one:
//
//   _ZN3foo3barEi.cold                        foo::bar(int)
//   _ZN4core3fmt5write17h0123456789abcdefE    core::fmt::write
//   _RNvC5hello4main                          hello::main
//   _D5hello4mainFZv                          hello.main()
//
// Rust names omit the hash of the crate and the types of constants. D functions show the types of
// their arguments but not their return type. Names of C, Go, the kernel, and names that cannot be
// parsed stay unchanged. Rust is tried before C++, because its legacy scheme borrows that of C++.
// Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::symbol {

// Never fails. Returns at most kReadableBytesMax of text, or the raw name.
std::string Demangle(std::string_view raw);

// Removes the suffixes that optimizers append to a copy of a function: .cold, .part.3, .isra.0,
// .constprop.1, .llvm.8125, .lto_priv.0, .localalias, or several of them. Demangle() drops them
// from names it can read; other names keep them, since `main.cold` may be a Go function.
std::string_view WithoutCloneSuffix(std::string_view raw);

}  // namespace flarestack::symbol

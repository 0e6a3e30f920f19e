// SPDX-License-Identifier: Apache-2.0
//
// Names that JIT compilers write into perf maps and jitdumps, as the programmer of each language
// writes them. The language is known only by naming conventions:
//
//   V8        JS:*add /srv/app.js:12:3                    add, /srv/app.js, function at line 12
//   Java      Lcom/shop/Cart;::add                        com.shop.Cart.add
//             com.shop.Cart::add
//             int com.shop.Cart.add(int)
//   .NET      void [shop] Shop.Cart::Add(int32)[Tier0]    Shop.Cart.Add
//   CPython   py::checkout:/srv/shop.py                   checkout, /srv/shop.py
#pragma once

#include <string_view>

#include "record/runtime/named_frame.h"

namespace flarestack::record::runtime {

// `name` is untrusted and may be invalid UTF-8; names in the result are valid and have at most 1024
// bytes. A name in no known convention is "native" and stays as it is.
NamedFrame NameJitFrame(std::string_view name);

}  // namespace flarestack::record::runtime

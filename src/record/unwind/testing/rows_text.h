// SPDX-License-Identifier: Apache-2.0
//
// Formats rules and rows as text: "cfa=r7+8 ra=-8 fp=-16", "stop", "none"; "entry" is a stop that
// was not called.
#pragma once

#include <span>
#include <string>

#include "record/unwind/rows/row.h"

namespace flarestack::record::unwind::testing {

std::string ToText(const bpf::unwind_rule& rule);

// One line each: the address, a space, the rule.
std::string ToText(std::span<const Row> rows);

}  // namespace flarestack::record::unwind::testing

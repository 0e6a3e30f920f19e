// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/testing/rows_text.h"

#include "base/text/text.h"

namespace flarestack::record::unwind::testing {
namespace {

using base::StrCat;

std::string Signed(int64_t value) { return StrCat(value < 0 ? "" : "+", value); }

std::string Offsets(const bpf::unwind_rule& rule) {
  std::string text = StrCat("cfa=r", static_cast<int>(rule.cfa_base), Signed(rule.cfa_offset));
  if (rule.kind == bpf::RULE_PLT)
    text = StrCat("plt", static_cast<int>(rule.extra));
  if ((rule.flags & bpf::RULE_CFA_LOADED) != 0)
    text = StrCat("cfa=[", text.substr(4), "]+", 8 * rule.extra);
  if ((rule.flags & bpf::RULE_RA_IN_REGISTER) != 0)
    base::StrAppend(&text, " ra=r", static_cast<int>(rule.extra));
  else
    base::StrAppend(&text, " ra=", Signed(rule.ra_offset));
  if ((rule.flags & bpf::RULE_FP_SAVED) != 0) {
    base::StrAppend(
        &text, (rule.flags & bpf::RULE_FP_AT_FP) != 0 ? " fp=fp" : " fp=", Signed(rule.fp_offset));
  }
  if ((rule.flags & bpf::RULE_OTHER_STACK) != 0)
    text += " other-stack";
  if ((rule.flags & bpf::RULE_FROM_CODE) != 0)
    text += " code";
  return text;
}

}  // namespace

std::string ToText(const bpf::unwind_rule& rule) {
  switch (rule.kind) {
    case bpf::RULE_NONE:
      return "none";
    case bpf::RULE_STOP:
      return (rule.flags & bpf::RULE_NOT_CALLED) != 0 ? "entry" : "stop";
    case bpf::RULE_SIGNAL:
      return "signal";
    case bpf::RULE_FRAME_POINTER:
      return "frame-pointer";
    default:
      return Offsets(rule);
  }
}

std::string ToText(std::span<const Row> rows) {
  std::string text;
  for (const Row& row : rows)
    base::StrAppend(&text, base::Hex(row.address), " ", ToText(row.rule), "\n");
  return text;
}

}  // namespace flarestack::record::unwind::testing

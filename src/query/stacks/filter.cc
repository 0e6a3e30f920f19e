// SPDX-License-Identifier: Apache-2.0
//
// Parses the steps, and defines the presets. The steps are implemented in filter_steps.cc.
#include "query/stacks/filter.h"

#include <algorithm>

#include "base/status.h"
#include "base/text/text.h"
#include "query/stacks/frame_matcher.h"
#include "query/stacks/path_hash.h"

namespace flarestack::query {
namespace {

constexpr std::string_view kIgnoreVerb = "tagignore";

enum class Takes { kPattern, kName, kNothing, kKey, kKeyAndPattern, kPath };

struct VerbName {
  std::string_view name;
  FilterVerb verb;
  Takes takes;
};

constexpr VerbName kVerbs[] = {
    {"only", FilterVerb::kOnly, Takes::kPattern},
    {"drop", FilterVerb::kDrop, Takes::kPattern},
    {"hide", FilterVerb::kHide, Takes::kPattern},
    {"type", FilterVerb::kType, Takes::kPattern},
    {"hidetype", FilterVerb::kHideType, Takes::kPattern},
    {"from", FilterVerb::kFrom, Takes::kPattern},
    {"until", FilterVerb::kUntil, Takes::kPattern},
    {"subtree", FilterVerb::kSubtree, Takes::kPath},
    {"module", FilterVerb::kModule, Takes::kName},
    {"recursion", FilterVerb::kRecursion, Takes::kNothing},
    {"tag", FilterVerb::kTag, Takes::kKeyAndPattern},
    {kIgnoreVerb, FilterVerb::kTag, Takes::kKeyAndPattern},
    {"tagroot", FilterVerb::kTagRoot, Takes::kKey},
    {"tagleaf", FilterVerb::kTagLeaf, Takes::kKey},
    {"internals", FilterVerb::kShowInternals, Takes::kNothing},
    {"hideinternals", FilterVerb::kHideInternals, Takes::kNothing},
};

constexpr FilterPreset kPresets[] = {
    // Other recorders do not mark internal frames, so this goes by name as well.
    {"no-interpreter", "hide interpreter frames, so that scripts appear under their callers",
     "hideinternals\n"
     "hide:^(_PyEval_EvalFrameDefault|_PyEval_Vector|_PyFunction_Vectorcall|_PyObject_Vectorcall|"
     "PyEval_EvalCode|PyObject_Vectorcall|cfunction_.*|method_vectorcall.*|slot_tp_call|"
     "_PyObject_MakeTpCall|_PyObject_Call)$\n"
     "hide:^(rb_vm_exec|vm_exec_core|vm_exec|vm_call_cfunc_with_frame.*|vm_sendish|"
     "rb_yield|invoke_block_from_c_bh)$\n"
     "hide:^(zend_execute|execute_ex|zend_call_function|php_execute_script)$\n"
     "hide:^Builtins_(InterpreterEntryTrampoline|JSEntry|JSEntryTrampoline|"
     "ArgumentsAdaptorTrampoline)$"},
    {"no-waits", "drop threads that only wait for work",
     "drop:^(epoll_wait|epoll_pwait|poll|ppoll|select|pselect|nanosleep|clock_nanosleep|"
     "pthread_cond_(timed)?wait.*|futex_wait.*|accept4?|sigtimedwait|do_epoll_wait|"
     "runtime\\.(gopark|notesleep|futexsleep|netpoll|stopm|findRunnable)|"
     "java\\.lang\\.Object\\.wait.*|jdk\\.internal\\.misc\\.Unsafe\\.park)$"},
    {"gc", "only garbage collection",
     "only:^(runtime\\.(gcBgMarkWorker|gcAssistAlloc|bgsweep|bgscavenge|gcStart|mallocgc.*Assist).*"
     "|"
     "gc_collect.*|_PyGC_.*|rb_gc_.*|gc_(start|marks|sweep).*|.*(G1|ZGC|Shenandoah|Parallel)"
     ".*(Collect|Mark|Evacuat|Young).*|GCTaskThread.*|v8::internal::.*(MarkCompact|Scaveng|Heap::"
     "CollectGarbage).*)"},
    {"allocator", "only memory allocation",
     "only:^(malloc|calloc|realloc|free|cfree|posix_memalign|aligned_alloc|operator (new|delete).*|"
     "_int_(malloc|free|realloc)|je_.*|tc_.*|mi_.*|runtime\\.(mallocgc|newobject|makeslice|"
     "growslice)|__libc_(malloc|free|calloc|realloc))$"},
};

const FilterPreset* FindPreset(std::string_view id) {
  const auto it = std::ranges::find(kPresets, id, &FilterPreset::id);
  return it == std::end(kPresets) ? nullptr : it;
}

std::string Names(auto& rows, auto name) {
  std::string names;
  for (const auto& row : rows)
    names += (names.empty() ? "" : ", ") + std::string(row.*name);
  return names;
}

absl::StatusOr<FilterStep> ParseStep(const VerbName& verb, std::string_view argument) {
  FilterStep step = {.verb = verb.verb};
  const auto wants = [&](std::string_view what) {
    return absl::InvalidArgumentError(base::StrCat(verb.name, " takes ", what));
  };
  switch (verb.takes) {
    case Takes::kNothing:
      if (!argument.empty())
        return wants("no argument");
      return step;
    case Takes::kPattern:
      step.pattern = argument;
      if (argument.empty())
        return wants("a regular expression");
      FLARE_RETURN_IF_ERROR(Pattern::Make(step.pattern).status());
      return step;
    case Takes::kName:
      step.pattern = argument;
      return argument.empty() ? absl::StatusOr<FilterStep>(wants("a binary name")) : step;
    case Takes::kKey:
      step.key = argument;
      return argument.empty() ? absl::StatusOr<FilterStep>(wants("an attribute name")) : step;
    case Takes::kPath: {
      FLARE_ASSIGN(step.path, ParsePathHash(argument));
      return step;
    }
    case Takes::kKeyAndPattern: {
      const size_t equals = argument.find('=');
      step.is_negated =
          equals != std::string_view::npos && argument.substr(0, equals).ends_with('!');
      const size_t key_end = step.is_negated ? equals - 1 : equals;
      if (key_end == 0 || equals == std::string_view::npos)
        return wants("KEY=REGEX");
      step.key = argument.substr(0, key_end);
      if (verb.name == kIgnoreVerb)
        step.is_negated = !step.is_negated;
      step.pattern = argument.substr(equals + 1);
      FLARE_RETURN_IF_ERROR(Pattern::Make(step.pattern).status());
      return step;
    }
  }
  return step;
}

}  // namespace

std::span<const FilterPreset> FilterPresets() { return kPresets; }

absl::Status Filter::Add(std::string_view step) {
  const size_t colon = step.find(':');
  const std::string_view name = step.substr(0, colon);
  const std::string_view argument =
      colon == std::string_view::npos ? std::string_view() : step.substr(colon + 1);
  if (name == "preset") {
    const FilterPreset* preset = FindPreset(argument);
    if (preset == nullptr) {
      return absl::InvalidArgumentError(base::StrCat(
          "unknown preset \"", argument, "\"; known: ", Names(kPresets, &FilterPreset::id)));
    }
    for (std::string_view rest = preset->steps; !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      FLARE_RETURN_IF_ERROR(Add(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return absl::OkStatus();
  }
  const auto verb = std::ranges::find(kVerbs, name, &VerbName::name);
  if (verb == std::end(kVerbs)) {
    return absl::InvalidArgumentError(base::StrCat(
        "unknown filter \"", name, "\"; known: ", Names(kVerbs, &VerbName::name), ", preset"));
  }
  FLARE_ASSIGN(FilterStep parsed, ParseStep(*verb, argument));
  if (parsed.verb == FilterVerb::kShowInternals) {
    ShowInternals();
    return absl::OkStatus();
  }
  parsed.text = step;
  steps_.push_back(std::move(parsed));
  return absl::OkStatus();
}

std::vector<std::string> Filter::TagKeys() const {
  std::vector<std::string> keys;
  for (const FilterStep& step : steps_) {
    if (!step.key.empty() && std::ranges::find(keys, step.key) == keys.end())
      keys.push_back(step.key);
  }
  return keys;
}

absl::Status Filter::Apply(StackSet* set) const {
  if (!shows_internals_)
    HideInternalFrames(set);
  for (const FilterStep& step : steps_)
    FLARE_RETURN_IF_ERROR(ApplyStep(step, set));
  return absl::OkStatus();
}

absl::StatusOr<std::string> Filter::StepThatEmpties(StackSet* set) const {
  if (!shows_internals_)
    HideInternalFrames(set);
  for (const FilterStep& step : steps_) {
    FLARE_RETURN_IF_ERROR(ApplyStep(step, set));
    if (set->rows.empty())
      return step.text;
  }
  return std::string();
}

}  // namespace flarestack::query

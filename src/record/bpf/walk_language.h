// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// The frames of an interpreter within a native stack. The interpreter keeps a list of its own
// frames. When the native walk has recorded a frame of the interpreter's loop, it records the
// frames that this loop runs, up to the one that was called from C, and then continues natively.
#pragma once

#include "record/bpf/walk_state.h"

#define UNWIND_READ(memory, target, size, address) read_stack(memory, target, size, address)
#define UNWIND_READ_CODE(memory, target, size, address) \
  bpf_probe_read_user(target, size, (const void*)(address))
#define UNWIND_READ_DATA(memory, target, size, address) \
  bpf_probe_read_user(target, size, (const void*)(address))
#include "record/bpf/java_step.h"
#include "record/bpf/python_frames.h"
#include "record/bpf/unwind_step.h"
#include "record/bpf/v8_step.h"

enum language_state {
  LANGUAGE_UNKNOWN = 0,  // no interpreter frame so far
  LANGUAGE_NONE = 1,     // the process has no interpreter, or its frames cannot be read
  LANGUAGE_READY = 2,
  LANGUAGE_WALKING = 3,
};

// Copies the key, because verifiers before 6.2 accept no key in the argument of a global function.
// Not inlined, because the frames of a whole chain of calls share 512 bytes.
static __noinline const struct runtime_process* runtime_of(const struct walk_state* walk) {
  const u32 tgid = walk->trace.tgid;
  return bpf_map_lookup_elem(&runtimes, &tgid);
}

// Finds the runtimes of the process, and the innermost frame of its interpreter.
static __always_inline void find_language(struct walk_state* walk) {
  struct language_walk* language = &walk->language;
  const struct runtime_process* runtime = runtime_of(walk);
  language->state = LANGUAGE_NONE;
  language->runtime.kinds = 0;
  if (!runtime) {
    request(MESSAGE_NEED_RUNTIME, walk, 0);
    return;
  }
  language->runtime = *runtime;
  if (!(runtime->kinds & RUNTIME_PYTHON))
    return;
  if (python_begin(&language->runtime.python, language->thread_pointer, 0, &language->cursor) != 0)
    count(COUNTER_RUNTIMES_UNREADABLE);
  else if (language->cursor.frame != 0)
    language->state = LANGUAGE_READY;
}

// Called after a frame of an interpreter's loop, with the result of its native step in walk->end.
static __always_inline void begin_language(struct walk_state* walk) {
  struct language_walk* language = &walk->language;
  if (language->state == LANGUAGE_UNKNOWN)
    find_language(walk);
  if (language->state != LANGUAGE_READY)
    return;
  language->state = LANGUAGE_WALKING;
  language->is_rest = 0;
  language->end = walk->end;
  walk->end = UNWIND_MORE;
}

// Called when the native walk cannot go on, to record all frames that the interpreter has left.
static __always_inline void begin_rest(struct walk_state* walk) {
  struct language_walk* language = &walk->language;
  if (language->state == LANGUAGE_UNKNOWN && (walk->process.flags & PROCESS_HAS_RUNTIME))
    find_language(walk);
  if (language->state != LANGUAGE_READY)
    return;
  begin_language(walk);
  language->is_rest = 1;
  if (!push_frame(walk, (u64)FRAME_REST << FRAME_KIND_SHIFT))
    walk->end = UNWIND_TOO_DEEP;
}

static __always_inline u32 end_language(struct walk_state* walk, u32 state) {
  walk->language.state = state;
  return walk->end = walk->language.end;
}

// Records one frame of the interpreter. Returns walk->end.
static __always_inline u32 walk_language(struct walk_state* walk) {
  struct language_walk* language = &walk->language;
  struct python_frame frame;
  u64 word = (u64)FRAME_PYTHON << FRAME_KIND_SHIFT;
  if (language->cursor.frame == 0)
    return end_language(walk, LANGUAGE_NONE);
  if (python_next(&language->runtime.python, 0, &language->cursor, &frame, &language->scratch)) {
    count(COUNTER_RUNTIMES_UNREADABLE);
    return end_language(walk, LANGUAGE_NONE);
  }
  if (frame.is_entry)
    word |= FRAME_CALLED_FROM_C;
  if (!frame.is_skipped)
    word |= frame.code & FRAME_OBJECT_MASK;
  // A frame without code marks a call from C. It is only recorded for user space, if that has to
  // find out which frames belong to which loop.
  if (!frame.is_skipped || language->is_rest) {
    if (!push_frame(walk, word))
      return walk->end = UNWIND_TOO_DEEP;
    if (!push_frame(walk,
                    ((u64)FRAME_OPERAND << FRAME_KIND_SHIFT) |
                        ((frame.instruction & FRAME_INSTRUCTION_MASK) << FRAME_INSTRUCTION_SHIFT) |
                        frame.cookie))
      return walk->end = UNWIND_TOO_DEEP;
  }
  if (!frame.is_entry || language->is_rest)
    return UNWIND_MORE;
  end_language(walk, LANGUAGE_READY);
  if (walk->end != UNWIND_MORE && walk->end != UNWIND_COMPLETE)
    begin_rest(walk);
  return walk->end;
}

// The steps through generated code are global functions: the verifier checks each once, and not
// with every path that leads to it. They fill language.words, and move walk->frame to its caller.
__noinline u32 step_java(struct walk_state* walk) {
  if (!walk)
    return UNWIND_NO_RULE;
  return java_step(&walk->language.runtime.java, &walk->frame, &walk->window,
                   walk->language.java_scratch, walk->language.words);
}

__noinline u32 step_v8(struct walk_state* walk, u32 is_in_file) {
  if (!walk)
    return UNWIND_NO_RULE;
  return v8_step(&walk->language.runtime.v8, &walk->frame, &walk->window, walk->language.v8_scratch,
                 is_in_file, walk->language.words);
}

// Records a frame of generated code and moves walk->frame to its caller. `word` is the frame
// without knowledge of a runtime. Returns walk->end.
__noinline u32 walk_generated(struct walk_state* walk, u64 word, u32 is_in_file) {
  struct language_walk* language;
  u32 end;
  if (!walk)
    return UNWIND_NO_RULE;
  language = &walk->language;
  if (language->state == LANGUAGE_UNKNOWN)
    find_language(walk);
  language->words[0] = 0;
  if ((language->runtime.kinds & RUNTIME_JAVA) &&
      java_has_code(&language->runtime.java, walk->frame.pc)) {
    end = step_java(walk);
  } else if (language->runtime.kinds & RUNTIME_V8) {
    end = step_v8(walk, is_in_file);
  } else {
    end = unwind_guess(&walk->frame, &walk->window);
  }
  if (language->words[0] == 0)
    return push_frame(walk, word) ? (walk->end = end) : (walk->end = UNWIND_TOO_DEEP);
  if (!push_frame(walk, language->words[0]) || !push_frame(walk, language->words[1]))
    return walk->end = UNWIND_TOO_DEEP;
  return walk->end = end;
}

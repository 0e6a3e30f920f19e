// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// A window of the stack around the last word read. Reading user memory costs nearly as much as all
// other work on a frame, and hardly more for many words than for one; and frames are small.
#pragma once

#include "record/bpf/tables.h"

enum {
  WINDOW_WORDS = 64,
  WINDOW_WORDS_BELOW = 6,  // a return address is read before the registers saved below it
};

struct stack_window {
  u64 address;  // of the first word; 0: empty
  u64 words[WINDOW_WORDS];
};

// Returns 0 on success.
static __always_inline long read_stack_word(struct stack_window* window, u64* word, u64 address) {
  u64 index = (address - window->address) / sizeof(u64);
  if (address & (sizeof(u64) - 1))
    return bpf_probe_read_user(word, sizeof(*word), (const void*)address);
  if (index >= WINDOW_WORDS) {
    index = WINDOW_WORDS_BELOW;
    window->address = address - WINDOW_WORDS_BELOW * sizeof(u64);
    // Near the ends of a stack, the whole window may not be readable.
    if (bpf_probe_read_user(window->words, sizeof(window->words), (const void*)window->address)) {
      window->address = 0;
      return bpf_probe_read_user(word, sizeof(*word), (const void*)address);
    }
  }
  *word = window->words[index & (WINDOW_WORDS - 1)];
  return 0;
}

static __always_inline long read_stack(struct stack_window* window, void* target, u32 size,
                                       u64 address) {
  if (size == sizeof(u64))
    return read_stack_word(window, target, address);
  return bpf_probe_read_user(target, size, (const void*)address);
}

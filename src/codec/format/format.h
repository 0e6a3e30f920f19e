// SPDX-License-Identifier: Apache-2.0
//
// What a profile format is: a reader that turns bytes into batches, or a writer that turns a batch
// into bytes, or both. The registry (codec/registry.h) is a table of these.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/warnings.h"
#include "model/batch.h"

namespace flarestack::codec {

struct ReadOptions {
  base::Warnings* warnings = nullptr;  // never null in a call
};

// Called once per message of the input, in order. An error ends the reading and is handed back.
using EmitBatch = absl::FunctionRef<absl::Status(model::Batch)>;

struct Reader {
  std::string_view name;     // "pprof"
  std::string_view summary;  // one line for help

  // Whether these bytes, already decompressed, can be of this format. Looks at content alone, and
  // at a bounded part of it. Readers are asked in the order of the table, so a vague answer stands
  // behind a sure one.
  bool (*recognises)(std::string_view bytes);

  // Whether emitted batches hold copies of all text, so that the bytes may be freed while a batch
  // lives on.
  bool batches_own_text = true;

  // kInvalidArgument with a byte offset, line number or message path when the bytes are bad. Unless
  // they own their text, batches point into `bytes`. All indices of an emitted batch are valid.
  absl::Status (*read)(std::string_view bytes, const ReadOptions& options, EmitBatch emit);
};

struct WriteOptions {
  // The sample type for formats that hold one: "cpu", or "cpu/nanoseconds" where two share a name.
  // Empty: the first.
  std::string sample_type;
  std::string title;       // shown by formats that have a title; may be empty
  bool aggregate = false;  // leave timestamps out and add up what only they told apart
  // Only what the fields of the format hold, and what samples lead to; else pprof takes along all
  // that is needed to read the batch back as it was.
  bool plain = false;
  bool compresses_quickly = false;  // somewhat larger in half the time; where it compresses itself
  base::Warnings* warnings = nullptr;  // never null in a call
};

// Takes the output in pieces, in order.
using WriteBytes = absl::FunctionRef<absl::Status(std::string_view)>;

struct Writer {
  std::string_view name;
  std::string_view summary;
  std::span<const std::string_view> extensions;  // with the dot: ".pb.gz"
  bool holds_one_sample_type = false;
  bool takes_sample_type = true;   // looks at options.sample_type
  bool takes_aggregate = false;    // looks at options.aggregate
  bool holds_events = false;       // made for every event with its time, not for one value a stack
  bool is_binary = false;          // not to be shown on a terminal
  bool compresses_itself = false;  // the output is not to be compressed once more

  // kNotFound when options.sample_type names no sample type of the batch; the message lists those
  // there are.
  absl::Status (*write)(const model::Batch& batch, const WriteOptions& options, WriteBytes write);
};

}  // namespace flarestack::codec

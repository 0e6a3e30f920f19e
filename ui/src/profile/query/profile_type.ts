// SPDX-License-Identifier: Apache-2.0
//
// Profile types, as "type:unit": their labels, and which is the default.

// The type that the server shows by default: CPU time, or else the first by name (query::DefaultType).
export function defaultTypeOf(types: readonly string[]): string {
  const isCpu = types.length === 0 || types.some((type) => type.startsWith("cpu:") || type === "samples:count");
  return isCpu ? "cpu" : ([...types].sort()[0] ?? "cpu");
}

// Whether a type is the default one. As a default, "cpu" stands for "cpu:nanoseconds".
export const isSameType = (type: string, own: string): boolean =>
  type === own || (own === "cpu" && type === "cpu:nanoseconds");

const TYPE_LABELS: Readonly<Record<string, string>> = {
  cpu: "CPU time",
  off_cpu: "Off-CPU time",
  offcpu: "Off-CPU time",
  alloc_space: "Allocated bytes",
  alloc_objects: "Allocations",
  inuse_space: "Bytes in use",
  inuse_objects: "Objects in use",
  wall: "Wall time",
};

export function typeLabel(type: string): string {
  const [name = "", unit = ""] = type.split(":");
  return TYPE_LABELS[name] ?? (unit === "" ? name : `${name} (${unit})`);
}

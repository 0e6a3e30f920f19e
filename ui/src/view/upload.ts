// SPDX-License-Identifier: Apache-2.0
//
// The uploaded file that a page shows, if any: its name and its default profile type.
import type { Scratch } from "../api/types";
import { urlState } from "../state/location";
import { useApi } from "../state/resource";

export function useUpload(scratch = urlState.value.scratch): Scratch | null {
  return useApi<Scratch>(scratch === "" ? null : `scratch/${encodeURIComponent(scratch)}`).data;
}

export const nameOf = (upload: Scratch | null): string =>
  upload === null || upload.name === "" ? "uploaded file" : upload.name;

// The type that the server shows by default: CPU time, or else the first by name (query::DefaultType).
export function defaultTypeOf(types: readonly string[]): string {
  const isCpu = types.length === 0 || types.some((type) => type.startsWith("cpu:") || type === "samples:count");
  return isCpu ? "cpu" : ([...types].sort()[0] ?? "cpu");
}

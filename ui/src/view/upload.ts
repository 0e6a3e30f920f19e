// SPDX-License-Identifier: Apache-2.0
//
// The file that a page is about, where it is about one: its name, and the type of profile that it shows by itself.
import type { Scratch } from "../api/types";
import { urlState } from "../state/location";
import { useApi } from "../state/resource";

export function useUpload(scratch = urlState.value.scratch): Scratch | null {
  return useApi<Scratch>(scratch === "" ? null : `scratch/${encodeURIComponent(scratch)}`).data;
}

export const nameOf = (upload: Scratch | null): string =>
  upload === null || upload.name === "" ? "uploaded file" : upload.name;

// What the server shows where no type is asked for: CPU time, else the first by name (query::DefaultType).
export function defaultTypeOf(types: readonly string[]): string {
  const isCpu = types.length === 0 || types.some((type) => type.startsWith("cpu:") || type === "samples:count");
  return isCpu ? "cpu" : ([...types].sort()[0] ?? "cpu");
}

// SPDX-License-Identifier: Apache-2.0
//
// The uploaded file that a page shows, if any.
import type { Scratch } from "../api/types";
import { urlState } from "./location";
import { useApi } from "./resource";

export function useUpload(scratch = urlState.value.scratch): Scratch | null {
  return useApi<Scratch>(scratch === "" ? null : `scratch/${encodeURIComponent(scratch)}`).data;
}

export const nameOf = (upload: Scratch | null): string =>
  upload === null || upload.name === "" ? "uploaded file" : upload.name;

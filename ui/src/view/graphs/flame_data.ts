// SPDX-License-Identifier: Apache-2.0
//
// The flame graph of a scope: fetched in binary form, decoded and laid out once.
import { type Answered, getBytes, getJson, type Meta, type Parameters } from "../../api/client";
import { type FlameLayout, layOut, pathNames, type WidthBasis } from "../../profile/flame/flame_layout";
import { type Resource, useResource } from "../../state/resource";
import { layOutBytes } from "./flame_decoding";

const FLAME_TYPE = "application/vnd.flarestack.flame.v1";

export interface Flame extends Answered {
  readonly layout: FlameLayout;
}

async function load(path: string, parameters: Parameters, signal: AbortSignal): Promise<Flame> {
  const { buffer, meta }: { buffer: ArrayBuffer; meta: Meta } = await getBytes(path, parameters, FLAME_TYPE, signal);
  const laidOut = await layOutBytes(buffer);
  const layout: FlameLayout = parameters.some(([key, value]) => key === "side" && value === "callers")
    ? { ...laidOut, isInverted: true }
    : laidOut;
  if ((layout.width[0] ?? 0) > 0) return { layout, meta };
  // The binary form has no field for the reason of an empty result; JSON does.
  const { empty } = await getJson<Answered>(
    path,
    [...parameters, ["nodes", "1"]].filter(([key], i, all) => key !== "nodes" || i === all.length - 1) as [
      string,
      string,
    ][],
    signal,
  );
  return { layout, meta, empty: empty ?? { reason: "no samples" } };
}

export function useFlame(parameters: Parameters | null, path = "flame"): Resource<Flame> {
  const key =
    parameters === null ? null : `${path} bytes ${new URLSearchParams(parameters.map(([k, v]) => [k, v])).toString()}`;
  return useResource<Flame>(key, (signal) => load(path, parameters ?? [], signal));
}

// The same tree with different widths: for comparisons, when the baseline or its scale changes.
export function rescaled(layout: FlameLayout, basis: WidthBasis, scale: number): FlameLayout {
  return layOut(layout.tree, basis, scale);
}

export const parentPath = (layout: FlameLayout, node: number): string[] => pathNames(layout, layout.parent[node] ?? 0);

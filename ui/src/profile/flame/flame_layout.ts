// SPDX-License-Identifier: Apache-2.0
//
// The layout of a flame graph: totals, parents, and a row of boxes for each level, in units of the value. Computed once
// per tree; zoom and pan only select the visible part.
//
//   x          the root starts at 0 and is width[0] wide; children start at the left edge of their parent, in tree
//              order, and the rest on the right is the parent's self value
//   rowStart   boxes of depth d are rowNodes[rowStart[d] .. rowStart[d + 1]), from left to right; rowX and rowEnd have
//              their edges in the same order, for locality: every drawn frame reads whole rows
import { type FlameTree, FRAME_GAP } from "./flame_decoder";
import { EMPTY_PATH, extendPath, hashPath, type PathHash, parsePathHash, pathHashText } from "./path_hash";

export type WidthBasis = "union" | "before" | "after";

export interface FlameLayout {
  readonly tree: FlameTree;
  readonly total: readonly Float64Array[]; // per value column
  readonly width: Float64Array;
  readonly x: Float64Array;
  readonly parent: Int32Array; // -1 of node 0
  readonly end: Uint32Array; // first node after the subtree
  readonly rowStart: Uint32Array;
  readonly rowNodes: Uint32Array;
  readonly rowX: Float64Array;
  readonly rowEnd: Float64Array;
  readonly rowCount: number;
  readonly isInverted?: boolean; // leaf functions on top and callers below: nodes have no self cost
}

// Sums up subtrees. In preorder a subtree directly follows its node, so one backward pass is enough.
function sumUp(self: Float64Array, parent: Int32Array): Float64Array {
  const total = Float64Array.from(self);
  for (let i = total.length - 1; i > 0; --i) {
    const above = parent[i] ?? 0;
    total[above] = (total[above] ?? 0) + (total[i] ?? 0);
  }
  return total;
}

// Selects the widths of a comparison. `scale` normalizes the later side to the baseline.
function widthsOf(tree: FlameTree, basis: WidthBasis, scale: number): Float64Array {
  const before = tree.self[0] ?? new Float64Array(tree.count);
  const after = tree.self[1];
  const width = new Float64Array(tree.count);
  for (let i = 0; i < tree.count; ++i) {
    const a = before[i] ?? 0;
    const b = (after?.[i] ?? 0) * scale;
    const value = after === undefined || basis === "before" ? a : basis === "after" ? b : (a + b) / 2;
    width[i] = Math.max(0, value); // values may be negative, widths may not
  }
  return width;
}

const isGap = (tree: FlameTree, node: number): boolean =>
  node > 0 && ((tree.frames.flags[tree.frame[node] ?? 0] ?? 0) & FRAME_GAP) !== 0;

export function layOut(tree: FlameTree, basis: WidthBasis = "union", scale = 1): FlameLayout {
  const { count, depth } = tree;
  const parent = new Int32Array(count).fill(-1);
  const end = new Uint32Array(count).fill(count);
  const open: number[] = []; // the path to the previous node
  let rowCount = 0;
  for (let i = 0; i < count; ++i) {
    const level = depth[i] ?? 0;
    while (open.length > level) end[open.pop() ?? 0] = i;
    parent[i] = open.at(-1) ?? -1;
    open.push(i);
    rowCount = Math.max(rowCount, level + 1);
  }
  const width = sumUp(widthsOf(tree, basis, scale), parent);

  const x = new Float64Array(count);
  const next = new Float64Array(rowCount + 1);
  const rowStart = new Uint32Array(rowCount + 1);
  for (let i = 0; i < count; ++i) {
    const level = depth[i] ?? 0;
    const at = next[level] ?? 0;
    x[i] = at;
    next[level] = at + (width[i] ?? 0);
    next[level + 1] = at;
    if (!isGap(tree, i)) rowStart[level + 1] = (rowStart[level + 1] ?? 0) + 1;
  }
  for (let row = 0; row < rowCount; ++row) rowStart[row + 1] = (rowStart[row + 1] ?? 0) + (rowStart[row] ?? 0);
  const boxCount = rowStart[rowCount] ?? 0;
  const rowNodes = new Uint32Array(boxCount);
  const rowX = new Float64Array(boxCount);
  const rowEnd = new Float64Array(boxCount);
  const fill = rowStart.slice();
  for (let i = 0; i < count; ++i) {
    if (isGap(tree, i)) continue;
    const level = depth[i] ?? 0;
    const at = fill[level] ?? 0;
    rowNodes[at] = i;
    rowX[at] = x[i] ?? 0;
    rowEnd[at] = (x[i] ?? 0) + (width[i] ?? 0);
    fill[level] = at + 1;
  }
  const total = tree.self.map((column) => sumUp(column, parent));
  return { tree, total, width, x, parent, end, rowStart, rowNodes, rowX, rowEnd, rowCount };
}

// If the root is an unnamed node with a single child, that child becomes the root.
export function withoutEmptyRoot(tree: FlameTree): FlameTree {
  const isHolder =
    tree.count > 1 && tree.frames.name[tree.frame[0] ?? 0] === "" && tree.depth.subarray(2).every((depth) => depth > 1);
  if (!isHolder) return tree;
  return {
    ...tree,
    count: tree.count - 1,
    depth: tree.depth.slice(1).map((depth) => depth - 1),
    frame: tree.frame.slice(1),
    self: tree.self.map((column) => column.slice(1)),
    folded: new Map([...tree.folded].map(([node, count]) => [node - 1, count])),
    probability: tree.probability?.slice(1) ?? null,
  };
}

export function nodeName(layout: FlameLayout, node: number): string {
  const { tree } = layout;
  return tree.frames.name[tree.frame[node] ?? 0] ?? "";
}

export function childrenOf(layout: FlameLayout, node: number): number[] {
  const children: number[] = [];
  const end = layout.end[node] ?? 0;
  for (let child = node + 1; child < end; child = layout.end[child] ?? end)
    if (!isGap(layout.tree, child)) children.push(child);
  return children;
}

// From node 0 to the node, inclusive.
export function ancestorsOf(layout: FlameLayout, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = layout.parent[at] ?? -1) path.unshift(at);
  return path;
}

// Names from the true root, even if the tree is a subtree.
export function pathNames(layout: FlameLayout, node: number): string[] {
  const names = ancestorsOf(layout, node).map((at) => nodeName(layout, at));
  return [...layout.tree.path, ...(names[0] === "" ? names.slice(1) : names)];
}

export function nodeHash(layout: FlameLayout, node: number): string {
  return pathHashText(hashPath(pathNames(layout, node)));
}

// Visits the hash of each call path until `visit` returns true. Returns that node, or -1.
function visitHashes(layout: FlameLayout, visit: (hash: PathHash) => boolean): number {
  const hashes: PathHash[] = [];
  const above = hashPath(layout.tree.path);
  for (let i = 0; i < layout.tree.count; ++i) {
    const name = nodeName(layout, i);
    const parent = layout.parent[i] ?? -1;
    const base = parent < 0 ? above : (hashes[parent] ?? EMPTY_PATH);
    const own = parent < 0 && name === "" ? base : extendPath(base, name);
    hashes.push(own);
    if (visit(own)) return i;
  }
  return -1;
}

// Returns the node that a hash in a link refers to, or -1.
export function findByHash(layout: FlameLayout, hash: string): number {
  const wanted = parsePathHash(hash);
  return wanted === null ? -1 : visitHashes(layout, (own) => own.high === wanted.high && own.low === wanted.low);
}

// Returns a function that tests whether the graph has a call path. Efficient for many lookups.
export function pathsIn(layout: FlameLayout): (hash: string) => boolean {
  const keyOf = (hash: PathHash): string => `${hash.high} ${hash.low}`;
  const known = new Set<string>();
  visitHashes(layout, (own) => {
    known.add(keyOf(own));
    return false;
  });
  return (hash) => {
    const wanted = parsePathHash(hash);
    return wanted !== null && known.has(keyOf(wanted));
  };
}

export function findWidestByName(layout: FlameLayout, name: string): number {
  let best = -1;
  for (let i = 0; i < layout.tree.count; ++i) {
    if (nodeName(layout, i) === name && (best < 0 || (layout.width[i] ?? 0) > (layout.width[best] ?? 0))) best = i;
  }
  return best;
}

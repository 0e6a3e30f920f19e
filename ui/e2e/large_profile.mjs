// SPDX-License-Identifier: Apache-2.0
//
// A large profile: folded stacks that form a tree of about 200,000 nodes, up to 60 levels deep, with 12,000 names of
// about 55 letters. Deterministic.
const LEAVES = 13_000;
const DEPTH_MAX = 60;
const NAMES = 12_000;

export function largeProfile() {
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 4294967296;
  };
  const nameOf = (i) => `company::project${i % 97}::module_with_a_long_name::Type${i % 311}::method_${i}`;
  const lines = [];
  let path = [];
  for (let leaf = 0; leaf < LEAVES; ++leaf) {
    // Where the next stack branches off: mostly near the leaf, sometimes near the root.
    const keep = Math.floor(path.length * (1 - random() ** 2 * 0.7));
    const depth = Math.min(DEPTH_MAX, keep + 3 + Math.floor(random() * 25));
    path = path.slice(0, keep);
    while (path.length < depth) path.push(nameOf(Math.floor(random() ** 2 * NAMES)));
    lines.push(`${path.join(";")} ${Math.floor(Math.exp((random() + random() + random() - 1.5) * 3 + 5)) + 1}`);
  }
  return `${lines.join("\n")}\n`;
}

// Uploads it and returns the URL of its flame graph with all nodes.
export async function openLarge(url, nodes = 1_000_000) {
  const response = await fetch(`${url}/api/v1/scratch`, { method: "POST", body: largeProfile() });
  if (!response.ok) throw new Error(`the upload was rejected: ${await response.text()}`);
  const { id } = await response.json();
  return `/explore?v=1&scratch=${id}&nodes=${nodes}`;
}

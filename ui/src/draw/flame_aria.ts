// SPDX-License-Identifier: Apache-2.0
//
// The part of a flame graph around its cursor, as a tree for screen readers: the callers of the node, its siblings and
// its callees. It is not visible; the canvas shows the same.
import { ancestorsOf, childrenOf, type FlameLayout } from "../profile/flame/flame_layout";

export interface AriaScene {
  readonly layout: FlameLayout;
  readonly label: string;
  readonly describe: (node: number) => string;
}

const SHOWN_MAX = 40; // siblings or children

let treesMade = 0;

export class AriaTree {
  readonly element = document.createElement("div");
  private readonly live = document.createElement("div");
  private readonly tree = document.createElement("div");
  private readonly id = `flame-tree-${++treesMade}`;

  constructor(private readonly owner: HTMLElement) {
    this.element.className = "visually-hidden";
    this.tree.setAttribute("role", "group");
    this.tree.id = this.id;
    this.live.setAttribute("aria-live", "polite");
    this.element.append(this.live);
    owner.append(this.tree);
    this.tree.className = "visually-hidden";
    owner.setAttribute("role", "tree");
    owner.setAttribute("aria-roledescription", "flame graph");
  }

  show(scene: AriaScene, node: number): void {
    const { layout } = scene;
    const path = ancestorsOf(layout, node);
    const siblings = node === 0 ? [0] : childrenOf(layout, layout.parent[node] ?? 0).slice(0, SHOWN_MAX);
    if (!siblings.includes(node)) siblings.push(node);
    const children = childrenOf(layout, node).slice(0, SHOWN_MAX);
    const items: HTMLElement[] = [];
    const add = (at: number, position: number, size: number): void => {
      const item = document.createElement("div");
      item.id = `${this.id}-${at}`;
      item.setAttribute("role", "treeitem");
      item.setAttribute("aria-level", String((layout.tree.depth[at] ?? 0) + 1));
      item.setAttribute("aria-posinset", String(position));
      item.setAttribute("aria-setsize", String(size));
      if ((layout.end[at] ?? 0) > at + 1) item.setAttribute("aria-expanded", String(path.includes(at)));
      item.setAttribute("aria-selected", String(at === node));
      item.textContent = scene.describe(at);
      items.push(item);
    };
    for (const above of path.slice(0, -1)) add(above, 1, 1);
    for (const [i, sibling] of siblings.entries()) {
      add(sibling, i + 1, siblings.length);
      if (sibling !== node) continue;
      for (const [j, child] of children.entries()) add(child, j + 1, children.length);
    }
    this.tree.replaceChildren(...items);
    this.owner.setAttribute("aria-activedescendant", `${this.id}-${node}`);
    if (document.activeElement === this.owner) this.live.textContent = scene.describe(node);
  }
}

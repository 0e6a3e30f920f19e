// SPDX-License-Identifier: Apache-2.0
//
// A flame graph on a canvas: draws the visible part, zooms, and reports pointer and keyboard actions as events. It has
// no page state: the owner sets the scene and handles the events.
//
// Two canvases overlap. The lower one has the boxes and is drawn when the view changes; the upper one has the marks of
// pointer and cursor, which change with every mouse move.

import { DIM, type Palette } from "../profile/color/palette";
import { FRAME_FOLDED, FRAME_INLINED, FRAME_NAMELESS } from "../profile/flame/flame_decoder";
import type { FlameLayout } from "../profile/flame/flame_layout";
import { ancestorsOf, childrenOf, nodeName } from "../profile/flame/flame_layout";
import { BoxRaster, pixelColors } from "./box_raster";
import { AriaTree } from "./flame_aria";
import { cull, DrawList, nodeAt, OWN_COLOR, RUN } from "./flame_cull";
import { TextFitter } from "./text_fit";

export interface FlameScene {
  readonly layout: FlameLayout;
  readonly colors: Uint8Array; // per node
  readonly matching: Uint8Array | null; // per frame, during a search
  readonly palette: Palette;
  readonly isRootBelow: boolean;
  readonly isOverTime: boolean; // a timeline: no root, and narrow boxes keep their colour
  readonly label: string; // for screen readers
  readonly describe: (node: number) => string;
}

export interface FlameEvents {
  onHover(node: number, clientX: number, clientY: number): void; // -1: nothing
  onSelect(node: number): void;
  onZoom(node: number): void;
  onMenu(node: number, clientX: number, clientY: number): void;
}

export interface DrawnBox {
  readonly name: string | null; // null: a run of boxes that are too narrow
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly isDim: boolean;
}

export const ROW_PX = 20;
const FONT = '12px ui-sans-serif, system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const TEXT_ROOM_MIN = 26;
const ZOOM_MS = 160;
// During movement, boxes below two pixels are drawn as runs: that halves the number of boxes.
const MOVING_PX = 2;
const STILL_PX = 1;
const STILL_AFTER_MS = 120;
const COARSE_BOXES_MIN = 1500; // with fewer, all are drawn during movement too

export class FlameCanvas {
  private readonly scroller = document.createElement("div");
  private readonly spacer = document.createElement("div");
  private readonly boxes = document.createElement("canvas");
  private readonly marks = document.createElement("canvas");
  private readonly aria: AriaTree;
  private readonly observer: ResizeObserver;
  private readonly list = new DrawList();
  private readonly raster = new BoxRaster();
  private pixelColors: { palette: Palette; colors: Uint32Array } | null = null;
  private fitter: TextFitter | null = null;
  private hatched: { palette: Palette; pattern: CanvasPattern | string } | null = null;
  private scene: FlameScene | null = null;
  private shown: Uint8Array | null = null; // colours, dimmed for boxes that do not match
  private from = 0;
  private to = 1;
  private hovered = -1;
  private selected = 0;
  private widthPx = 0;
  private heightPx = 0;
  private ratio = 1;
  private scrolled = 0; // as of the last frame
  private isNew = false; // this tree was not painted yet
  private frameRequest = 0;
  private stillTimer = 0;
  private animation: { startMs: number; from: number; to: number; targetFrom: number; targetTo: number } | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly events: FlameEvents,
  ) {
    this.scroller.className = "flame-scroller";
    this.spacer.className = "flame-spacer";
    this.boxes.className = "flame-boxes";
    this.marks.className = "flame-marks";
    this.aria = new AriaTree(this.scroller);
    this.spacer.append(this.boxes, this.marks);
    this.scroller.append(this.spacer);
    host.append(this.scroller, this.aria.element);
    Object.assign(this.scroller, {
      drawn: () => this.drawn(),
      drawnCount: () => this.list.count,
      measureFrame: (px: number) => this.measureFrame(px),
    }); // for tests
    this.scroller.tabIndex = 0;
    this.scroller.addEventListener("scroll", () => this.redraw(true), { passive: true });
    this.marks.addEventListener("pointermove", (event) => this.hover(event));
    this.marks.addEventListener("pointerleave", () => this.setHovered(-1, 0, 0));
    this.marks.addEventListener("click", (event) => this.click(event));
    this.marks.addEventListener("dblclick", (event) => this.zoomAt(event));
    this.marks.addEventListener("contextmenu", (event) => this.menu(event));
    this.marks.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => {
      if (this.resize()) this.paint(STILL_PX); // immediately: resizing clears a canvas
    });
    this.observer.observe(host);
  }

  destroy(): void {
    this.observer.disconnect();
    cancelAnimationFrame(this.frameRequest);
    window.clearTimeout(this.stillTimer);
    this.scroller.remove();
    this.aria.element.remove();
  }

  setScene(scene: FlameScene, zoomed: number, selected: number): void {
    const isNewTree = this.scene?.layout !== scene.layout;
    const isTurned = this.scene !== null && this.scene.isRootBelow !== scene.isRootBelow;
    this.scene = scene;
    this.shown = scene.matching === null ? scene.colors : dimmed(scene.layout, scene.colors, scene.matching);
    this.scroller.setAttribute("aria-label", scene.label);
    if (isNewTree) {
      this.isNew = true;
      this.hovered = -1;
      this.zoomTo(zoomed, false);
    } else this.zoomTo(zoomed, true);
    this.selected = selected;
    this.resize();
    this.redraw(); // in the next frame: for a large tree the caller has already used up this one
    if ((isNewTree || isTurned) && scene.isRootBelow) this.scroller.scrollTop = this.scroller.scrollHeight;
    this.aria.show(scene, selected);
  }

  // For export: the boxes as drawn.
  picture(): HTMLCanvasElement {
    return this.boxes;
  }

  // The content of the canvas, for tests, which check this list instead of pixels.
  private drawn(): DrawnBox[] {
    const { scene, list } = this;
    if (scene === null) return [];
    return Array.from({ length: list.count }, (_, i) => {
      const node = list.node[i] ?? RUN;
      return {
        name: node === RUN ? null : labelOf(scene.layout, node),
        left: list.left[i] ?? 0,
        top: this.rowTop(list.row[i] ?? 0),
        width: list.width[i] ?? 0,
        isDim: list.color[i] === DIM,
      };
    });
  }

  // The time of a complete frame, and its number of boxes. Reading a pixel back forces the browser to draw it now.
  measureFrame(boxPxMin = STILL_PX): { ms: number; boxes: number } {
    const begin = performance.now();
    this.paint(boxPxMin);
    this.boxes.getContext("2d")?.getImageData(0, 0, 1, 1);
    return { ms: performance.now() - begin, boxes: this.list.count };
  }

  focus(): void {
    this.scroller.focus();
  }

  private zoomTo(node: number, isAnimated: boolean): void {
    if (this.scene === null) return;
    const { layout } = this.scene;
    const targetFrom = layout.x[node] ?? 0;
    const targetTo = targetFrom + Math.max(layout.width[node] ?? 1, 1e-9);
    if (targetFrom === this.from && targetTo === this.to) return;
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!isAnimated || isStill) {
      this.animation = null;
      this.from = targetFrom;
      this.to = targetTo;
    } else this.animation = { startMs: performance.now(), from: this.from, to: this.to, targetFrom, targetTo };
    this.redraw();
  }

  // Returns whether the size has changed, which requires a redraw.
  private resize(): boolean {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth === 0 || clientHeight === 0 || this.scene === null) return false;
    const ratio = window.devicePixelRatio || 1;
    // A root at the bottom stays visible when the graph gets less space.
    const isAtRoot =
      this.scene.isRootBelow && this.heightPx > 0 && this.scrolled + this.heightPx >= this.spacer.offsetHeight - 1;
    this.spacer.style.height = `${Math.max((this.scene.layout.rowCount - this.firstRow) * ROW_PX, clientHeight)}px`;
    const widthPx = this.scroller.clientWidth;
    if (widthPx === this.widthPx && clientHeight === this.heightPx && ratio === this.ratio) return false;
    this.widthPx = widthPx;
    this.heightPx = clientHeight;
    this.ratio = ratio;
    if (isAtRoot) this.scroller.scrollTop = this.scroller.scrollHeight;
    for (const canvas of [this.boxes, this.marks]) {
      canvas.width = Math.round(this.widthPx * ratio);
      canvas.height = Math.round(this.heightPx * ratio);
      canvas.style.width = `${this.widthPx}px`;
      canvas.style.height = `${this.heightPx}px`;
    }
    this.raster.resize(this.boxes.width, this.boxes.height);
    return true;
  }

  private redraw(isMoving = false): void {
    if (isMoving) {
      window.clearTimeout(this.stillTimer);
      this.stillTimer = window.setTimeout(() => {
        this.stillTimer = 0;
        this.redraw();
      }, STILL_AFTER_MS);
    }
    if (this.frameRequest !== 0) return;
    this.frameRequest = requestAnimationFrame((now) => {
      this.frameRequest = 0;
      this.step(now);
      if (this.isNew) {
        // The first paint takes ten times as long: draw the boxes now, and their names in the next frame.
        this.isNew = false;
        this.paint(STILL_PX, false);
        this.redraw();
        return;
      }
      const isCoarse = (this.animation !== null || this.stillTimer !== 0) && this.list.count >= COARSE_BOXES_MIN;
      this.paint(isCoarse ? MOVING_PX : STILL_PX);
      if (this.animation !== null) this.redraw();
    });
  }

  private step(now: number): void {
    const move = this.animation;
    if (move === null) return;
    const part = Math.min(1, Math.max(0, (now - move.startMs) / ZOOM_MS));
    const eased = 1 - (1 - part) ** 3;
    this.from = move.from + (move.targetFrom - move.from) * eased;
    this.to = move.to + (move.targetTo - move.to) * eased;
    if (part === 1) this.animation = null;
  }

  // Top of a row on the canvas. Uses a cached scroll position: reading it from the document for each box took half of a
  // frame.
  private rowTop(row: number): number {
    if (this.scene?.isRootBelow !== true) return (row - this.firstRow) * ROW_PX - this.scrolled;
    return this.rowsPx - (row - this.firstRow + 1) * ROW_PX - this.scrolled;
  }

  private rowAt(y: number): number {
    const fromRoot = this.scene?.isRootBelow !== true ? y + this.scrolled : this.rowsPx - this.scrolled - y;
    return Math.floor(fromRoot / ROW_PX) + this.firstRow;
  }

  private get firstRow(): number {
    return this.scene?.isOverTime === true ? 1 : 0;
  }

  private get rowsPx(): number {
    return Math.max(((this.scene?.layout.rowCount ?? 0) - this.firstRow) * ROW_PX, this.heightPx);
  }

  private paint(boxPxMin: number, hasNames = true): void {
    const { scene, shown, list } = this;
    const context = this.boxes.getContext("2d", { alpha: true });
    if (scene === null || shown === null || context === null || this.widthPx === 0) return;
    this.scrolled = this.scroller.scrollTop;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const rows = [this.rowAt(0), this.rowAt(this.heightPx - 1)] as const;
    cull(
      scene.layout,
      shown,
      scene.isOverTime ? OWN_COLOR : DIM,
      {
        from: this.from,
        to: this.to,
        widthPx: this.widthPx,
        firstRow: Math.min(...rows),
        lastRow: Math.max(...rows),
        boxPxMin,
      },
      list,
    );
    if (this.pixelColors?.palette !== scene.palette)
      this.pixelColors = { palette: scene.palette, colors: pixelColors(scene.palette) };
    this.raster.fill(list, this.pixelColors.colors, {
      top: (row) => this.rowTop(row),
      heightPx: ROW_PX - 1,
      ratio,
      isCovering: scene.isOverTime,
    });
    this.raster.drawOn(context);
    if (!hasNames) return;
    this.paintNames(context, scene, boxPxMin > STILL_PX);
    this.paintMarks();
  }

  private paintNames(context: CanvasRenderingContext2D, scene: FlameScene, isMoving: boolean): void {
    context.font = FONT;
    context.textBaseline = "middle";
    this.fitter ??= new TextFitter((text) => context.measureText(text).width);
    const { list } = this;
    const { tree } = scene.layout;
    const text = `rgb(${scene.palette.text.join(" ")})`;
    const dim = `rgb(${scene.palette.dimText.join(" ")})`;
    let style = "";
    for (let i = 0; i < list.count; ++i) {
      const width = list.width[i] ?? 0;
      const node = list.node[i] ?? RUN;
      if (node === RUN || width < (isMoving ? 2 * TEXT_ROOM_MIN : TEXT_ROOM_MIN)) continue;
      const frame = tree.frame[node] ?? 0;
      const flags = tree.frames.flags[frame] ?? 0;
      const left = list.left[i] ?? 0;
      const top = this.rowTop(list.row[i] ?? 0);
      const name = node === 0 && tree.frames.name[frame] === "" ? "all" : (tree.frames.name[frame] ?? "");
      const label = (flags & FRAME_FOLDED) !== 0 ? `${tree.folded.get(node) ?? ""} more` : name;
      if ((flags & FRAME_NAMELESS) !== 0) {
        context.fillStyle = this.hatch(context, scene);
        context.fillRect(left, top, width - 1, ROW_PX - 1);
        style = "";
      }
      const fitted = this.fitter.fit(label, width - 9);
      const wanted = list.color[i] === DIM || (flags & (FRAME_FOLDED | FRAME_NAMELESS)) !== 0 ? dim : text;
      if (wanted !== style) context.fillStyle = style = wanted;
      if (fitted !== "") context.fillText(fitted, left + 4, top + ROW_PX / 2);
      if ((flags & FRAME_INLINED) !== 0)
        for (let y = top + 2; y < top + ROW_PX - 2; y += 4) context.fillRect(left, y, 1.5, 2);
    }
  }

  // Diagonal lines mark frames without a name, so that colour is not the only sign.
  private hatch(context: CanvasRenderingContext2D, scene: FlameScene): CanvasPattern | string {
    if (this.hatched?.palette === scene.palette) return this.hatched.pattern;
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const pen = tile.getContext("2d");
    if (pen !== null) {
      pen.strokeStyle = `rgb(${scene.palette.text.join(" ")} / 0.13)`;
      for (const shift of [-8, 0, 8]) {
        pen.moveTo(shift, 8);
        pen.lineTo(shift + 8, 0);
      }
      pen.stroke();
    }
    const pattern = context.createPattern(tile, "repeat") ?? "transparent";
    this.hatched = { palette: scene.palette, pattern };
    return pattern;
  }

  // The position of a node on the canvas; null if it is not visible.
  private boxOf(node: number): [number, number, number] | null {
    const layout = this.scene?.layout;
    if (layout === undefined || node < 0 || node >= layout.tree.count) return null;
    const scale = this.widthPx / (this.to - this.from);
    const left = Math.max(0, ((layout.x[node] ?? 0) - this.from) * scale);
    const right = Math.min(this.widthPx, ((layout.x[node] ?? 0) + (layout.width[node] ?? 0) - this.from) * scale);
    const top = this.rowTop(layout.tree.depth[node] ?? 0);
    return right <= left || top < -ROW_PX || top > this.heightPx ? null : [left, top, right - left];
  }

  private paintMarks(): void {
    const context = this.marks.getContext("2d");
    const { scene, list } = this;
    if (scene === null || context === null) return;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.widthPx, this.heightPx);
    const ink = scene.palette.text;
    if (this.hovered > 0) {
      const frame = scene.layout.tree.frame[this.hovered];
      context.fillStyle = `rgb(${ink.join(" ")} / 0.16)`;
      for (let i = 0; i < list.count; ++i) {
        const node = list.node[i] ?? RUN;
        if (node !== RUN && scene.layout.tree.frame[node] === frame) {
          context.fillRect(list.left[i] ?? 0, this.rowTop(list.row[i] ?? 0), list.width[i] ?? 0, ROW_PX - 1);
        }
      }
    }
    const outline = (node: number, width: number): void => {
      const box = this.boxOf(node);
      if (box === null) return;
      context.lineWidth = width;
      context.strokeStyle = `rgb(${ink.join(" ")} / 0.9)`;
      context.strokeRect(box[0] + width / 2, box[1] + width / 2 - 0.5, Math.max(1, box[2] - width - 1), ROW_PX - width);
    };
    if (this.hovered >= 0) outline(this.hovered, 1);
    if (this.selected > 0) outline(this.selected, 2);
  }

  private nodeUnder(event: MouseEvent): number {
    const box = this.marks.getBoundingClientRect();
    const x = this.from + ((event.clientX - box.left) / this.widthPx) * (this.to - this.from);
    return this.scene === null ? -1 : nodeAt(this.scene.layout, this.rowAt(event.clientY - box.top), x);
  }

  private setHovered(node: number, x: number, y: number): void {
    if (node !== this.hovered) {
      this.hovered = node;
      this.marks.style.cursor = node >= 0 ? "pointer" : "default";
      this.paintMarks();
    }
    this.events.onHover(node, x, y);
  }

  private hover(event: PointerEvent): void {
    this.setHovered(this.nodeUnder(event), event.clientX, event.clientY);
  }

  private click(event: MouseEvent): void {
    const node = this.nodeUnder(event);
    this.scroller.focus({ preventScroll: true });
    if (node >= 0) this.select(node);
  }

  private zoomAt(event: MouseEvent): void {
    const node = this.nodeUnder(event);
    if (node >= 0) this.events.onZoom(node);
  }

  private menu(event: MouseEvent): void {
    const node = this.nodeUnder(event);
    if (node < 0) return;
    event.preventDefault();
    this.select(node);
    this.events.onMenu(node, event.clientX, event.clientY);
  }

  // Ctrl and wheel zoom at the pointer, Shift and wheel pan; the wheel alone scrolls.
  private wheel(event: WheelEvent): void {
    if ((!event.ctrlKey && !event.metaKey && !event.shiftKey) || this.scene === null) return;
    event.preventDefault();
    this.animation = null;
    const all = this.scene.layout.width[0] ?? 1;
    const span = this.to - this.from;
    const amount = event.deltaY !== 0 ? event.deltaY : event.deltaX;
    if (event.shiftKey) {
      const shift = Math.max(-this.from, Math.min(all - this.to, (amount / this.widthPx) * span));
      this.from += shift;
      this.to += shift;
    } else {
      const at = (event.clientX - this.marks.getBoundingClientRect().left) / this.widthPx;
      const next = Math.min(all, span * Math.exp(amount * 0.002));
      this.from = Math.max(0, Math.min(all - next, this.from + (span - next) * at));
      this.to = this.from + next;
    }
    this.redraw(true);
  }

  private select(node: number): void {
    this.selected = node;
    this.reveal(node);
    this.paintMarks();
    if (this.scene !== null) this.aria.show(this.scene, node);
    this.events.onSelect(node);
  }

  private reveal(node: number): void {
    const top = this.rowTop(this.scene?.layout.tree.depth[node] ?? 0);
    if (top < 0) this.scroller.scrollTop += top;
    else if (top + ROW_PX > this.heightPx) this.scroller.scrollTop += top + ROW_PX - this.heightPx;
  }

  private key(event: KeyboardEvent): void {
    if (this.scene === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const { layout, isRootBelow } = this.scene;
    const node = this.selected;
    const isUp = event.key === (isRootBelow ? "ArrowDown" : "ArrowUp");
    const isDown = event.key === (isRootBelow ? "ArrowUp" : "ArrowDown");
    let target = -1;
    if (isUp) target = layout.parent[node] ?? -1;
    else if (isDown) target = widest(layout, childrenOf(layout, node));
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const siblings = childrenOf(layout, layout.parent[node] ?? -1);
      target = siblings[siblings.indexOf(node) + (event.key === "ArrowLeft" ? -1 : 1)] ?? -1;
    } else if (event.key === "Home") target = 0;
    else if (event.key === "Enter") this.events.onZoom(node);
    else if (event.key === "Backspace") this.events.onZoom(ancestorsOf(layout, node).at(-2) ?? 0);
    else if (event.key === ".") {
      const box = this.boxOf(node);
      const at = this.marks.getBoundingClientRect();
      if (box !== null) this.events.onMenu(node, at.left + box[0] + 10, at.top + box[1] + ROW_PX);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    if (target >= 0) this.select(target);
  }
}

function widest(layout: FlameLayout, nodes: readonly number[]): number {
  let best = -1;
  for (const node of nodes) if (best < 0 || (layout.width[node] ?? 0) > (layout.width[best] ?? 0)) best = node;
  return best;
}

function dimmed(layout: FlameLayout, colors: Uint8Array, matching: Uint8Array): Uint8Array {
  const shown = new Uint8Array(colors.length);
  for (let i = 0; i < colors.length; ++i) shown[i] = matching[layout.tree.frame[i] ?? 0] === 1 ? (colors[i] ?? 0) : DIM;
  return shown;
}

export function labelOf(layout: FlameLayout, node: number): string {
  const folded = layout.tree.folded.get(node);
  if (folded !== undefined) return `${folded} more functions`;
  const name = nodeName(layout, node);
  return name !== "" ? name : node === 0 ? "all" : "(no name)";
}

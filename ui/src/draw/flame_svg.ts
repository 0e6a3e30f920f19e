// SPDX-License-Identifier: Apache-2.0
//
// A flame graph as a standalone SVG file: the subtree of the zoomed node, with a title for each box.
import { css } from "../profile/color/color";
import type { FlameScene } from "./flame_canvas";
import { labelOf, ROW_PX } from "./flame_canvas";
import { cull, DrawList, RUN } from "./flame_cull";
import { TextFitter } from "./text_fit";

const WIDTH = 1400;
const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export function flameSvg(scene: FlameScene, zoomed: number, title: string, ground: string): string {
  const { layout, palette } = scene;
  const from = layout.x[zoomed] ?? 0;
  const list = new DrawList();
  cull(
    layout,
    scene.colors,
    0,
    {
      from,
      to: from + (layout.width[zoomed] ?? 1),
      widthPx: WIDTH,
      firstRow: 0,
      lastRow: layout.rowCount,
      boxPxMin: 0.5,
    },
    list,
  );
  let rows = 0;
  for (let i = 0; i < list.count; ++i) rows = Math.max(rows, (list.row[i] ?? 0) + 1);
  const height = rows * ROW_PX + 34;
  const fitter = new TextFitter((text) => text.length * 6.4);
  const text = css(palette.text);
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"` +
      ' font-family="system-ui,sans-serif" font-size="11.5">',
    `<rect width="100%" height="100%" fill="${ground}"/>`,
    `<text x="6" y="18" font-size="14" fill="${text}">${escaped(title)}</text>`,
  ];
  for (let i = 0; i < list.count; ++i) {
    const node = list.node[i] ?? RUN;
    const row = list.row[i] ?? 0;
    const y = 30 + (scene.isRootBelow ? rows - 1 - row : row) * ROW_PX;
    const x = list.left[i] ?? 0;
    const width = list.width[i] ?? 0;
    const fill = palette.css[list.color[i] ?? 0] ?? "#888";
    const shown = Math.max(0.3, width - 0.6).toFixed(2);
    const box = `<rect x="${x.toFixed(2)}" y="${y}" width="${shown}" height="${ROW_PX - 1}" fill="${fill}"/>`;
    if (node === RUN) out.push(box);
    else {
      const label = fitter.fit(labelOf(layout, node), width - 8);
      const words =
        label === "" ? "" : `<text x="${(x + 4).toFixed(1)}" y="${y + 14}" fill="${text}">${escaped(label)}</text>`;
      out.push(`<g><title>${escaped(scene.describe(node))}</title>${box}${words}</g>`);
    }
  }
  out.push("</svg>\n");
  return out.join("\n");
}

// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { paletteOf } from "../profile/color/palette";
import { decodeFlame } from "../profile/flame/flame_decoder";
import { encodeFlame } from "../profile/flame/flame_encoder.testing";
import { layOut } from "../profile/flame/flame_layout";
import { nodeColors } from "../profile/flame/node_colors";
import { flameSvg } from "./flame_svg";
import { TextFitter } from "./text_fit";

describe("flame graph as SVG", () => {
  const layout = layOut(decodeFlame(encodeFlame({ lines: '0 - 0\n1 map<int>&"x" 60\n2 leaf 20\n1 rest 20' })));
  const scene = {
    layout,
    colors: nodeColors(layout, "type"),
    matching: null,
    palette: paletteOf("light"),
    isRootBelow: false,
    isOverTime: false,
    label: "",
    describe: (node: number) => `node ${node} <&>`,
  };

  it("has a box and a title for each node, and escapes markup", () => {
    const svg = flameSvg(scene, 0, 'a "title" <b>', "#fff");
    expect(svg.match(/<title>/g)).toHaveLength(4);
    expect(svg).not.toContain("map<int>");
    expect(svg).toContain("map&#60;int&#62;&#38;&#34;x&#34;");
    expect(svg).toContain("a &#34;title&#34; &#60;b&#62;");
    expect(svg.endsWith("</svg>\n")).toBe(true);
  });

  it("contains only the zoomed subtree", () => {
    expect(flameSvg(scene, 1, "", "#fff").match(/<title>/g)).toHaveLength(3);
  });
});

describe("fitText", () => {
  const fitter = new TextFitter((text) => text.length * 6);
  it("shortens a name to the available width", () => {
    expect(fitter.fit("shop::Cart::add(int)", 200)).toBe("shop::Cart::add(int)");
    expect(fitter.fit("shop::Cart::add(int)", 100)).toBe("shop::Cart::add");
    expect(fitter.fit("shop::Cart::add(int)", 70)).toBe("Cart::add");
    expect(fitter.fit("shop::Cart::add(int)", 20)).toBe("add");
    expect(fitter.fit("abcdefghij", 30)).toBe("abcd…");
    expect(fitter.fit("abcdefghij", 12)).toBe("");
  });
});

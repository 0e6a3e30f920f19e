// SPDX-License-Identifier: Apache-2.0
//
// Colours by perceived lightness (Oklab), so that different hues look equally bright, and WCAG 2 contrast.

export type Rgb = readonly [number, number, number]; // 0 to 255

// Hue in degrees. Reduces the chroma until the colour is in the sRGB gamut.
export function oklch(lightness: number, chroma: number, hue: number): Rgb {
  for (let c = chroma; ; c -= 0.005) {
    const linear = toLinear(lightness, Math.max(0, c), hue);
    if (c <= 0 || linear.every((value) => value >= -0.0005 && value <= 1.0005)) {
      return linear.map((value) => Math.round(255 * gamma(Math.min(1, Math.max(0, value))))) as unknown as Rgb;
    }
  }
}

function toLinear(lightness: number, chroma: number, hue: number): number[] {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

const gamma = (value: number): number => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);

export function luminance(rgb: Rgb): number {
  const part = (value: number): number => {
    const s = value / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(rgb[0]) + 0.7152 * part(rgb[1]) + 0.0722 * part(rgb[2]);
}

export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

export const css = (rgb: Rgb): string => `#${rgb.map((value) => value.toString(16).padStart(2, "0")).join("")}`;

export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

import type { Accent } from '../../wire/ui.ts';

type Rgb = readonly [red: number, green: number, blue: number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The page background in the dark scheme. */
const DARK: Rgb = [23, 28, 36];
/** The share of the accent colour in the background of a selected item. */
const CHOSEN = { light: 0.1, dark: 0.15 };
/** The minimum contrast by WCAG 2.2, a little above the 4.5 that it requires for text. */
const CONTRAST = 4.8;
const STEP = 0.04;

/**
 * The shades of an accent colour, such that text in the colour on a selected item and text on the colour are readable, in the light and the dark scheme.
 *
 * @param hex - `#rrggbb`
 */
export function accented(hex: string): Accent {
  const accent = rgbOf(hex);
  const light = untilReadable(accent, BLACK, (color) => mixed(WHITE, color, CHOSEN.light));
  const dark = untilReadable(accent, WHITE, (color) => mixed(DARK, color, CHOSEN.dark));
  const shades = [
    mixed(WHITE, dark, 0.1),
    mixed(WHITE, dark, 0.25),
    mixed(WHITE, dark, 0.5),
    mixed(WHITE, dark, 0.75),
    dark,
    mixed(dark, WHITE, 0.12),
    mixed(light, WHITE, 0.15),
    light,
    mixed(light, BLACK, 0.14),
    mixed(light, BLACK, 0.3),
  ];
  return {
    shades: shades.map(hexOf),
    light: { accent: hexOf(light), chosen: hexOf(mixed(WHITE, light, CHOSEN.light)) },
    dark: { accent: hexOf(dark), chosen: hexOf(mixed(DARK, dark, CHOSEN.dark)) },
  };
}

function untilReadable(color: Rgb, towards: Rgb, groundOf: (color: Rgb) => Rgb): Rgb {
  return contrast(color, groundOf(color)) >= CONTRAST
    ? color
    : untilReadable(mixed(color, towards, STEP), towards, groundOf);
}

function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  return from.map((value, i) => value + (to[i]! - value) * share) as unknown as Rgb;
}

function rgbOf(hex: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
}

function hexOf(rgb: Rgb): string {
  return `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrast(a: Rgb, b: Rgb): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((value) =>
    value <= 10.31475 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

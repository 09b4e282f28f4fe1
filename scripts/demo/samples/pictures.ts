import { jpeg } from './jpeg.ts';
import { png, type Colour } from './png.ts';
import { sample, type Sample } from './sample.ts';

const DUSK: readonly Colour[] = [
  [24, 32, 74],
  [96, 62, 120],
  [226, 120, 96],
  [252, 196, 120],
];
const SEA: readonly Colour[] = [
  [222, 240, 250],
  [140, 200, 224],
  [34, 116, 160],
  [10, 52, 92],
];
const FOREST: readonly Colour[] = [
  [206, 226, 190],
  [120, 166, 110],
  [52, 104, 70],
  [22, 50, 44],
];

/** Landscapes for the photo bucket, each different, none of them of a real place. */
export function pictures(): readonly Sample[] {
  return [
    sample('2025/summer/beach at noon.png', 'image/png', landscape(960, 640, SEA, 0.2)),
    sample('2025/summer/sunset #1.png', 'image/png', landscape(960, 640, DUSK, 0.6)),
    sample('2025/summer/sunset #2.jpg', 'image/jpeg', mosaic(96, 64, DUSK)),
    sample('2025/summer/Küste – Blick nach Süden.jpg', 'image/jpeg', mosaic(96, 64, SEA)),
    sample('2025/summer/🏖️ towel.svg', 'image/svg+xml', towel()),
    sample('2025/winter/forest.png', 'image/png', landscape(960, 640, FOREST, 0.8)),
    sample('2025/winter/forest, 50% smaller.png', 'image/png', landscape(480, 320, FOREST, 0.8)),
    sample('2024/harbour.jpg', 'image/jpeg', mosaic(120, 80, SEA)),
    sample('2024/evening+lights.jpg', 'image/jpeg', mosaic(120, 80, DUSK)),
    sample('2025-private/not for everyone.png', 'image/png', landscape(320, 240, DUSK, 0.4)),
  ];
}

/** A small square in one colour, for folders of many pictures. */
export function swatch(hue: number): Buffer {
  return png(64, 64, (x, y) => [hue % 256, (hue * 7 + x) % 256, (hue * 13 + y) % 256]);
}

function landscape(width: number, height: number, sky: readonly Colour[], sunAt: number): Buffer {
  const sun = { x: width * sunAt, y: height * 0.35, radius: height * 0.09 };
  const hill = (x: number, depth: number) =>
    height * (0.6 + 0.13 * depth) + Math.sin(x / (width * 0.07) + depth * 3) * height * 0.04;
  const hills = [2, 1, 0].map((depth) => ({
    colour: mix(sky[3]!, sky[0]!, 0.4 + depth * 0.3),
    tops: Array.from({ length: width }, (_, x) => hill(x, depth)),
  }));
  const rows = Array.from({ length: height }, (_, y) => gradient(sky, y / height));
  return png(width, height, (x, y) => {
    for (const { colour, tops } of hills) if (y > tops[x]!) return colour;
    return (x - sun.x) ** 2 + (y - sun.y) ** 2 < sun.radius ** 2 ? [255, 244, 214] : rows[y]!;
  });
}

function mosaic(columns: number, rows: number, colours: readonly Colour[]): Buffer {
  return jpeg(columns, rows, (column, row) => {
    const ripple = Math.sin(column / 5) * Math.cos(row / 4) * 0.12;
    return gradient(colours, Math.min(1, Math.max(0, row / rows + ripple)));
  });
}

function gradient(colours: readonly Colour[], at: number): Colour {
  const place = at * (colours.length - 1);
  const index = Math.min(colours.length - 2, Math.floor(place));
  return mix(colours[index]!, colours[index + 1]!, place - index);
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const channel = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * share);
  return [channel(0), channel(1), channel(2)];
}

function towel(): string {
  const stripes = ['#e4572e', '#f3a712', '#a8c686', '#669bbc', '#29335c'];
  const bands = stripes
    .map((colour, i) => `<rect x="40" y="${40 + i * 40}" width="240" height="40" fill="${colour}"/>`)
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 280" role="img"><title>A towel</title><rect width="320" height="280" fill="#f6e7cb"/>${bands}</svg>\n`;
}

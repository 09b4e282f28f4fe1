import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FITTED, moved, zoomed } from '../../../src/web/viewer/zoom.ts';

const room = { x: 800, y: 600 };
const fitted = { x: 800, y: 400 };

describe('a zoomed picture', () => {
  it('keeps what is beneath the pointer where it is', () => {
    const at = { x: 100, y: -50 };
    const zoom = zoomed(FITTED, 4, at, fitted, room);
    expect(zoom).toEqual({ scale: 4, x: -300, y: 150 });
    expect({ x: zoom.x + (at.x / FITTED.scale) * zoom.scale, y: zoom.y + (at.y / FITTED.scale) * zoom.scale }).toEqual(
      at,
    );
  });

  it('is never smaller than what fits, nor larger than sixteen times that', () => {
    expect(zoomed(FITTED, 0.1, { x: 50, y: 50 }, fitted, room)).toEqual(FITTED);
    expect(zoomed(FITTED, 1000, { x: 0, y: 0 }, fitted, room).scale).toBe(16);
  });

  it('leaves no gap in the frame that it could fill, wherever it is moved', () => {
    const amount = fc.double({ min: -5000, max: 5000, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0.1, max: 4, noNaN: true }), amount, amount), { maxLength: 10 }),
        (steps) => {
          const zoom = steps.reduce(
            (last, [factor, x, y]) =>
              moved(zoomed(last, last.scale * factor, { x: x / 20, y: y / 20 }, fitted, room), { x, y }, fitted, room),
            FITTED,
          );
          for (const axis of ['x', 'y'] as const)
            expect(Math.abs(zoom[axis])).toBeLessThanOrEqual(
              Math.max(0, (fitted[axis] * zoom.scale - room[axis]) / 2) + 1e-9,
            );
        },
      ),
    );
  });
});

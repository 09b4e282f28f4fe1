import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const ASSETS = join(import.meta.dirname, '../../dist/web/assets');
const COMPONENT_CLASS = /m_[0-9a-f]{6,8}/g;

const classesIn = (text: string): ReadonlySet<string> => new Set(text.match(COMPONENT_CLASS));
const built = (ending: string): string =>
  readdirSync(ASSETS)
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(ASSETS, name), 'utf8'))
    .join('\n');

/** Asks the build, since only the build knows which components it holds. */
(existsSync(ASSETS) ? describe : describe.skip)('components.css', () => {
  it('has the styles of every component that the built UI holds', () => {
    const all = classesIn(readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8'));
    const styled = classesIn(built('.css'));
    const held = [...classesIn(built('.js'))].filter((name) => all.has(name));
    expect(held.length).toBeGreaterThan(100);
    expect(held.filter((name) => !styled.has(name))).toEqual([]);
  });

  it('comes before the styles of the page, which win over it', () => {
    const page = readFileSync(join(ASSETS, '../index.html'), 'utf8');
    const [first, ...others] = [...page.matchAll(/<link rel="stylesheet"[^>]*\/assets\/([^"]+\.css)"/g)].map(
      ([, name]) => readFileSync(join(ASSETS, name!), 'utf8'),
    );
    expect(others.length).toBeGreaterThan(0);
    expect(classesIn(first!).size).toBeGreaterThan(100);
    expect(others.flatMap((styles) => [...classesIn(styles)])).toEqual([]);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { catalogue as problems } from '../../../src/errors/catalogue.ts';
import type { Catalogue } from '../../../src/web/words/catalogue.ts';
import { german } from '../../../src/web/words/de/de.ts';
import { readMessages } from './messages.ts';

const { messages, bare } = readMessages();
const codes = Object.keys(problems).map((code) => `problem ${code}`);

function formsOf(catalogue: Catalogue, message: string): string[] {
  const found = catalogue[message];
  return found === undefined ? [] : typeof found === 'string' ? [found] : Object.values(found);
}

function namesIn(text: string): string {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort().join();
}

describe('the messages of the UI', () => {
  it('all go through the catalogue', () => {
    expect(messages.length).toBeGreaterThan(500);
    expect(bare).toEqual([]);
  });

  it('name no setting of the service and no HTTP status, and are written without backticks', () => {
    const forOperators =
      /`|\b(?:auth|session|server|state|policies|providers|thumbnails|ui)(?:\[\])?\.[a-z_]+|\b[45]\d\d\b/;
    expect(messages.map(({ message }) => message).filter((message) => forOperators.test(message))).toEqual([]);
  });

  it('are all there in German, in a file of `src/web/words/de`', () => {
    expect([...messages.map(({ message }) => message), ...codes].filter((message) => !(message in german))).toEqual([]);
  });

  it('hold no German one that nobody says', () => {
    const said = new Set([...messages.map(({ message }) => message), ...codes]);
    expect(Object.keys(german).filter((message) => !said.has(message))).toEqual([]);
  });

  it('stand in one file of German texts each', () => {
    const folder = join(import.meta.dirname, '../../../src/web/words/de');
    const keys = readdirSync(folder)
      .filter((file) => file !== 'de.ts')
      .flatMap((file) =>
        [...readFileSync(join(folder, file), 'utf8').matchAll(/^ {2}(?:'((?:[^'\\]|\\.)+)'|"([^"]+)"|(\w+)):/gm)].map(
          ([, single, double, bare]) => single ?? double ?? bare,
        ),
      );
    expect(keys.length).toBeGreaterThan(500);
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  });

  it('hold the same values in German', () => {
    const differing = messages.flatMap(({ message, one }) =>
      formsOf(german, message).filter(
        (form) => namesIn(form) !== namesIn(message) && !(one !== undefined && namesIn(form) === namesIn(one)),
      ),
    );
    expect(differing).toEqual([]);
  });

  it('have a German form for one thing where there is an English one', () => {
    expect(
      messages
        .filter(({ message, one }) => (one !== undefined) !== (typeof german[message] === 'object'))
        .map(({ where, message }) => `${where} ${message}`),
    ).toEqual([]);
  });
});

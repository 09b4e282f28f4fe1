import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as undici from 'undici';
import * as parts from '../../scripts/build/undici-parts.js';

const IMPORTED = /^import \{([^}]*)\} from 'undici'|const \{([^}]*)\} = await import\('undici'\)|\bundici\.(\w+)/gm;

describe('the part of undici that is built in', () => {
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => (body += String(chunk)));
    req.on('end', () => {
      res.setHeader('x-answer', 'yes');
      res.statusCode = req.url === '/missing' ? 404 : 200;
      res.end(JSON.stringify([req.method, req.url, req.headers['x-sent'], body]));
    });
  });
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.close();
  });

  it('has each name that the code under `src` imports', () => {
    const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join('src', file), 'utf8'));
    const names = code
      .flatMap((text) => [...text.matchAll(IMPORTED)])
      .flatMap(([, first, second, third]) => (first ?? second ?? third!).split(','))
      .map((name) => name.trim())
      .filter((name) => !name.startsWith('type '));
    expect(new Set(names)).toEqual(new Set(Object.keys(parts)));
    for (const name of ['Agent', 'EnvHttpProxyAgent', 'buildConnector', 'errors'] as const)
      expect(parts[name]).toBe(undici[name]);
  });

  it.each([
    ['/a/b?c=d&e#f', {}],
    ['', {}],
    ['/missing', { method: 'POST', body: 'text', headers: { 'x-sent': 'é' } }],
    ['/put', { body: 'text' }],
    ['/own', { dispatcher: new undici.Agent({ connections: 1 }) }],
  ])('answers a request for `%s` as undici does', async (path, options) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    const answers = await Promise.all(
      [parts, undici].map(async ({ request }) => {
        const { statusCode, headers, body } = await request(url, options);
        return [statusCode, headers['x-answer'], await body.text()];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  it.each(['file:///etc/passwd', 'nowhere', 'http://'])('refuses `%s` as undici does', async (url) => {
    const faults = await Promise.all(
      [parts, undici].map(async ({ request }) => {
        try {
          await request(url);
          return undefined;
        } catch (error) {
          return { name: (error as Error).name, code: (error as NodeJS.ErrnoException).code };
        }
      }),
    );
    expect(faults[0]).toBeDefined();
    expect(faults[0]).toEqual(faults[1]);
  });
});

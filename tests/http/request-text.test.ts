import type { Request } from 'express';
import { describe, expect, it } from '@jest/globals';
import { acceptsHtml, prefersHtml } from '../../src/http/routing/accept.ts';
import { snakeCase, snakeNames, snakeSchema } from '../../src/http/routing/member-names.ts';
import { dispositionOf, objectHeaders, unchangedHeaders } from '../../src/http/routing/object-headers.ts';
import { errorPage, localUsersPage } from '../../src/http/pages/page.ts';
import { parseQuery } from '../../src/http/routing/query.ts';

describe('parseQuery', () => {
  it.each([
    ['key=a+b%20c%2B&empty=&bare', { key: 'a b c+', empty: '', bare: '' }],
    ['key=a=b&&x=%C3%BC', { key: 'a=b', x: 'ü' }],
    ['__proto__=x', { ['__proto__']: 'x' }],
    ['', {}],
    [undefined, {}],
  ])('reads `%s`', (text, query) => {
    expect(Object.entries(parseQuery(text))).toEqual(Object.entries(query));
  });

  it.each(['a=1&a=1', 'a&%61', 'a=%FF', 'a=%', '%C3=x'])('refuses `%s`', (text) => {
    expect(() => parseQuery(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('a page', () => {
  it.each([
    ['GET', 'text/html,*/*;q=0.8', true, true],
    ['HEAD', 'text/html', true, true],
    ['GET', 'application/json, */*', false, true],
    ['GET', undefined, false, true],
    ['GET', 'application/json', false, false],
    ['POST', 'text/html', false, false],
    ['POST', '*/*', false, false],
  ])('for %s that accepts %s: preferred %s, accepted %s', (method, accept, isPreferred, isAccepted) => {
    const req = { method, headers: { accept } } as unknown as Request;
    expect([prefersHtml(req), acceptsHtml(req)]).toEqual([isPreferred, isAccepted]);
  });

  it('holds what others wrote as text, and backticks as code', () => {
    const evil = `<script>'"&`;
    const problem = (title: string, detail: string) =>
      ({ type: 'urn:svc:problem:internal', title, status: 500, code: 'internal', detail, request_id: evil }) as const;
    const written =
      errorPage(problem(evil, `no \`${evil}\` here`), evil) +
      localUsersPage(
        [
          { subject: evil, roles: [evil] },
          { subject: 'x', roles: [] },
        ],
        evil,
      );
    expect(written).not.toContain('<script');
    expect(written).toContain('No <code>&#60;script&#62;&#39;&#34;&#38;</code> here.');
    expect(written).toContain('no role');
    expect(errorPage(problem('t', 'svc.config.yaml is gone'), '/')).toContain('<p>Svc.config.yaml is gone.</p>');
    expect(errorPage(problem('t', 'really?'), '/')).toContain('<p>Really?</p>');
  });
});

describe('the headers of an object', () => {
  const disposition = (type: string | undefined, download = false) =>
    objectHeaders(type === undefined ? {} : { 'content-type': type }, 'k', download)['content-disposition']!.split(
      ';',
    )[0];

  it.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    ' text/xml',
    'text/xsl',
    'image/svg+xml',
    'application/xhtml+xml',
    'application/xml',
    'application/rss+xml',
    'model/x3d+xml',
    'image/png, text/html',
  ])('make an attachment of %j', (type) => {
    expect(disposition(type)).toBe('attachment');
  });

  it.each(['text/plain', 'image/png', 'application/pdf', undefined])(
    'show %j, and make an attachment of it when asked',
    (type) => {
      expect([disposition(type), disposition(type, true)]).toEqual(['inline', 'attachment']);
    },
  );

  it('shut it off from this origin, whatever storage says', () => {
    const stored = {
      etag: '"e"',
      'content-disposition': 'inline',
      'content-security-policy': '*',
      'cache-control': 'public',
    };
    expect(objectHeaders(stored, 'a/b', false)).toMatchObject({
      etag: '"e"',
      'content-type': 'application/octet-stream',
      'cache-control': 'private, no-cache',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*; sandbox$/),
    });
    expect(unchangedHeaders({ etag: '"e"' })).toEqual({ etag: '"e"', 'cache-control': 'private, no-cache' });
  });

  it.each([
    ['a/b c.txt', 'filename="b c.txt"'],
    ['a/', 'filename=a'],
    ['//', 'filename=download'],
    ['ü"\\%\n\'(*)!', 'filename="?\\"\\\\%?\'(*)!"; filename*=UTF-8\'\'%C3%BC%22%5C%25%0A%27%28%2A%29!'],
    ['\ud800', 'filename="?"; filename*=UTF-8\'\'%EF%BF%BD'],
  ])('name %j', (key, name) => {
    expect(dispositionOf('inline', key)).toBe(`inline; ${name}`);
  });
});

describe('names of members', () => {
  const inner = { type: 'object', properties: { lastModified: {}, size: {} }, required: ['lastModified'] };
  const schema = {
    type: 'object',
    properties: { nextCursor: {}, allObjects: { type: 'array', items: inner } },
    required: ['nextCursor', 'allObjects'],
  };

  it('are written with underscores, in schemas and in values, however deep', () => {
    expect(snakeCase('nextCursorOf')).toBe('next_cursor_of');
    const innerSnake = { type: 'object', properties: { last_modified: {}, size: {} }, required: ['last_modified'] };
    expect(snakeSchema(schema)).toEqual({
      type: 'object',
      properties: { next_cursor: {}, all_objects: { type: 'array', items: innerSnake } },
      required: ['next_cursor', 'all_objects'],
    });
    expect(snakeNames(schema)({ nextCursor: null, allObjects: [{ lastModified: 1, size: 0 }, { size: 2 }] })).toEqual({
      next_cursor: null,
      all_objects: [{ last_modified: 1, size: 0 }, { size: 2 }],
    });
  });

  it('stay as they are where nothing changes', () => {
    const plain = { type: 'object', properties: { keys: { type: 'array', items: { type: 'string' } } } };
    const value = { keys: ['nextCursor'] };
    expect(snakeSchema(plain)).toBe(plain);
    expect(snakeNames(plain)(value)).toBe(value);
  });
});

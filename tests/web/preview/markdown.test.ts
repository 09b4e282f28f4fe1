import { describe, expect, it } from '@jest/globals';
import { renderMarkdown } from '../../../src/web/preview/markdown.ts';

const OBJECT = { provider: 'main', bucket: 'files', key: 'docs/read me.md', home: '/' };

describe('Markdown', () => {
  it('is rendered without a trace in what names the object', () => {
    const object = { ...OBJECT };
    expect(renderMarkdown('see [the plan][plan]\n\n[plan]: plan.txt', object).html).toContain(
      'href="/p/main/files?prefix=docs%2F&amp;object=docs%2Fplan.txt"',
    );
    expect(object).toEqual(OBJECT);
  });

  it('draws the items of a list that begin with `[ ]` or `[x]` as tasks', () => {
    const { html } = renderMarkdown('- [x] done\n- [ ] **open**\n- [link](a.md)\n\n[x] no item', OBJECT);
    expect(html).toContain('<li class="task">☑ done</li>\n<li class="task">☐ <strong>open</strong></li>\n<li><a ');
    expect(html).toContain('<p>[x] no item</p>');
  });

  it('is rendered whole while it is short', () => {
    const { html, isWhole } = renderMarkdown('line\n'.repeat(20_000), OBJECT);
    expect([isWhole, html.match(/line/g)?.length]).toEqual([true, 20_000]);
  });

  it.each(['![', '[<a ', '*[', 'a.com,', '|a', '> ', 'line\n', '- a\n'])(
    'is rendered up to a bound, however long it is: %j',
    (piece) => {
      const { html, isWhole } = renderMarkdown(piece.repeat(4_000_000 / piece.length), OBJECT);
      expect(isWhole).toBe(false);
      expect(html.length).toBeLessThan(4_000_000);
    },
  );

  it('links to pages and mail only, and starts no program', () => {
    const schemes = (html: string) => Array.from(html.matchAll(/href="([^"]*?):/g), ([, scheme]) => scheme);
    expect(
      schemes(
        renderMarkdown(
          '[a](https://a.example) [b](mailto:b@a.example) [c](ms-word:ofe) [d](tel:1) [e](file:///etc/passwd) [f](javascript:x) [g](x:y)',
          OBJECT,
        ).html,
      ),
    ).toEqual(['https', 'mailto']);
  });

  it.each([
    '//elsewhere.example/x',
    '/\\elsewhere.example/x',
    '/%5Celsewhere.example/x',
    '</\telsewhere.example>',
    '%2F%2Felsewhere.example',
    '../../../../api/auth/logout',
    '/api/auth/logout',
    '?a',
    '#a',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '&#106;avascript:alert(1)',
  ])('has no link that leads to a route of this origin other than its pages: %j', (target) => {
    const { html } = renderMarkdown(`[x](${target})`, OBJECT);
    for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) {
      const { origin, pathname } = new URL(href, 'https://svc.example/p/main/files');
      if (origin === 'https://svc.example') expect(pathname).toMatch(/^\/p\//);
    }
  });
});

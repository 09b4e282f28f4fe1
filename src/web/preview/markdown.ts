import MarkdownIt from 'markdown-it';
import { servicePath } from '../base.ts';
import type { ObjectRef } from '../actions/object-calls.ts';
import { decoded, folderOf, placeLink } from '../place/place.ts';

/** Longer texts would hold up the page: the worst take more than a second. */
const MOST_CHARACTERS = 200_000;

/** `isWhole`: whether all of the text is drawn. */
type Drawn = { readonly html: string; readonly isWhole: boolean };

/** HTML in the text is shown as text, and addresses that could run anything are no links. */
const markdown = new MarkdownIt({ html: false, linkify: true });
// Programs of the reader's computer have schemes of their own, and would be started.
markdown.validateLink = (target) => /^(?:https?|mailto):/i.test(target) || !/^[^/?#]*:/.test(target);
// Nothing is loaded for a reader: a picture could tell somebody else that the text was read.
markdown.renderer.rules['image'] = (tokens, index) => {
  const [source, text] = [tokens[index]?.attrGet('src') ?? '', tokens[index]?.content ?? ''];
  return `<span class="picture">${markdown.utils.escapeHtml(text === '' ? source : text)}</span>`;
};
markdown.renderer.rules['link_open'] = (tokens, index, options, env: ObjectRef, self) => {
  const token = tokens[index];
  const target = token?.attrGet('href') ?? '';
  const inside = linkInside(env, target);
  if (token !== undefined && target.startsWith('#')) {
    // Headings have no names here.
    token.attrs = null;
  } else if (inside === undefined) {
    token?.attrSet('target', '_blank');
    token?.attrSet('rel', 'noopener noreferrer');
  } else {
    token?.attrSet('href', inside);
  }
  return self.renderToken(tokens, index, options);
};

/** Draws the beginning of a Markdown text as HTML that runs nothing and loads nothing. Links to other files of the bucket lead to them in this UI. */
export function drawn(text: string, object: ObjectRef): Drawn {
  // What is drawn with is changed by it: it gets the names that links refer to.
  return { html: markdown.render(text.slice(0, MOST_CHARACTERS), { ...object }), isWhole: text.length <= MOST_CHARACTERS };
}

/** The page of the file that a link without a scheme and host names, from where this file is. */
function linkInside({ provider, bucket, key }: ObjectRef, target: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) return undefined;
  // The host is never asked: it stands for the bucket while the path is worked out.
  const base = `http://bucket/${folderOf(key).split('/').map(encodeURIComponent).join('/')}`;
  if (!URL.canParse(target, base)) return undefined;
  const { host, pathname } = new URL(target, base);
  const path = decoded(pathname.slice(1));
  if (host !== 'bucket' || path === undefined || path === '') return undefined;
  const prefix = folderOf(path);
  return servicePath(placeLink({ provider, bucket, prefix }, path === prefix ? undefined : path).slice(1));
}

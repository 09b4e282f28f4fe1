import MarkdownIt from 'markdown-it';
import type { ObjectRef } from '../api/object-calls.ts';
import { decoded, folderOf, placeLink } from '../place/place.ts';

/** Longer texts are not rendered. The worst texts of this length take more than a second, so a worker renders them. */
export const MOST_CHARACTERS = 100_000;

/** Rendered Markdown. `isWhole` tells whether the whole text is rendered. */
export type RenderedMarkdown = { readonly html: string; readonly isWhole: boolean };

/** The object that contains the text, and the path of the home page, with a final slash. */
type From = ObjectRef & { readonly home: string };

/** The Markdown renderer. HTML in the text is shown as text, and only safe URLs become links. */
const markdown = new MarkdownIt({ html: false, linkify: true });
// Links with other schemes could start programs on the user's computer.
markdown.validateLink = (target) => /^(?:https?|mailto):/i.test(target) || !/^[^/?#]*:/.test(target);
// Images are not loaded, because an external image would reveal that the text was read.
markdown.renderer.rules['image'] = (tokens, index) => {
  const [source, text] = [tokens[index]?.attrGet('src') ?? '', tokens[index]?.content ?? ''];
  return `<span class="picture">${markdown.utils.escapeHtml(text === '' ? source : text)}</span>`;
};
// A list item that begins with `[ ]` or `[x]` is a task.
markdown.core.ruler.after('inline', 'tasks', ({ tokens }) => {
  for (const [index, { type, children }] of tokens.entries()) {
    const item = tokens[index - 2];
    const text = children?.[0];
    const [mark, state] = /^\[([ xX])\] /.exec(text?.content ?? '') ?? [];
    if (type !== 'inline' || item?.type !== 'list_item_open' || text === undefined || mark === undefined) continue;
    item.attrSet('class', 'task');
    text.content = `${state === ' ' ? '☐' : '☑'} ${text.content.slice(mark.length)}`;
  }
});
markdown.renderer.rules['link_open'] = (tokens, index, options, env: From, self) => {
  const token = tokens[index];
  const target = token?.attrGet('href') ?? '';
  const inside = linkInside(env, target);
  if (token !== undefined && target.startsWith('#')) {
    // Headings have no anchors here.
    token.attrs = null;
  } else if (inside === undefined) {
    token?.attrSet('target', '_blank');
    token?.attrSet('rel', 'noopener noreferrer');
  } else {
    token?.attrSet('href', inside);
  }
  return self.renderToken(tokens, index, options);
};

/** Renders the beginning of a Markdown text as HTML without scripts and external content. Links to other files of the bucket open them in this UI. */
export function renderMarkdown(text: string, from: From): RenderedMarkdown {
  // The renderer adds link references to the environment, so it gets a copy.
  return {
    html: markdown.render(text.slice(0, MOST_CHARACTERS), { ...from }),
    isWhole: text.length <= MOST_CHARACTERS,
  };
}

/** The in-app link for a relative link in a file, or undefined for other links. */
function linkInside({ provider, bucket, key, home }: From, target: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) return undefined;
  // The host name is a placeholder to resolve the path; no request is sent to it.
  const base = `http://bucket/${folderOf(key).split('/').map(encodeURIComponent).join('/')}`;
  if (!URL.canParse(target, base)) return undefined;
  const { host, pathname } = new URL(target, base);
  const path = decoded(pathname.slice(1));
  if (host !== 'bucket' || path === undefined || path === '') return undefined;
  const prefix = folderOf(path);
  return home + placeLink({ provider, bucket, prefix }, path === prefix ? undefined : path).slice(1);
}

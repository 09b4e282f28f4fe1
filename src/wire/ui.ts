/** The branding of the web UI, as JSON in the `content` of `<meta name="svc-ui">`. */
export type Ui = {
  readonly name: string;
  /** URL of the logo, relative to the base of the document; undefined for the service's own logo. */
  readonly logo?: string | undefined;
  readonly accent?: Accent | undefined;
  readonly help?: { readonly text: string; readonly url: string } | undefined;
  readonly banner?: { readonly text: string; readonly kind: 'info' | 'warning' } | undefined;
};

/** Colours as `#rrggbb`. */
export type Accent = {
  /** Ten shades from light to dark. The dark colour scheme uses the fifth, the light one the eighth. */
  readonly shades: readonly string[];
  readonly light: AccentOfScheme;
  readonly dark: AccentOfScheme;
};

/** `accent` is the colour of links and icons; `chosen` is the background of a selected item. */
type AccentOfScheme = { readonly accent: string; readonly chosen: string };

/**
 * The `Link` header of a page of the web UI, which lets the browser ask for the session together with the page.
 *
 * The mode and credentials equal those of the page's own request (`fetch` to the same origin), so that it takes this answer.
 *
 * @param base - the base path of the page, with a slash at both ends.
 */
export function sessionPreload(base: string): string {
  return `<${base}v1/auth/session>; rel=preload; as=fetch; crossorigin=anonymous`;
}

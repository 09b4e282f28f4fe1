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

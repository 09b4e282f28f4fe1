/** How the web UI presents itself: in the `content` of `<meta name="svc-ui">`, as JSON. */
export type Ui = {
  readonly name: string;
  /** Address of the logo, relative to the base of the document; undefined for the service's own. */
  readonly logo?: string | undefined;
  readonly accent?: Accent | undefined;
  readonly help?: { readonly text: string; readonly url: string } | undefined;
  readonly banner?: { readonly text: string; readonly kind: 'info' | 'warning' } | undefined;
};

/** Colours as `#rrggbb`. */
export type Accent = {
  /** Ten of them, from light to dark: the fifth is for the dark, the eighth for the light. */
  readonly shades: readonly string[];
  readonly light: AccentOfScheme;
  readonly dark: AccentOfScheme;
};

/** The colour of links and signs, and the ground of what is chosen. */
type AccentOfScheme = { readonly accent: string; readonly chosen: string };

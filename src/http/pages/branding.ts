import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { UiSettings } from '../../config/read/settings.ts';
import type { Ui } from '../../wire/ui.ts';
import { accented } from './accent.ts';
import { escapeHtml } from './page.ts';

const OWN_ICONS = [
  { src: 'icon.svg', sizes: 'any', type: 'image/svg+xml' },
  ...[192, 512].map((size) => ({ src: `icon-${size}.png`, sizes: `${size}x${size}`, type: 'image/png' })),
];

/** The name, colours, help and logo of this installation. */
export class Branding {
  readonly #ui: Ui;
  readonly #logo: UiSettings['logo'];

  constructor({ logo, accent, ...ui }: UiSettings) {
    this.#logo = logo;
    this.#ui = {
      ...ui,
      accent: accent === undefined ? undefined : accented(accent),
      logo:
        logo &&
        `logo-${createHash('sha256').update(logo.content).digest('hex').slice(0, 12)}.${logo.type === 'image/png' ? 'png' : 'svg'}`,
    };
  }

  /** Inserts them into the built page. */
  into(html: string): string {
    const { name, logo } = this.#ui;
    const meta = `<meta name="svc-ui" content="${escapeHtml(JSON.stringify(this.#ui))}"><link rel="manifest" href="./manifest.webmanifest">`;
    const named = html.replace(/<title>[^<]*<\/title>/, () => `${meta}<title>${escapeHtml(name)}</title>`);
    return logo === undefined
      ? named
      : named
          .replace(/<link rel="icon"[^>]*>/, `<link rel="icon" href="./${logo}">`)
          .replaceAll(/(?<=<img src=")[^"]*icon\.svg/g, `./${logo}`);
  }

  /** Serves the web app manifest, so that browsers can install the UI under its name and icon. No data is kept for offline use. */
  manifest(): RequestHandler {
    const { name, logo, accent } = this.#ui;
    const icons = logo === undefined ? OWN_ICONS : [{ src: logo, sizes: 'any', type: this.#logo?.type }];
    const manifest = JSON.stringify({
      name,
      short_name: name,
      start_url: './',
      scope: './',
      display: 'standalone',
      background_color: '#f5f7f8',
      theme_color: accent?.light.accent ?? '#0b6e63',
      icons,
    });
    return (req, res, next) => {
      if (req.path !== '/manifest.webmanifest' || (req.method !== 'GET' && req.method !== 'HEAD')) next();
      else res.set('Cache-Control', 'public, max-age=3600').type('application/manifest+json').send(manifest);
    };
  }

  /** Answers a request for the logo. The headers keep an SVG that is opened on its own from running anything. */
  logo(): RequestHandler {
    const [logo, path] = [this.#logo, `/${this.#ui.logo}`];
    return (req, res, next) => {
      if (logo === undefined || req.path !== path || (req.method !== 'GET' && req.method !== 'HEAD')) next();
      else
        res
          .set({
            'Cache-Control': 'public, max-age=31536000, immutable',
            'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
          })
          .type(logo.type)
          .send(logo.content);
    };
  }
}

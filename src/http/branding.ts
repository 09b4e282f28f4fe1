import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { UiSettings } from '../config/settings.ts';
import type { Ui } from '../wire/ui.ts';
import { accented } from './accent.ts';
import { escapeHtml } from './page.ts';

/** The name, the colours and the help of this installation: what the page gets of them, and the logo. */
export class Branding {
  readonly #ui: Ui;
  readonly #logo: UiSettings['logo'];

  constructor({ logo, accent, ...ui }: UiSettings) {
    this.#logo = logo;
    this.#ui = { ...ui, accent: accent === undefined ? undefined : accented(accent), logo: logo && `logo-${createHash('sha256').update(logo.content).digest('hex').slice(0, 12)}.${logo.type === 'image/png' ? 'png' : 'svg'}` };
  }

  /** Puts it into the built page. */
  into(html: string): string {
    const { name, logo } = this.#ui;
    const meta = `<meta name="svc-ui" content="${escapeHtml(JSON.stringify(this.#ui))}">`;
    const named = html.replace(/<title>[^<]*<\/title>/, () => `${meta}<title>${escapeHtml(name)}</title>`);
    return logo === undefined ? named : named.replace(/<link rel="icon"[^>]*>/, `<link rel="icon" href="./${logo}">`).replaceAll(/(?<=<img src=")[^"]*icon\.svg/g, `./${logo}`);
  }

  /** Answers a request for the logo. An SVG that is opened by itself runs nothing. */
  logo(): RequestHandler {
    const [logo, path] = [this.#logo, `/${this.#ui.logo}`];
    return (req, res, next) => {
      if (logo === undefined || req.path !== path || (req.method !== 'GET' && req.method !== 'HEAD')) next();
      else res.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }).type(logo.type).send(logo.content);
    };
  }
}

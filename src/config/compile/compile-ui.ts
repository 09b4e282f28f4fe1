import { resolve } from 'node:path';
import type { Faults } from '../read/fault.ts';
import type { Config } from '../schema/schema.ts';
import type { UiSettings } from '../read/settings.ts';
import { readRegularFile, unreadable } from '../read/regular-file.ts';

const MAX_LOGO_BYTES = 128 * 1024;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const HELP_SCHEMES = new Set(['https:', 'http:', 'mailto:']);

export function compileUi({ ui }: Config, directory: string, faults: Faults): UiSettings {
  if (ui.help !== undefined && !HELP_SCHEMES.has(schemeOf(ui.help.url)))
    faults.add('ui.help.url', 'must begin with `https:`, `http:` or `mailto:`');
  return {
    name: ui.name.trim(),
    logo: readLogo(ui.logo, directory, faults),
    accent: ui.accent,
    help: ui.help,
    banner: ui.banner,
  };
}

function schemeOf(url: string): string {
  return URL.parse(url)?.protocol ?? '';
}

function readLogo(file: string | undefined, directory: string, faults: Faults): UiSettings['logo'] {
  if (file === undefined) return undefined;
  const path = resolve(directory, file);
  try {
    const content = readRegularFile(path, MAX_LOGO_BYTES);
    if (content.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return { type: 'image/png', content };
    if (/<svg[\s>]/.test(content.toString('utf8'))) return { type: 'image/svg+xml', content };
    throw new RangeError('is neither an SVG nor a PNG');
  } catch (error) {
    faults.add('ui.logo', `the file \`${path}\` ${unreadable(error)}`);
    return undefined;
  }
}

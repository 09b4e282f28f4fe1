import { readFileSync } from 'node:fs';
import type { Faults } from './fault.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$(?:\$|\{file:([^}]*)\}|\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\{)/g;

/**
 * Fills in what the texts of a configuration take from outside: `${NAME}`, `${NAME:-fallback}`, `${file:/path}`; `$$` is `$`.
 *
 * @returns the filled-in copy, and the paths of the values that came from outside.
 */
export function substitute(value: unknown, env: Environment, faults: Faults): { value: unknown; substituted: ReadonlySet<string> } {
  const substituted = new Set<string>();
  return { value: fill(value, '', { env, faults, substituted }), substituted };
}

type Context = { readonly env: Environment; readonly faults: Faults; readonly substituted: Set<string> };

function fill(value: unknown, path: string, context: Context): unknown {
  if (typeof value === 'string') return fillText(value, path, context);
  if (Array.isArray(value)) return value.map((item, i) => fill(item, join(path, String(i)), context));
  if (typeof value !== 'object' || value === null) return value;
  const filled: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    Object.defineProperty(filled, name, { value: fill(member, join(path, name), context), enumerable: true, writable: true, configurable: true });
  }
  return filled;
}

function fillText(text: string, path: string, { env, faults, substituted }: Context): string {
  if (!text.includes('$')) return text;
  return text.replace(REFERENCE, (whole, file: string | undefined, name: string | undefined, fallback: string | undefined) => {
    if (whole === '$$') return '$';
    if (whole === '${') {
      faults.add(path, 'holds a `${` that is not `${NAME}`, `${NAME:-fallback}` or `${file:/path}`; write `$$` for a plain `$`');
      return '';
    }
    substituted.add(path);
    if (file !== undefined) return readSecret(file, path, faults);
    const value = env[name ?? ''];
    if (value !== undefined && value !== '') return value;
    if (fallback !== undefined) return fallback;
    if (value === '') return '';
    faults.add(path, `the environment variable \`${name ?? ''}\` is not set; set it, or write \`\${${name ?? ''}:-fallback}\``);
    return '';
  });
}

function readSecret(file: string, path: string, faults: Faults): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch {
    faults.add(path, `the file \`${file}\` cannot be read`);
    return '';
  }
}

export function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

import { resolve } from 'node:path';
import type { Faults } from './fault.ts';
import { joinPath } from './key-path.ts';
import type { SecretValues } from './secret-values.ts';
import { readRegularFile, unreadable } from './regular-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Sources = {
  readonly env: Environment;
  /** The base of relative `${file:…}` paths. */
  readonly directory: string;
  readonly faults: Faults;
  /** Knows the secret texts, and receives every value that came from outside. */
  readonly secrets: SecretValues;
  /** Why references are not allowed, for a file that somebody else writes. */
  readonly refused?: string;
};

/**
 * Neither a path nor a fallback may contain another `${`. The end of a reference is searched for only up to the next `${`, because searching to the end of a
 * long text for each of many references would take hours.
 */
const REFERENCE =
  /\$(?:\$|\{file:((?:[^}$]|\$(?!\{))+)\}|\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^}$]|\$(?!\{))*))?\}|\{)/g;

/** A fallback that contains another reference. Ending it at the first `}` would silently give a wrong value. */
const OPEN_FALLBACK = /^\$\{([A-Za-z_][A-Za-z0-9_]*):-[^}]*?\$\{/;

/** Matches the start of everything that {@link REFERENCE} matches, and every other `${`, without searching for its end. */
const BEGIN = /\$(?:\$|\{(file:|[A-Za-z_][A-Za-z0-9_]*(?:\}|:-))?)/g;

/** IAM documents have their own variables, `${aws:username}`; the import refuses them with its own message. */
const IN_IAM = /^(?:policy\.)?policies\.\d+\.iam\./;

/**
 * Fills in the references in the texts of a configuration: `${NAME}`, `${NAME:-fallback}`, `${file:/path}`; `$$` is `$`. With a fallback, an empty variable
 * counts as unset.
 *
 * @returns the filled-in copy, the paths of the values that came from outside or are fallbacks, and the variables of secrets whose fallback is used, by path.
 */
export function substitute(
  value: unknown,
  sources: Sources,
): {
  readonly value: unknown;
  readonly substituted: ReadonlySet<string>;
  readonly knownSecrets: ReadonlyMap<string, string>;
} {
  const substituted = new Set<string>();
  const knownSecrets = new Map<string, string>();
  return { value: fill(value, '', { ...sources, substituted, knownSecrets }), substituted, knownSecrets };
}

type Context = Sources & { readonly substituted: Set<string>; readonly knownSecrets: Map<string, string> };

/** An address without credentials is no secret. */
const PLAIN_ADDRESS = /^[a-z][a-z+.-]*:\/\/[^@]*$/i;

function fill(value: unknown, path: string, context: Context): unknown {
  if (typeof value === 'string') return fillText(value, path, context);
  if (Array.isArray(value)) return value.map((item, i) => fill(item, joinPath(path, String(i)), context));
  if (typeof value !== 'object' || value === null) return value;
  // Assignment would fail for a member called `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fill(member, joinPath(path, name), context)]),
  );
}

function fillText(text: string, path: string, context: Context): string {
  if (!text.includes('$')) return text;
  const { faults, substituted } = context;
  if (context.refused !== undefined) return plainText(text, path, { faults, refused: context.refused });
  let isTold = false;
  return text.replace(
    REFERENCE,
    (whole, file: string | undefined, name: string | undefined, fallback: string | undefined, at: number) => {
      if (whole === '$$') return '$';
      if (whole === '${') {
        if (IN_IAM.test(path)) return whole;
        if (isTold) return '';
        isTold = true;
        const outer = OPEN_FALLBACK.exec(text.slice(at))?.[1];
        if (outer !== undefined)
          faults.add(path, `the fallback of \`\${${outer}:-…}\` holds another \`\${\`; a fallback is plain text`);
        else
          faults.add(
            path,
            'holds a `${` that is not `${NAME}`, `${NAME:-fallback}` or `${file:/path}`; write `$$` for a plain `$`',
          );
        return '';
      }
      substituted.add(path);
      return file === undefined ? fromEnvironment(name!, fallback, path, context) : fromFile(file, path, context);
    },
  );
}

/** A text that must not contain a reference. */
function plainText(
  text: string,
  path: string,
  { faults, refused }: { readonly faults: Faults; readonly refused: string },
): string {
  for (const [whole, reference] of text.matchAll(BEGIN)) {
    if (whole === '$$' || (reference === undefined && IN_IAM.test(path))) continue;
    faults.add(path, refused);
    break;
  }
  return text.replaceAll('$$', () => '$');
}

function fromEnvironment(
  name: string,
  fallback: string | undefined,
  path: string,
  { env, faults, secrets, knownSecrets }: Context,
): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined && (value !== '' || fallback === undefined)) {
    secrets.add(value);
    return value;
  }
  if (fallback !== undefined) {
    if (fallback !== '' && secrets.isMarked(path) && !PLAIN_ADDRESS.test(fallback)) knownSecrets.set(path, name);
    return fallback;
  }
  faults.addOutside(
    path,
    `the environment variable \`${name}\` is not set; set it, or ${secrets.isMarked(path) ? 'read it from a file, with `${file:/path}`' : `write \`\${${name}:-fallback}\``}`,
  );
  return '';
}

function fromFile(file: string, path: string, { directory, faults, secrets }: Context): string {
  try {
    const value = readRegularFile(resolve(directory, file))
      .toString()
      .replace(/\r?\n$/, '');
    secrets.add(value);
    return value;
  } catch (error) {
    faults.addOutside(path, `the file \`${file}\` ${unreadable(error)}`);
    return '';
  }
}

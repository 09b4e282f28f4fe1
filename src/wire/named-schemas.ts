import * as admin from './admin.ts';
import * as apiKey from './api-key.ts';
import * as health from './health.ts';
import * as permission from './permission.ts';
import * as shapes from './schema.ts';
import * as session from './session.ts';
import * as objects from './object.ts';
import * as selector from './selector.ts';
import * as uploads from './upload.ts';
import * as token from './token.ts';
import type { Json } from './json.ts';

const NOT_WORTH_A_NAME: ReadonlySet<string> = new Set([
  'string',
  'strings',
  'time',
  'timeOrNull',
  'nothing',
  'ifNoneMatch',
  'partNumber',
]);

/** A schema that a wire module exports is named after its export: `objectList` becomes `ObjectList`. */
const NAMES: ReadonlyMap<object, string> = new Map(
  [admin, apiKey, health, objects, permission, selector, session, shapes, token, uploads].flatMap((module) =>
    Object.entries(module as Record<string, unknown>)
      .filter((exported): exported is [string, object] => isSchema(exported[1]) && !NOT_WORTH_A_NAME.has(exported[0]))
      .map(([name, schema]) => [schema, capitalized(name)] as const),
  ),
);

function isSchema(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ('type' in value && (typeof value.type === 'string' || Array.isArray(value.type))) || 'oneOf' in value;
}

type Members = Readonly<Record<string, { readonly default?: unknown; readonly description?: string }>>;

/** The component schemas of a document: each schema that the document refers to, by name. */
export class NamedSchemas {
  readonly #found = new Map<string, Json>();

  /** Returns a reference when the schema has a name; otherwise the schema itself, with references in it. */
  refer(schema: object): Json {
    const name = NAMES.get(schema);
    return name === undefined ? this.#expand(schema) : this.define(name, schema);
  }

  /** Gives a name to a schema that no wire module exports. */
  define(name: string, schema: object): Json {
    if (!this.#found.has(name)) {
      const known = NAMES.get(schema);
      this.#found.set(name, {});
      this.#found.set(name, known === undefined || known === name ? this.#expand(schema) : this.refer(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  all(): Record<string, Json> {
    return Object.fromEntries([...this.#found].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #expand(schema: object): Json {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [
        keyword,
        keyword === 'properties' ? this.#expandMembers(value as Members) : this.#expandValue(value),
      ]),
    );
  }

  /** Tools that make types take a member with a default for one that is always there, so the description has it. */
  #expandMembers(members: Members): Json {
    return Object.fromEntries(
      Object.entries(members).map(([name, { default: byDefault, ...rest }]) => {
        if (byDefault === undefined) return [name, this.refer(members[name]!)];
        const description = `${rest.description ?? ''} By default \`${JSON.stringify(byDefault)}\`.`.trimStart();
        return [name, this.refer({ ...rest, description })];
      }),
    );
  }

  #expandValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#expandValue(item));
    return typeof value === 'object' && value !== null ? this.refer(value) : value;
  }
}

/** The type name of a method: `object/list` becomes `ObjectList`. */
export function typeName(method: string): string {
  return method.split('/').map(capitalized).join('');
}

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

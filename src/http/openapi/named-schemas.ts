import * as admin from '../../wire/admin.ts';
import * as apiKey from '../../wire/api-key.ts';
import * as health from '../../wire/health.ts';
import * as permission from '../../wire/permission.ts';
import * as shapes from '../../wire/schema.ts';
import * as session from '../../wire/session.ts';
import * as objects from '../../wire/object.ts';
import * as selector from '../../wire/selector.ts';
import * as uploads from '../../wire/upload.ts';
import * as token from '../../wire/token.ts';
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
    return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, this.#expandValue(value)]));
  }

  #expandValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#expandValue(item));
    return typeof value === 'object' && value !== null ? this.refer(value) : value;
  }
}

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Finds each place of an input where a provider, a bucket or a key is named, and makes inputs with a name there and otherwise only what has to be there. */

type Schema = { readonly [keyword: string]: unknown };

export type NamedPlace = {
  /** The path of the place in the input. */
  readonly path: string;
  /** Undefined for a schema without such a place, which has one entry. */
  readonly kind: 'provider' | 'bucket' | 'key' | undefined;
  readonly mayBeEmpty: boolean;
  /** An input with what has to be there. */
  readonly plain: unknown;
  readonly input: (value: string) => unknown;
};

/** What a valid request has, by the name of the member. */
const VALUES: Readonly<Record<string, unknown>> = {
  provider: 'main',
  bucket: 'files',
  key: 'open/a',
  keys: 'open/a',
  name: 'last',
  number: 1,
  expiresIn: 60,
  id: 'x',
  action: 'objects:get',
  q: 'x',
};

const alternativesOf = (schema: Schema): readonly Schema[] | undefined =>
  (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;

function plainOf(schema: Schema, name: string): unknown {
  const alternatives = alternativesOf(schema);
  if (alternatives !== undefined) return plainOf(alternatives[0]!, name);
  if (name in VALUES && schema['type'] !== 'array') return VALUES[name];
  if ('const' in schema) return schema['const'];
  if ('enum' in schema) return (schema['enum'] as unknown[])[0];
  if (schema['type'] === 'array') return [plainOf(schema['items'] as Schema, name)];
  if (schema['type'] === 'object') {
    const required = (schema['required'] ?? []) as readonly string[];
    return Object.fromEntries(
      required.map((member) => [member, plainOf((schema['properties'] as Record<string, Schema>)[member]!, member)]),
    );
  }
  if (schema['type'] === 'integer') return schema['minimum'] ?? 1;
  if (schema['type'] === 'boolean') return false;
  return 'x'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)));
}

function kindOf(schema: Schema, name: string): NamedPlace['kind'] {
  if (schema['type'] !== 'string') return undefined;
  if (name === 'provider') return 'provider';
  if (schema['description'] === 'Bucket name.' || name === 'bucket') return 'bucket';
  return /^(key|prefix)/.test(name) ? 'key' : undefined;
}

/** What a name needs beside it: a key counts only with its bucket, and some requests need a key. */
function around(kind: NamedPlace['kind'], members: Readonly<Record<string, Schema>>): object {
  const needed =
    kind === 'key' ? ['provider', 'bucket'] : kind === 'bucket' ? ['provider', 'key' in members ? 'key' : 'keys'] : [];
  return Object.fromEntries(
    needed.filter((name) => name in members).map((name) => [name, plainOf(members[name]!, name)]),
  );
}

function* find(schema: Schema, name: string): Generator<Omit<NamedPlace, 'plain'>> {
  const kind = kindOf(schema, name);
  if (kind !== undefined) yield { path: '', kind, mayBeEmpty: /^prefix/.test(name), input: (value) => value };
  for (const one of alternativesOf(schema) ?? []) yield* find(one, name);
  if (schema['type'] === 'array')
    for (const { path, ...inner } of find(schema['items'] as Schema, name))
      yield { ...inner, path: `0.${path}`, input: (value) => [inner.input(value)] };
  if (schema['type'] !== 'object') return;
  const plain = plainOf(schema, name) as object;
  const members = (schema['properties'] ?? {}) as Record<string, Schema>;
  for (const [member, of] of Object.entries(members)) {
    for (const { path, ...inner } of find(of, member)) {
      yield {
        ...inner,
        path: `${member}.${path}`,
        input: (value) => ({ ...plain, ...around(inner.kind, members), [member]: inner.input(value) }),
      };
    }
  }
}

/** Yields every place; one without a kind when there is none. */
export function* placesIn(schema: object): Generator<NamedPlace> {
  const plain = plainOf(schema as Schema, '');
  let isAny = false;
  for (const { path, ...place } of find(schema as Schema, '')) {
    isAny = true;
    yield { ...place, plain, path: path.replace(/\.+$/, '') };
  }
  if (!isAny) yield { path: '', kind: undefined, mayBeEmpty: false, plain, input: () => plain };
}

/** As much of a JSON Schema as the wire uses. */
export type BodySchema = {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly required?: readonly string[];
  readonly items?: BodySchema;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly oneOf?: readonly BodySchema[];
};

/** What has to be the name of something that is there, by property. */
export type Names = Readonly<Record<string, unknown>>;

/** A body, and what is bad about it. */
export type WorstBody = { readonly what: string; readonly json: string };

type Style = {
  readonly names: Names;
  readonly texts: 'long' | 'short';
  readonly choice: number;
  readonly without: string | undefined;
};

/** The worst bodies for a schema: as many bytes and as many things as fit, right ones and wrong ones. They have at most `maxBytes`. */
export function worstBodies(schema: BodySchema, names: Names, maxBytes: number): WorstBody[] {
  const optional = Object.keys(schema.properties ?? {}).filter((name) => !schema.required?.includes(name));
  const choices = Array.from({ length: choicesIn(schema) }, (_, i) => i);
  const right = (['long', 'short'] as const).flatMap((texts) =>
    choices.flatMap((choice) =>
      [undefined, ...optional].map((without) => ({
        what: `${texts} texts${choices.length > 1 ? `, choice ${choice}` : ''}${without === undefined ? '' : `, without ${without}`}`,
        json: largestThatFits(schema, { names, texts, choice, without }, maxBytes),
      })),
    ),
  );
  const [first] = right;
  const unknownLast = {
    what: 'an unknown member at the end',
    json: first!.json.replace(/\}$/, first!.json === '{}' ? '"zz":1}' : ',"zz":1}'),
  };
  const nested = {
    what: 'deeply nested',
    json: '['.repeat(Math.floor(maxBytes / 2)) + ']'.repeat(Math.floor(maxBytes / 2)),
  };
  const members = {
    what: 'unknown members',
    json: `{${Array.from({ length: Math.floor(maxBytes / 12) }, (_, i) => `"${i.toString(36).padStart(6, '0')}":0`).join(',')}}`,
  };
  return [...right, unknownLast, nested, members, ...emptyThings(schema, maxBytes)];
}

/** Lists of empty objects: each of them has as many faults as it lacks members. */
function emptyThings({ properties = {} }: BodySchema, maxBytes: number): WorstBody[] {
  const lists = Object.entries(properties).filter(
    ([, { type, properties: inner }]) =>
      type === 'array' || Object.values(inner ?? {}).some((each) => each.type === 'array'),
  );
  return lists.map(([name, { type, properties: inner }]) => {
    const empty = `[${Array.from({ length: Math.floor((maxBytes - 100) / 3) }, () => '{}').join(',')}]`;
    const list = type === 'array' ? empty : `{"${Object.keys(inner ?? {})[0]}":${empty}}`;
    return { what: `empty things in ${name}`, json: `{"${name}":${list}}` };
  });
}

function largestThatFits(schema: BodySchema, style: Style, maxBytes: number): string {
  let fitting = '{}';
  let low = 0;
  // Twice as much each time until it is too much, then the middle between what fits and what does not.
  let high: number | undefined;
  for (
    let share = 2 ** -18;
    share <= 1 && (high === undefined || high / low > 1.05);
    share = high === undefined ? (share === 1 ? 2 : Math.min(1, share * 2)) : (low + high) / 2
  ) {
    const json = JSON.stringify(new Drawing(style, share).of(schema));
    if (Buffer.byteLength(json) <= maxBytes) [fitting, low] = [json, share];
    else high = share;
    if (low === 0) break;
  }
  return fitting;
}

function choicesIn(schema: BodySchema): number {
  const inside = [...Object.values(schema.properties ?? {}), ...(schema.items === undefined ? [] : [schema.items])];
  return Math.max(schema.oneOf?.length ?? 1, ...inside.map(choicesIn));
}

/** Draws one value. No two texts of it are equal. */
class Drawing {
  readonly #style: Style;
  /** How much of what a list may hold it gets. */
  readonly #share: number;
  #texts = 0;

  constructor(style: Style, share: number) {
    this.#style = style;
    this.#share = share;
  }

  of(schema: BodySchema, name?: string): unknown {
    const { names, choice, without } = this.#style;
    if (name !== undefined && name in names) return names[name];
    if ('const' in schema) return schema.const;
    if (schema.enum !== undefined) return schema.enum[this.#texts++ % schema.enum.length];
    if (schema.oneOf !== undefined) return this.of(schema.oneOf[choice % schema.oneOf.length]!);
    switch (schema.type) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {}).flatMap(([member, each]) =>
            member === without ? [] : [[member, this.of(each, member)]],
          ),
        );
      case 'array':
        return Array.from({ length: Math.max(1, Math.floor((schema.maxItems ?? 1) * this.#share)) }, () =>
          this.of(schema.items ?? {}),
        );
      case 'integer':
        return schema.maximum ?? 1;
      case 'boolean':
        return true;
      case 'string':
        return this.#text(schema);
      default:
        return null;
    }
  }

  #text({ maxLength = 8, minLength = 1 }: BodySchema): string {
    const number = `/${(this.#texts += 1)}`;
    const length = this.#style.texts === 'long' ? maxLength : Math.max(minLength, number.length + 1);
    return ('x'.repeat(Math.max(0, length - number.length)) + number).slice(-maxLength);
  }
}

type Schema = {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maximum?: number;
};

/** A large value of a schema, which may break rules that the schema does not say: {@link smaller} then makes it smaller. */
export function largestOf(schema: Schema, name: string, known: Readonly<Record<string, unknown>>): unknown {
  if (name in known) return known[name];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const choices = (schema.anyOf ?? schema.oneOf)?.map((choice) => largestOf(choice, name, known));
  if (choices !== undefined && schema.properties === undefined)
    return choices.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0];
  if (schema.properties !== undefined)
    return Object.fromEntries(
      Object.entries(schema.properties)
        .map(([member, of]) => [member, largestOf(of, member, known)])
        .filter(([, value]) => value !== undefined),
    );
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'array':
      return Array.from({ length: schema.maxItems ?? 10_000 }, (_, i) =>
        numbered(largestOf(schema.items!, name, known), i),
      );
    case 'object':
      return {};
    case 'integer':
      return Math.min(schema.maximum ?? 1, 1_000);
    case 'boolean':
      return false;
    default:
      return textOf(schema);
  }
}

/** Items of a list often have to differ, and numbers to be in order. */
function numbered(item: unknown, i: number): unknown {
  if (typeof item === 'string') return String(i).padStart(5, '0') + item.slice(5);
  if (typeof item !== 'object' || item === null || !('number' in item)) return item;
  return { ...item, number: i + 1 };
}

function textOf({ pattern = '', maxLength = 256 }: Schema): string {
  const [form, text] = [new RegExp(pattern, 'u'), 'k'.repeat(maxLength)];
  return form.test(text) ? text : '2026-01-31T09:30:00.000Z';
}

/** Half of a value; undefined when there is no half. */
export function smaller(value: unknown): unknown {
  if (typeof value === 'string' && value.length > 1) return value.slice(0, value.length / 2);
  if (Array.isArray(value) && value.length > 1) return value.slice(0, value.length / 2);
  return undefined;
}

export function sizeOf(value: unknown): number {
  return JSON.stringify(value ?? null).length;
}

import type { WireSchema } from '../../wire/schema.ts';

/** The routes beneath `/api` name members in snake_case, the rest of the service in camelCase. Only this file converts between the two. */

type Shape = {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
};
type Rename = (value: unknown) => unknown;

export function snakeCase(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The schema with every member in snake_case. Returns the same object when no name changes. */
export function snakeSchema(schema: WireSchema): WireSchema {
  return renameOf(schema) === undefined ? schema : mapped(schema);
}

function mapped(shape: Shape): Shape {
  const { properties, items, required, ...rest } = shape as Shape & { readonly required?: readonly string[] };
  return {
    ...rest,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [snakeCase(name), mapped(inner)]),
          ),
        }),
    ...(required === undefined ? {} : { required: required.map(snakeCase) }),
    ...(items === undefined ? {} : { items: mapped(items) }),
  };
}

/** Compiles a function that gives the members of an output their snake_case names. @param asIs - members whose values stay as they are. */
export function snakeNames(schema: WireSchema, asIs: readonly string[] = []): Rename {
  return renameOf(schema, asIs) ?? ((value) => value);
}

function renameOf({ properties, items }: Shape, asIs: readonly string[] = []): Rename | undefined {
  if (items !== undefined) {
    const inner = renameOf(items);
    return inner && ((value) => (value as unknown[]).map(inner));
  }
  if (properties === undefined) return undefined;
  const members = Object.entries(properties).map(([name, shape]) => ({
    name,
    wire: snakeCase(name),
    inner: asIs.includes(name) ? undefined : renameOf(shape),
  }));
  if (members.every(({ name, wire, inner }) => name === wire && inner === undefined)) return undefined;
  return (value) => {
    const renamed: Record<string, unknown> = {};
    for (const { name, wire, inner } of members) {
      const member = (value as Record<string, unknown>)[name];
      if (member !== undefined) renamed[wire] = inner === undefined ? member : inner(member);
    }
    return renamed;
  };
}

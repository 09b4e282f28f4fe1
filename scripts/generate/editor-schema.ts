import { ROOT, TEAM_FILE, type SchemaNode } from './schema-node.ts';

/** A text that takes its value from outside: an editor cannot know which. */
const FROM_OUTSIDE = { type: 'string', pattern: '\\$\\{' } as const;

/** docs/svc.config.schema.json: the schema for editors. Where a number, a choice or a boolean stands, `${NAME}` may stand as well. */
export function editorSchema(): string {
  return `${JSON.stringify(withReferences(ROOT), undefined, 2)}\n`;
}

/** docs/svc.team.schema.json: the same for a file of `policies_dir`, which takes nothing from outside. */
export function teamEditorSchema(): string {
  return `${JSON.stringify(TEAM_FILE, (name, value: unknown) => (name === 'discriminator' ? undefined : value), 2)}\n`;
}

function withReferences(node: SchemaNode): object {
  const open = { ...node, ...members(node) } as Record<string, unknown>;
  delete open['discriminator'];
  if (!isChosen(node)) return open;
  const { description, default: fallback, examples, ...own } = open;
  return {
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
    ...(examples !== undefined && { examples }),
    anyOf: [own, FROM_OUTSIDE],
  };
}

function members({ properties, items, oneOf, additionalProperties }: SchemaNode): object {
  return {
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, withReferences(member)]),
      ),
    }),
    ...(items !== undefined && { items: withReferences(items) }),
    ...(oneOf !== undefined && { oneOf: oneOf.map(withReferences) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: withReferences(additionalProperties) }),
  };
}

function isChosen({ type, enum: values }: SchemaNode): boolean {
  return values !== undefined || type === 'integer' || type === 'number' || type === 'boolean';
}

import { ACTION_NAMES } from '../../src/policy/model/action.ts';
import { ROOT, type SchemaNode } from './schema-node.ts';

const HEAD = `# Configuration

<!-- Made from src/config/schema/schema.ts by \`npm run build:docs\`. Do not edit. -->

The configuration is one YAML file; \`svc.config.yaml\` is an annotated example. Check your file with \`svc config check FILE\`. A key that is not listed here is an error.

For completion in your editor, begin the file with \`# yaml-language-server: $schema=docs/svc.config.schema.json\`. Begin a file of \`policies_dir\` with the same line for \`docs/svc.team.schema.json\`.

Any string can contain a reference: \`\${NAME}\` is an environment variable (an unset one is an error), \`\${NAME:-fallback}\` is a variable with a fallback, and \`\${file:/path}\` is the content of a regular file (at most 8 MiB). \`$$\` is a literal \`$\`. Paths are relative to the configuration file.

| Environment variable | Meaning |
|---|---|
| \`SVC_SESSION_SECRET\` | The secret that signs session cookies, at least 32 bytes. In production (\`NODE_ENV=production\`), the service does not start without it; otherwise the service generates a random one. |
| \`SVC_SESSION_SECRET_PREVIOUS\` | The previous secret. Its signatures remain valid, so that you can change the secret without signing everybody out. |
| \`SVC_SESSION_SECRET_FILE\`, \`SVC_SESSION_SECRET_PREVIOUS_FILE\` | A file that contains the secret. |
| \`SVC_S3_SECRET\` | The secret of S3 keys, at least 32 bytes, if \`s3.secret\` is not set. |
| \`SVC_S3_SECRET_PREVIOUS\` | The previous secret of S3 keys. Keys whose secret was derived from it remain valid. |
| \`SVC_S3_SECRET_FILE\`, \`SVC_S3_SECRET_PREVIOUS_FILE\` | A file that contains the secret. |

A key in bold is required if its parent is present. \`[]\` stands for each entry of a list, \`<name>\` for any name.
`;

/** Lists that are described once: \`policy.policies\` holds what \`policies\` holds. */
const DESCRIBED_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['policy.policies', 'policies'],
  ['auth.bindings', 'bindings'],
]);

/** docs/configuration.md: a table for each key of the first level. */
export function configurationReference(): string {
  const sections = Object.entries(ROOT.properties ?? {}).map(([name, node]) => {
    const rows = rowsOf(name, node);
    return `## ${name}\n\n${node.description ?? ''}\n\n| Key | Type | Default | Description |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return [HEAD, ...sections].join('\n');
}

function rowsOf(path: string, node: SchemaNode): string[] {
  const members = Object.entries(node.properties ?? {}).flatMap(([name, member]) =>
    rowWithMembers(`${path}.${name}`, member, node.required?.includes(name) === true),
  );
  if (node.items !== undefined && isStructured(node.items)) members.push(...rowsOf(`${path}[]`, node.items));
  if (typeof node.additionalProperties === 'object')
    members.push(...rowsOf(`${path}.<name>`, node.additionalProperties));
  return members;
}

function rowWithMembers(path: string, node: SchemaNode, required: boolean): string[] {
  const elsewhere = DESCRIBED_ELSEWHERE.get(path);
  const row = rowOf(path, node, required);
  if (elsewhere !== undefined) return [row];
  if (node.items?.oneOf !== undefined)
    return [row, ...node.items.oneOf.map((form) => rowOf(`${path}[]`, form, false, formOf(form)))];
  return [row, ...rowsOf(path, node)];
}

function rowOf(path: string, node: SchemaNode, required: boolean, type = typeOf(node)): string {
  const key = required ? `**\`${path}\`**` : `\`${path}\``;
  const fallback = node.default === undefined || isStructured(node) ? '' : code(node.default);
  const example = node.examples?.[0] === undefined ? '' : ` Example: ${code(node.examples[0])}`;
  return `| ${key} | ${type} | ${fallback} | ${cell(`${node.description ?? ''}${node.writeOnly === true ? ' Secret: never printed.' : ''}${example}`)} |`;
}

function isStructured({ properties, oneOf, additionalProperties }: SchemaNode): boolean {
  return properties !== undefined || oneOf !== undefined || typeof additionalProperties === 'object';
}

function typeOf({ type, enum: values, const: value, items }: SchemaNode): string {
  if (values !== undefined) return values === ACTION_NAMES ? 'action' : values.map(code).join(', ');
  if (value !== undefined) return code(value);
  if (items !== undefined)
    return items.enum === ACTION_NAMES ? `list of ${ACTION_NAMES.map(code).join(', ')}` : `list of ${pluralOf(items)}`;
  return [type ?? []].flat().map(nameOf).join(' or ');
}

const nameOf = (type: string) => ({ object: 'mapping', string: 'string', integer: 'whole number' })[type] ?? type;
const pluralOf = ({ type = 'object' }: SchemaNode) =>
  [type]
    .flat()
    .map((name) => `${nameOf(name)}s`)
    .join(' or ');

/** `{type: prefix, provider, bucket, prefix}` */
function formOf({ properties = {} }: SchemaNode): string {
  return `\`{${Object.entries(properties)
    .map(([name, { const: value }]) => (typeof value === 'string' ? `${name}: ${value}` : name))
    .join(', ')}}\``;
}

function code(value: unknown): string {
  return `\`${cell(typeof value === 'string' && value !== '' ? value : JSON.stringify(value))}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

import { configSchema } from '../../src/config/schema/schema.ts';
import { teamFileSchema } from '../../src/config/schema/policies.ts';

/** What the generators read of a JSON Schema. */
export type SchemaNode = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly writeOnly?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly oneOf?: readonly SchemaNode[];
};

export const ROOT: SchemaNode = configSchema;

export const TEAM_FILE: SchemaNode = teamFileSchema;

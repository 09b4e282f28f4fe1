import type { Command } from 'commander';
import { pagesOf } from '../../client/pages.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import type { Principal } from '../../policy/index/principal.ts';
import type { ApiKeyWire } from '../../wire/api-key.ts';
import { connect } from '../argument/connect.ts';
import { timeText } from '../terminal/text.ts';
import type { Edge } from '../terminal/edge.ts';

/** A key of either kind. */
export type NamedKey = ApiKeyWire & { readonly kind: 'API key' | 'S3 key' };

export const KEYS_OPTION = [
  '--keys',
  'name API keys and S3 keys too; asks the service for them, in a session of an administrator',
] as const;

/** The keys of everybody that have not expired. */
export async function keysOfService(edge: Edge, command: Command): Promise<NamedKey[]> {
  const connection = await connect(edge, command);
  const { capabilities } = await connection.call('initialize', {});
  const keys: NamedKey[] = [];
  if (capabilities.apiKeys)
    for await (const page of pagesOf((cursor) => connection.call('apiKey/listAll', cursor)))
      keys.push(...page.keys.map((key) => ({ ...key, kind: 'API key' as const })));
  if (capabilities.s3Keys)
    for await (const page of pagesOf((cursor) => connection.call('s3Key/listAll', cursor)))
      keys.push(...page.keys.map(({ accessKeyId: id, ...key }) => ({ ...key, id, kind: 'S3 key' as const })));
  return keys.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > Date.now());
}

/** Whether the creator is the person, or is in the group. The groups of a local user have no effect. */
export function isOf({ creator }: NamedKey, holder: Principal, { localUsers }: PolicySetDefinition): boolean {
  if ('subject' in holder) return creator.issuer === holder.issuer && creator.subject === holder.subject;
  return (
    creator.groups.includes(holder.group) &&
    !localUsers.some(({ issuer, subject }) => issuer === creator.issuer && subject === creator.subject)
  );
}

/** Says which keys are older than the time and were not used in it. */
export function keysNotUsed(keys: readonly NamedKey[], { from }: { readonly from: number }): string[] {
  return keys
    .filter(({ createdAt, lastUsedAt }) => Date.parse(lastUsedAt ?? createdAt) < from)
    .map(
      (key) =>
        `${namedKeyText(key)} was not used in this time; last use: ${key.lastUsedAt === null ? 'never' : timeText(key.lastUsedAt)}`,
    );
}

/** Such as `S3 key SVCABC… (backup) of Erik`. */
export function namedKeyText({ kind, id, description, creator: { name } }: NamedKey): string {
  return `${kind} ${id} (${description}) of ${name}`;
}

import type { Command } from 'commander';
import type { Connection } from '../../client/connection.ts';
import type { ApiKeyWire } from '../../wire/api-key.ts';
import { changeOnce } from '../../transfer/retry.ts';
import { rulesText } from '../policy/policy-text.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';
import { timeText } from '../terminal/text.ts';

/** What the verbs of one kind of key need. */
export type KeyKind<K> = {
  /** Such as `svc key`. */
  readonly command: string;
  /** The member of a key that names it. */
  readonly idMember: string & keyof K;
  readonly exampleId: string;
  /** What authenticates, such as `credential`. */
  readonly secret: string;
  /** @throws {CliFailure} when the service has no such keys. */
  readonly connect: (edge: Edge, command: Command) => Promise<Connection>;
  readonly list: (connection: Connection) => Promise<readonly K[]>;
  readonly lines: (key: K) => string[];
  /** `shown` is what standard output gets. */
  readonly rotate: (
    connection: Connection,
    id: string,
  ) => Promise<{ readonly issued: unknown; readonly shown: readonly string[] }>;
  readonly revoke: (connection: Connection, id: string) => Promise<unknown>;
};

export function addList<K>(parent: Command, edge: Edge, kind: KeyKind<K>): void {
  parent
    .command('list')
    .description('list the keys that you created; for the admin role, every key')
    .addHelpText(
      'after',
      `
Examples:
  ${kind.command} list
  ${kind.command} list --json |
    jq -r '.[] | select(.lastUsedAt == null) | .${kind.idMember}'`,
    )
    .action(async (_options: object, command: Command) => {
      const keys = await kind.list(await kind.connect(edge, command));
      report(
        edge,
        command,
        keys,
        keys.flatMap((one, i) => [...(i === 0 ? [] : ['']), ...kind.lines(one)]),
      );
    });
}

export function addRotate<K>(parent: Command, edge: Edge, kind: KeyKind<K>): void {
  parent
    .command('rotate')
    .description(`give a key a new ${kind.secret}; the old one stops working at once`)
    .argument('<id>', `as \`${kind.command} list\` shows it`)
    .addHelpText(
      'after',
      `
Examples:
  ${kind.command} rotate ${kind.exampleId}`,
    )
    .action(async (id: string, _options: object, command: Command) => {
      const { issued, shown } = await kind.rotate(await kind.connect(edge, command), id);
      report(edge, command, issued, shown);
      edge.printError(
        `this is the new ${kind.secret} of key ${id}; it is shown only now, and the old one has stopped working`,
      );
    });
}

export function addRevoke<K>(parent: Command, edge: Edge, kind: KeyKind<K>): void {
  parent
    .command('revoke')
    .description('revoke a key; it stops working at once')
    .argument('<id>', `as \`${kind.command} list\` shows it`)
    .addHelpText(
      'after',
      `
Examples:
  ${kind.command} revoke ${kind.exampleId}`,
    )
    .action(async (id: string, _options: object, command: Command) => {
      const connection = await kind.connect(edge, command);
      const isListed = (await kind.list(connection)).some((key) => key[kind.idMember] === id);
      await changeOnce(
        () => kind.revoke(connection, id),
        (code) => code === 'not_found' && isListed,
        connection,
      );
      report(edge, command, { [kind.idMember]: id, revoked: true }, [`revoked ${id}`]);
    });
}

/** What people are told of a key, below its name. */
export function recordLines({
  scope,
  expiresAt,
  creator,
  createdAt,
  lastUsedAt,
}: Omit<ApiKeyWire, 'id' | 'description'>): string[] {
  return [
    `  created ${timeText(createdAt)} by ${creator.name}, expires ${expiresAt === null ? 'never' : timeText(expiresAt)}, last used ${lastUsedAt === null ? 'never' : timeText(lastUsedAt)}`,
    ...rulesText(scope.rules).map((line) => `  ${line}`),
  ];
}

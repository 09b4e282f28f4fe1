import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';
import { timeText } from '../terminal/text.ts';

const KINDS = {
  web: 'browser session',
  desktop: 'session of this tool or a desktop client',
  apiKey: 'API key',
} as const;

export function addWhoami(program: Command, edge: Edge): void {
  program
    .command('whoami')
    .description('show the identity with which you are signed in')
    .addHelpText(
      'after',
      `
Exit status 4 if the credential is missing or has ended.

Examples:
  svc whoami
  svc whoami --json | jq -r .subject`,
    )
    .action(async (_options: object, command: Command) => {
      const connection = await connect(edge, command);
      const who = await connection.call('session/get', {});
      report(edge, command, { server: connection.server, ...who }, [
        `server   ${connection.server}`,
        `name     ${who.name}`,
        `subject  ${who.subject}`,
        `issuer   ${who.issuer || '-'}`,
        `groups   ${who.groups.join(', ') || '-'}`,
        `by       ${KINDS[who.kind]}`,
        `until    ${timeText(who.expiresAt)}`,
      ]);
    });
}

import { styleText } from 'node:util';
import { ACCOUNTS } from './accounts.ts';
import type { Demo } from './start.ts';

/** What the terminal shows when the demo is ready. */
export function banner({ url, issuer, redirectUri, s3Endpoint, logFile }: Demo): string {
  const rows = ACCOUNTS.map(({ name, groups, may }) => [name, groups.join(', ') || '–', may]);
  return [
    '',
    `  ${styleText('bold', 'svc demo')}   open  ${styleText(['bold', 'cyan', 'underline'], url)}   and choose who you are; there are no passwords`,
    '',
    ...table([['account', 'groups', 'may'], ...rows]).map((line, i) => `  ${i === 0 ? styleText('dim', line) : line}`),
    '',
    `  ${styleText('dim', 'identity provider')}  ${issuer}`,
    `  ${styleText('dim', 'redirect URI     ')}  ${redirectUri}`,
    `  ${styleText('dim', 'S3 tools         ')}  ${s3Endpoint}  "Connect a tool" in the page makes a key and its configuration`,
    `  ${styleText('dim', 'log              ')}  ${logFile}`,
    '',
    `  ${styleText('dim', 'Ctrl-C ends all of it, and removes what was uploaded.')}`,
    '',
  ].join('\n');
}

/** Columns as wide as their widest cell; the last one is left ragged. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!))).join('   '),
  );
}

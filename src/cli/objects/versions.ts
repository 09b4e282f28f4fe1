import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { asFolder, parseBeneath, parseObjectOfMany } from '../argument/remote-path.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';
import { columns, sizeText, timeText } from '../terminal/text.ts';
import { versionPages, type Version } from './version-pages.ts';

export function addVersions(program: Command, edge: Edge): void {
  program
    .command('versions')
    .description('list the versions of an object, deletions included')
    .argument('<path>', 'PROVIDER/BUCKET/KEY; with -r PROVIDER/BUCKET[/FOLDER]')
    .option('-r, --recursive', 'of everything beneath the folder, or of the whole bucket')
    .addHelpText(
      'after',
      `
Required action: \`objects:versions\` on the object; with -r, objects without it
are left out. The newest version of an object comes first. Each line has the
size (\`deleted\` for a deletion), the time, the version and the key. The exit
status is 1 if there is no version that you may see. \`null\` is a version like
the others: storage calls so what was stored while versioning was off.

Examples:
  svc versions main/reports/q1.pdf
  svc versions -r main/reports/2026
  svc versions --json main/reports/q1.pdf | jq -r '.[1].version'`,
    )
    .action(async (path: string, { recursive }: { readonly recursive?: true }, command: Command) => {
      const place = recursive ? asFolder(parseBeneath(path)) : parseObjectOfMany(path);
      const connection = await connect(edge, command);
      const versions: Version[] = [];
      for await (const page of versionPages(connection, place, recursive ? 'prefix' : 'object')) versions.push(...page);
      report(edge, command, versions, columns(versions.map(cellsOf), [0]));
      if (versions.length === 0)
        throw new CliFailure(EXIT.failed, 'there is no version here that you may see', 'not_found');
    });
}

function cellsOf({ key, version, isDeleteMarker, size, lastModified }: Version): string[] {
  return [isDeleteMarker ? 'deleted' : sizeText(size), timeText(lastModified), version, key];
}

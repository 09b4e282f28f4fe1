import type { Command } from 'commander';
import { faultLine } from '../../config/read/fault.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import { CONFIG_OPTION, configFailure } from '../argument/config-option.ts';
import type { Edge } from '../terminal/edge.ts';
import { gathered } from '../argument/gathered.ts';
import { visible } from '../terminal/text.ts';
import { jsonText } from '../terminal/printing.ts';

type DoctorOptions = { readonly config: string; readonly write?: readonly string[] };
type Finding = Parameters<Parameters<Edge['examine']>[1]['tell']>[0];

const SIGNS = { ok: 'ok      ', warning: 'warning ', failed: 'failed  ' } as const;

export function addDoctor(program: Command, edge: Edge): void {
  program
    .command('doctor')
    .configureHelp({ showGlobalOptions: false })
    .description('check the systems that the service depends on')
    .option(...CONFIG_OPTION)
    .option(
      '--write <provider/bucket>',
      'also write a probe object there, read it, and delete it; may be repeated',
      gathered,
    )
    .addHelpText(
      'after',
      `
Prints one line for each check: whether the identity provider can be reached,
knows the client and redirects correctly; whether the state database, the
session store and the audit work, and how much waits for each sink of the audit;
whether a proxy changes what tools send to the S3 endpoint; whether each storage
provider answers. For each problem, it says what to do. It prints no secrets.
Run it as the user of the service.

Exit status 0, 1 if a check failed, 2 for a fault of the configuration.

Examples:
  svc doctor --config /etc/svc.yaml
  svc doctor --write main/team-files`,
    )
    .action(async ({ config, write = [] }: DoctorOptions) => {
      const { loadSettings } = await import('../../config/load.ts');
      const loaded = loadSettings({ file: config, env: edge.env });
      if (loaded.faults !== undefined) throw configFailure(config, loaded.faults);
      const { settings, warnings } = loaded;
      const writeTo = write.map((place) =>
        placeOf(
          place,
          settings.providers.map(({ name }) => name),
        ),
      );
      const isJson = program.opts<{ json?: true }>().json === true;
      const findings: Finding[] = [];
      const tell = (finding: Finding): void => {
        findings.push(finding);
        if (!isJson) edge.print(visible(`${SIGNS[finding.state]} ${finding.what}: ${finding.text}`));
      };
      for (const warning of warnings)
        tell({ state: 'warning', what: 'configuration', text: faultLine(config, warning) });
      await edge.examine(settings, { writeTo, tell });
      if (isJson) edge.print(jsonText({ findings }));
      if (findings.some(({ state }) => state === 'failed')) throw new CliFailure(EXIT.failed);
    });
}

function placeOf(text: string, providers: readonly string[]): { readonly provider: string; readonly bucket: string } {
  const [provider = '', bucket = '', ...rest] = text.split('/');
  if (bucket === '' || rest.some((part) => part !== ''))
    throw usageFault(`\`--write\` takes PROVIDER/BUCKET, not \`${text}\``);
  if (!providers.includes(provider)) throw usageFault(`no provider is named \`${provider}\``);
  return { provider, bucket };
}

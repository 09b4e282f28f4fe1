import { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Edge } from '../../src/cli/edge.ts';
import { createProgram } from '../../src/cli/program.ts';

const HEAD = `# The command-line tool

<!-- Made from src/cli by \`npm run build:docs\`. Do not edit. -->

The help of \`svc\` and of each verb, as \`svc VERB --help\` prints it; the global options of \`svc\` itself go with every verb. Remote paths are
\`PROVIDER/BUCKET/KEY\`; \`svc cp\` takes them with \`svc:\` before.

| Kept on this machine | Where |
|---|---|
| Sessions of \`svc login\` | the system's keyring; without one, or with \`SVC_KEYRING=off\`, \`$XDG_CONFIG_HOME/svc/credentials.json\` (mode 0600) |
| The server that is meant without \`--server\` | \`$XDG_CONFIG_HOME/svc/server.json\` |
| Uploads that can go on after they broke off | \`$XDG_STATE_HOME/svc/uploads/\`: a file of mode 0600 for each, removed when the upload is complete; without any credential |
| The start of a download that broke off | a \`.part\` file beside the target |

\`XDG_CONFIG_HOME\` is \`~/.config\` and \`XDG_STATE_HOME\` is \`~/.local/state\` where they are not set.
`;

/** docs/cli.md: what each command prints as its help. */
export function commandLineReference(): string {
  return HEAD + commandsOf(createProgram(inertEdge())).map(section).join('');
}

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

function section(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 }).configureHelp({ showGlobalOptions: false });
  command.outputHelp();
  return `\n## \`${nameOf(command)}\`\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`;
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

/** A process that does nothing: to print its help, a command needs no more. */
function inertEdge(): Edge {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const nothing = () => undefined;
  return {
    env: {},
    print: nothing,
    printError: nothing,
    stdout: nowhere,
    stderr: nowhere,
    watched: false,
    isTerminal: false,
    confirm: undefined,
    beforeInterrupt: nothing,
    version: '',
    onReload: nothing,
    start: () => Promise.reject(new Error('not here')),
    upkeep: () => Promise.reject(new Error('nothing is looked after here')),
    audit: () => Promise.reject(new Error('nothing is run')),
    desktop: () => Promise.resolve(),
    registerDesktop: () => Promise.resolve(''),
    examine: () => Promise.resolve(),
    stopAsked: () => Promise.resolve(),
  };
}

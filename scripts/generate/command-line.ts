import { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Edge } from '../../src/cli/terminal/edge.ts';
import { createProgram } from '../../src/cli/program.ts';

const HEAD = `# The command-line tool

<!-- Made from src/cli by \`npm run build:docs\`. Do not edit. -->

This page contains the help of \`svc\` and of each command, as \`svc COMMAND --help\` prints it. The global options of \`svc\` work with every command. Remote paths are \`PROVIDER/BUCKET/KEY\`; in \`svc cp\`, they begin with \`svc:\`.

| Data on this machine | Location |
|---|---|
| Sessions of \`svc login\` | the system's keyring. Without a keyring, or with \`SVC_KEYRING=off\`: \`$XDG_CONFIG_HOME/svc/credentials.json\` (mode 0600) |
| The default server, used without \`--server\` | \`$XDG_CONFIG_HOME/svc/server.json\` |
| The keys of \`svc s3 credential-process\` | where the session is, until they expire or \`svc logout\` |
| Interrupted uploads that can be resumed | \`$XDG_STATE_HOME/svc/uploads/\`, one file for each (mode 0600), deleted when the upload is complete. The files contain no credentials |
| The received part of an interrupted download | a \`.part\` file beside the target |

The default of \`XDG_CONFIG_HOME\` is \`~/.config\`, and the default of \`XDG_STATE_HOME\` is \`~/.local/state\`.
`;

/** docs/cli.md: the help of each command. */
export function commandLineReference(): string {
  return HEAD + commandsOf(createProgram(inertEdge())).map(section).join('');
}

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

function section(command: Command): string {
  let help = '';
  command
    .configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 })
    .configureHelp({ showGlobalOptions: false });
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
    command: [],
    print: nothing,
    printError: nothing,
    stdout: nowhere,
    stderr: nowhere,
    watched: false,
    isTerminal: false,
    confirm: undefined,
    input: () => Promise.resolve(''),
    stdin: () => Readable.from([]),
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

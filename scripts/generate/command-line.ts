import { helpOfAll, type Help } from './help.ts';

const HEAD = `# The command-line tool

<!-- Made from src/cli by \`npm run build:docs\`. Do not edit. -->

Each command with its options and some examples. What it needs, refuses and answers is in \`svc COMMAND --help\` and in its manual page, such as \`man svc-cp\`. \`svc help WORD\` finds commands by a word. The options of \`svc\` work with every command.

| Data on this machine | Location |
|---|---|
| Sessions of \`svc login\` | the system's keyring. Without a keyring, or with \`SVC_KEYRING=off\`: \`$XDG_CONFIG_HOME/svc/credentials.json\` (mode 0600) |
| The default server, used without \`--server\` | \`$XDG_CONFIG_HOME/svc/server.json\` |
| The keys of \`svc s3 credential-process\` | where the session is, until they expire or \`svc logout\` |
| Interrupted uploads that can be resumed | \`$XDG_STATE_HOME/svc/uploads/\`, one file for each (mode 0600), deleted when the upload is complete. The files contain no credentials |
| The received part of an interrupted download | a \`.part\` file beside the target |

The default of \`XDG_CONFIG_HOME\` is \`~/.config\`, and the default of \`XDG_STATE_HOME\` is \`~/.local/state\`.
`;

/** The manual pages have the other examples. */
const EXAMPLES = 2;

/** docs/cli.md: what each command does, its options and some examples. Commands that only hold others have no section. It fits on 12 printed pages; the rest is in the manual pages. */
export function commandLineReference(): string {
  return (
    HEAD +
    helpOfAll()
      .filter(({ name, commands }) => name === 'svc' || commands.length === 0)
      .map(section)
      .join('')
  );
}

function section({ name, usage, summary, terms, notes, examples }: Help): string {
  const parts = [
    `### \`${usage}\``,
    sentence(summary),
    terms.map(({ term, meaning }) => `- \`${term}\`: ${meaning}`).join('\n'),
    name === 'svc' ? notes.map((note) => note.replaceAll('\n', ' ')).join('\n\n') : '',
    examples.length === 0 ? '' : `\`\`\`sh\n${examples.slice(0, EXAMPLES).join('\n')}\n\`\`\``,
  ];
  return `\n${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}

import type { Command } from 'commander';
import { CliFailure, EXIT } from './terminal/cli-failure.ts';
import type { Edge } from './terminal/edge.ts';
import { visible } from './terminal/text.ts';

/** What people type for commands that have other names here. Of several, the first that there is. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  copy: ['cp'],
  upload: ['cp'],
  download: ['cp'],
  get: ['cp'],
  put: ['cp'],
  move: ['mv'],
  rename: ['mv'],
  delete: ['rm', 'revoke'],
  remove: ['rm', 'revoke'],
  del: ['rm', 'revoke'],
  rm: ['revoke'],
  list: ['ls'],
  ls: ['list'],
  dir: ['ls'],
  buckets: ['ls'],
  search: ['find', 'query'],
  size: ['du'],
  info: ['stat'],
  show: ['stat', 'list'],
  print: ['cat'],
  mirror: ['sync'],
  rsync: ['sync'],
  share: ['presign'],
  link: ['presign'],
  sign: ['presign'],
  mkdir: ['mb'],
  rmdir: ['rb'],
  history: ['versions'],
  undo: ['undelete'],
  trash: ['undelete'],
  token: ['key'],
  keys: ['key'],
  signin: ['login'],
  signout: ['logout'],
  me: ['whoami'],
  start: ['serve'],
  check: ['doctor'],
  add: ['create'],
  renew: ['rotate'],
  why: ['explain'],
};

/** The command beneath another one that somebody meant with a word; undefined when the word says nothing. */
export function commandMeant(holder: Command, word: string): string | undefined {
  const names = holder.commands.map((one) => one.name());
  const typed = word.toLowerCase();
  const meanings = Object.hasOwn(MEANT, typed) ? MEANT[typed] : mistyped(typed, names);
  return meanings?.find((meaning) => names.includes(meaning));
}

/** What a word means that is one letter away from one above, and from no command. */
function mistyped(typed: string, names: readonly string[]): readonly string[] | undefined {
  if (names.some((name) => isNear(typed, name))) return undefined;
  return Object.entries(MEANT).find(([word]) => word.length > 3 && isNear(typed, word))?.[1];
}

/** Whether one letter was left out, added, replaced, or changed places with the next one. */
function isNear(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [a, b] = [one.slice(same), other.slice(same)];
  const swapped = `${a[1] ?? ''}${a[0] ?? ''}${a.slice(2)}`;
  return [a.slice(1) === b, a === b.slice(1), a.slice(1) === b.slice(1), swapped === b].includes(true);
}

export function addHelp(program: Command, edge: Edge): void {
  program
    .helpCommand(false)
    .command('help')
    .description('show the help of a command, or find commands by a word')
    .argument('[words...]', 'a command, or a word to look for in the help of all commands')
    .addHelpText('after', '\nExamples:\n  svc help cp\n  svc help key create\n  svc help checksum')
    .action((words: string[]) => {
      const command = commandAt(program, words) ?? commandAt(program, [commandMeant(program, words[0] ?? '') ?? '']);
      if (command !== undefined) {
        command.outputHelp();
        return;
      }
      const word = words.join(' ');
      const hasWord = (one: Command): boolean => helpText(one).toLowerCase().includes(word.toLowerCase());
      const commands = everyCommand(program).filter(hasWord);
      const found = commands.length > 0 ? commands : [program].filter(hasWord);
      if (found.length === 0) throw new CliFailure(EXIT.failed, `no command has \`${visible(word)}\` in its help`);
      for (const one of found) edge.print(`${pathOf(one)}: ${one.summary() || one.description()}`);
    });
}

function commandAt(program: Command, words: readonly string[]): Command | undefined {
  return words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((one) => one.name() === word),
    program,
  );
}

function everyCommand(command: Command): Command[] {
  const shown = command.createHelp().visibleCommands(command);
  return shown.flatMap((one) => [...(one.commands.length === 0 ? [one] : []), ...everyCommand(one)]);
}

/** The help of a command, without the options that every command has. */
function helpText(command: Command): string {
  let text = '';
  const [output, help] = [{ ...command.configureOutput() }, command.configureHelp()];
  command.configureHelp({ ...help, showGlobalOptions: false });
  command.configureOutput({ writeOut: (more) => (text += more) }).outputHelp();
  command.configureOutput(output).configureHelp(help);
  return text.replaceAll(/\s+/g, ' ');
}

/** The name of a command with those of the commands that hold it, such as `svc key create`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

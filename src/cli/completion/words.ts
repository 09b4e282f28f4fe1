import type { Command } from 'commander';
import type { Connection } from '../../client/connection.ts';
import { REMOTE, withoutMark, isRemote } from '../argument/remote-path.ts';
import { visible } from '../terminal/text.ts';

/** How long the shell waits for remote names. */
const WAIT_MS = 3_000;

/** The command of what was typed, and whether an argument of it was typed before the last word. */
export function commandOf(program: Command, typed: readonly string[]): { command: Command; hasArgument: boolean } {
  let command = program;
  for (const word of typed.slice(0, -1)) {
    if (word.startsWith('-')) continue;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) return { command, hasArgument: true };
    command = next;
  }
  return { command, hasArgument: false };
}

/** What the last word that was typed can become. Names that a terminal cannot show as they are, are left out. */
export async function wordsFor(
  program: Command,
  typed: readonly string[],
  connect: () => Promise<Connection>,
): Promise<string[]> {
  const last = typed.at(-1) ?? '';
  const { command, hasArgument } = commandOf(program, typed);
  return (await candidates()).filter((word) => word.startsWith(last) && visible(word) === word);

  async function candidates(): Promise<readonly string[]> {
    if (last.startsWith('-'))
      return [command, program].flatMap(({ options }) => options.flatMap(({ long }) => (long == null ? [] : [long])));
    if (command.commands.length > 0 && !hasArgument)
      return command
        .createHelp()
        .visibleCommands(command)
        .map((one) => one.name());
    const takesBoth = takes(command, REMOTE);
    if (takesBoth ? !isRemote(last) : !takes(command, 'PROVIDER')) return [];
    const names = await remoteNames(withoutMark(last), connect);
    return isRemote(last) ? names.map((name) => REMOTE + name) : names;
  }
}

function takes(command: Command, what: string): boolean {
  return command.registeredArguments.some(({ description }) => description.includes(what));
}

/** The providers, buckets, or folders and objects of one level that begin with a path. None when the service does not answer in time. */
async function remoteNames(path: string, connect: () => Promise<Connection>): Promise<string[]> {
  const [provider = '', bucket, ...rest] = path.split('/');
  const ask = async (): Promise<string[]> => {
    const connection = await connect();
    if (bucket === undefined) {
      const { providers } = await connection.call('provider/list', {});
      return providers.map(({ name }) => `${name}/`);
    }
    if (rest.length === 0) {
      const { buckets } = await connection.call('bucket/list', { provider });
      return buckets.map(({ name }) => `${provider}/${name}/`);
    }
    const { objects, prefixes } = await connection.call('object/list', {
      provider,
      bucket,
      prefix: rest.join('/'),
      delimiter: '/',
      limit: 1_000,
    });
    return [...prefixes, ...objects.map(({ key }) => key)].map((key) => `${provider}/${bucket}/${key}`);
  };
  const late = new Promise<string[]>((resolve) => setTimeout(resolve, WAIT_MS, []).unref());
  return Promise.race([ask().catch(() => []), late]);
}

/** Bash ends words at colons, and gives them as they are typed, with backslashes. */
export function plainWords(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [i, word] of words.entries()) {
    const isPart = word === ':' || words[i - 1] === ':';
    if (isPart && joined.length > 0) joined.push(joined.pop()! + word);
    else joined.push(word);
  }
  return joined.map((word) => word.replace(/\\(.)/g, '$1'));
}

import type { Command, Option } from 'commander';
import type { Connection } from '../../client/connection.ts';
import { REMOTE, withoutMark, isRemote } from '../argument/remote-path.ts';
import { visible } from '../terminal/text.ts';

/** How long the shell waits for remote names. */
const WAIT_MS = 3_000;

/** What was typed before the last word. */
type Typed = {
  readonly command: Command;
  /** Whether an argument of the command was typed. */
  readonly hasArgument: boolean;
  /** The option of which the last word is the value. */
  readonly option?: Option | undefined;
  readonly isHelp: boolean;
};

/** Reads what was typed before the last word, and sets the options of the program that are in it, such as the server. */
export function readTyped(program: Command, words: readonly string[]): Typed {
  const isHelp = words.length > 1 && words[0] === 'help';
  let command = program;
  let hasArgument = false;
  let option: Option | undefined;
  for (const word of words.slice(isHelp ? 1 : 0, -1)) {
    if (option !== undefined) {
      if (program.options.includes(option)) program.setOptionValue(option.attributeName(), word);
      option = undefined;
    } else if (word.startsWith('-')) {
      option = [command, program]
        .flatMap(({ options }) => options)
        .find((one) => one.required && (one.short === word || one.long === word));
    } else {
      const next = hasArgument ? undefined : command.commands.find((one) => one.name() === word);
      if (next === undefined) hasArgument = true;
      else command = next;
    }
  }
  return { command, hasArgument, option, isHelp };
}

/** What may be asked to complete a word. */
export type Sources = {
  readonly connect: () => Promise<Connection>;
  /** The names of `svc alias`. */
  readonly serverNames: () => Promise<readonly string[]>;
};

/** What the last word that was typed can become. Names that a terminal cannot show as they are, are left out. */
export async function wordsFor(
  program: Command,
  last: string,
  { command, hasArgument, option, isHelp }: Typed,
  { connect, serverNames }: Sources,
): Promise<string[]> {
  return (await candidates()).filter((word) => word.startsWith(last) && visible(word) === word);

  async function candidates(): Promise<readonly string[]> {
    if (option !== undefined) return option.long === '--server' ? serverNames() : (option.argChoices ?? []);
    if (last.startsWith('-'))
      return [command, program].flatMap(({ options }) => options.flatMap(({ long }) => (long == null ? [] : [long])));
    if (command.commands.length > 0 && !hasArgument)
      return command
        .createHelp()
        .visibleCommands(command)
        .map((one) => one.name());
    if (isHelp) return [];
    const choices = command.registeredArguments[0]?.argChoices;
    if (choices !== undefined) return hasArgument ? [] : choices;
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

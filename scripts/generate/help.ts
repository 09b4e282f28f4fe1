import type { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { pathOf } from '../../src/cli/help.ts';
import { createProgram } from '../../src/cli/program.ts';
import type { Edge } from '../../src/cli/terminal/edge.ts';

/** An argument or an option, as the help writes it, and what it means. */
type Term = { readonly term: string; readonly meaning: string };

/** The help of a command in its parts. `notes` are paragraphs; the lines of a table begin with two spaces. */
export type Help = {
  /** Such as `svc key create`. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly terms: readonly Term[];
  readonly commands: readonly Term[];
  readonly notes: readonly string[];
  readonly examples: readonly string[];
};

/** The help of `svc` and of each command that help shows. */
export function helpOfAll(): Help[] {
  return shownCommands().map(helpOf);
}

/** `svc` and each command that help shows. */
export function shownCommands(): Command[] {
  return visible(createProgram(inertEdge()));
}

function visible(command: Command): Command[] {
  const beneath = command.createHelp().visibleCommands(command);
  return [command, ...beneath.filter((one) => command.commands.includes(one)).flatMap(visible)];
}

function helpOf(command: Command): Help {
  const help = command.createHelp();
  let after = '';
  const write = (text: string) => (after += text);
  // Commander keeps these texts as listeners, which its types do not show.
  (command as unknown as EventEmitter).emit('afterHelp', { command, error: false, write });
  const [notes = '', examples = ''] = after.split(/^Examples:\n/m);
  return {
    name: pathOf(command),
    usage: help.commandUsage(command),
    summary: command.description(),
    terms: [
      ...help
        .visibleArguments(command)
        .map((one) => ({ term: help.argumentTerm(one), meaning: help.argumentDescription(one) })),
      ...help
        .visibleOptions(command)
        .filter(({ long }) => long !== '--help')
        .map((one) => ({ term: help.optionTerm(one), meaning: help.optionDescription(one) })),
    ],
    commands: help
      .visibleCommands(command)
      .filter((one) => command.commands.includes(one))
      .map((one) => ({ term: pathOf(one), meaning: help.subcommandDescription(one) })),
    notes: notes
      .split('\n\n')
      .flatMap((paragraph) => (paragraph.trim() === '' ? [] : [paragraph.replace(/^\n+|\n+$/g, '')])),
    // A line that is indented further continues the example before it.
    examples: examples
      .trimEnd()
      .split(/\n {2}(?! )/)
      .filter((example) => example !== '')
      .map((example) => example.replace(/^ {2}/, '').replaceAll('\n  ', '\n')),
  };
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

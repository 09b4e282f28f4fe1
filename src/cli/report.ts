import type { Command } from 'commander';
import { wantsJson } from './connect.ts';
import type { Edge } from './edge.ts';
import { visible } from './text.ts';

/** Prints a result: for scripts one JSON document, for people lines. */
export function report(edge: Edge, command: Command, result: unknown, lines: readonly string[]): void {
  if (wantsJson(command)) edge.print(JSON.stringify(result, null, 2));
  else for (const line of lines) edge.print(shown(edge, line));
}

/** A line of the result that holds names of others. */
export function shown(edge: Pick<Edge, 'isTerminal'>, line: string): string {
  return edge.isTerminal ? visible(line) : line;
}

/** The same for a line beside the result: standard error may be a terminal where standard output is a file. */
export function told(edge: Edge, line: string): string {
  return edge.watched ? visible(line) : line;
}

/** A patch, as it is for `git apply`. Files of others stand in it, and a terminal obeys nothing of them. */
export function printPatch(edge: Pick<Edge, 'isTerminal' | 'print'>, patch: string): void {
  if (patch !== '') for (const line of patch.slice(0, -1).split('\n')) edge.print(shown(edge, line));
}

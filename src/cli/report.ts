import type { Command } from 'commander';
import { wantsJson } from './connect.ts';
import type { Edge } from './edge.ts';
import { visible } from './text.ts';

/** Prints a result: one JSON document for scripts, lines for people. */
export function report(edge: Edge, command: Command, result: unknown, lines: readonly string[]): void {
  if (wantsJson(command)) edge.print(JSON.stringify(result, null, 2));
  else for (const line of lines) edge.print(shown(edge, line));
}

/** A line of the result. On a terminal, control characters in it are made visible, because names come from others. */
export function shown(edge: Pick<Edge, 'isTerminal'>, line: string): string {
  return edge.isTerminal ? visible(line) : line;
}

/** Like {@link shown}, for standard error, which may be a terminal when standard output is a file. */
export function told(edge: Edge, line: string): string {
  return edge.watched ? visible(line) : line;
}

/** Prints a patch for `git apply`. On a terminal, control characters are made visible, because files of others are in it. */
export function printPatch(edge: Pick<Edge, 'isTerminal' | 'print'>, patch: string): void {
  if (patch !== '') for (const line of patch.slice(0, -1).split('\n')) edge.print(shown(edge, line));
}

import type { Command } from 'commander';
import type { Edge } from './edge.ts';
import { jsonText } from './printing.ts';
import { visible } from './text.ts';

/** Prints a result: one JSON document for scripts, lines for people. Names begin no line. */
export function report(edge: Edge, command: Command, result: unknown, lines: readonly string[]): void {
  for (const line of wantsJson(command) ? jsonText(result, 2).split('\n') : lines.map(visible)) edge.print(line);
}

/** Prints a patch for `git apply`. */
export function printPatch({ print }: Pick<Edge, 'print'>, patch: string): void {
  if (patch !== '') for (const line of patch.slice(0, -1).split('\n')) print(line);
}

/** Whether `--json` was given. */
export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ readonly json?: true }>().json === true;
}

import { CliFailure, EXIT, usageFault } from './cli-failure.ts';
import type { CopyTask } from './copy-task.ts';
import { foldedPath } from './local-path.ts';
import { remoteText } from './remote-path.ts';

/** Lets only the first task write a target: the second one for it would overwrite what this very run has written. */
export async function* withoutRepeatedTargets(tasks: AsyncIterable<CopyTask>): AsyncGenerator<CopyTask, void, void> {
  const taken = new Set<string>();
  for await (const task of tasks) {
    if (task.kind === 'skip' || task.kind === 'fail') {
      yield task;
      continue;
    }
    const target = task.kind === 'download' ? task.to : remoteText(task.to);
    const place = task.kind === 'download' ? foldedPath(task.to) : target;
    if (!taken.has(place)) yield task;
    else yield { kind: 'fail', from: task.from, error: new CliFailure(EXIT.failed, `\`${target}\` was given to another source of this command; copy this one alone, to another name`, 'conflict') };
    taken.add(place);
  }
}

/**
 * Several folders keep their names beneath the target, where two of one name would be mixed.
 *
 * @param fold - takes names for one that the target cannot tell apart.
 * @throws {CliFailure} usage
 */
export function refuseEqualFolders(names: readonly string[], fold: (name: string) => string = String): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(fold(name))) throw usageFault(`two source folders are named \`${name}\`, and their contents would be mixed; give them apart, each with a target of its own`);
    seen.add(fold(name));
  }
}

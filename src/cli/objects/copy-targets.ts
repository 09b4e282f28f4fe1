import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import type { CopyTask } from './copy-task.ts';
import { foldedPath } from '../argument/local-path.ts';
import { remoteText } from '../argument/remote-path.ts';

/** Lets only the first task write to a target. A second one would overwrite what the same run has written. */
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
    else
      yield {
        kind: 'fail',
        from: task.from,
        error: new CliFailure(
          EXIT.failed,
          `\`${target}\` was given to another source of this command; copy this one alone, to another name`,
          'conflict',
        ),
      };
    taken.add(place);
  }
}

/**
 * Refuses source folders with the same name. Several folders keep their names beneath the target, so their contents would be mixed.
 *
 * @param fold - maps names that the target does not distinguish to one name.
 * @throws {CliFailure} usage
 */
export function refuseEqualFolders(names: readonly string[], fold: (name: string) => string = String): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(fold(name)))
      throw usageFault(
        `two source folders are named \`${name}\`, and their contents would be mixed; copy them separately, each to a different target`,
      );
    seen.add(fold(name));
  }
}

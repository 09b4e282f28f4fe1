import { CommanderError } from 'commander';
import { CliFailure, EXIT, type ExitStatus } from './terminal/cli-failure.ts';
import type { Edge } from './terminal/edge.ts';
import { failureText } from './terminal/failure-text.ts';
import { jsonText } from './terminal/printing.ts';
import { createProgram } from './program.ts';

/**
 * Runs one command line.
 *
 * @returns exit status.
 */
export async function run(args: readonly string[], edge: Edge): Promise<ExitStatus> {
  const program = createProgram(edge);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    const { status, code, message } = failureText(error);
    if (status === EXIT.done) return status;
    if (program.opts<{ json?: true }>().json === true)
      edge.printError(
        jsonText({ error: { code, message: message === '' ? 'the output names what failed' : message } }),
      );
    // Commander has already printed its message.
    else if (!(error instanceof CommanderError) && message !== '')
      for (const line of error instanceof CliFailure ? error.lines : [message]) edge.printError(line);
    return status;
  }
}

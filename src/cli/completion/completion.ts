import { Argument, type Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { serverNames } from '../argument/server-names.ts';
import type { Edge } from '../terminal/edge.ts';
import { SCRIPTS, type Shell } from './scripts.ts';
import { plainWords, readTyped, wordsFor } from './words.ts';

export function addCompletion(program: Command, edge: Edge): void {
  const completion = program
    .command('completion')
    .description('complete commands, options and remote names in the shell')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      `
Prints what the shell reads. Remote names are those that you may list. Nothing
remote is completed while nobody is signed in.

Examples:
  echo 'source <(svc completion bash)' >> ~/.bashrc
  echo 'source <(svc completion zsh)' >> ~/.zshrc
  svc completion fish > ~/.config/fish/completions/svc.fish`,
    );
  completion.registeredArguments[0]!.choices(Object.keys(SCRIPTS));
  completion.action((shell: Shell) => void edge.stdout.write(SCRIPTS[shell]));
  const words = program.createCommand('complete-words');
  words
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .argument('[words...]')
    .action(async (shell: Shell, given: string[]) => {
      const typed = shell === 'bash' ? plainWords(given) : given;
      const read = readTyped(program, typed);
      const found = await wordsFor(program, typed.at(-1) ?? '', read, {
        connect: () => connect(edge, read.command),
        serverNames: async () => Object.keys((await serverNames(edge.env).read()) ?? {}),
      });
      for (const word of found) edge.stdout.write(`${shell === 'bash' ? word.replace(/^svc:/, '') : word}\n`);
    });
  program.addCommand(words, { hidden: true });
}

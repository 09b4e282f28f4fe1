/**
 * `npm run mutate -- FOLDER… [--sample N] [--seed N] [--file NAME]`: breaks the code of a folder of `src` on purpose, one small change at a time, and tells which changes no test notices.
 *
 * The changes are made in a copy of the tree. Exits with 1 when a folder's score is below its reach.
 */
import { parseArgs } from 'node:util';
import { mutantsOfFolder } from './mutate/folder.ts';
import { reachOf } from './mutate/noticing.ts';
import { describeVerdict, Score } from './mutate/score.ts';
import { Tree } from './mutate/tree.ts';
import { sampled } from './mutate/sample.ts';

const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string' },
  },
});
if (folders.length === 0) {
  console.error('usage: npm run mutate -- FOLDER… [--sample N] [--seed N] [--file NAME]');
  process.exit(2);
}

const tree = await Tree.copy();
process.on('exit', () => {
  tree.remove();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

const baseline = await tree.baseline(folders);
for (const folder of folders) {
  const mutants = mutantsOfFolder(tree.root, folder).filter(
    (mutant) => values.file === undefined || mutant.file.endsWith(`/${values.file}`),
  );
  const chosen = sampled(mutants, Number(values.sample), Number(values.seed));
  const score = new Score(folder, mutants.length);
  for (const [index, mutant] of chosen.entries()) {
    const verdict = await tree.verdict(folder, mutant, baseline);
    score.add(mutant, verdict);
    console.error(`${index + 1} of ${chosen.length}  ${describeVerdict(mutant, verdict)}`);
  }
  console.log(score.report());
  if (score.percent < reachOf(folder)) process.exitCode = 1;
}

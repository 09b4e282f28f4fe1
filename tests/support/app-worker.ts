/** A worker of the service of `startAppWorkers`: the settings come from its parent, and what is special to tests comes as arguments. */
import { appendFileSync } from 'node:fs';
import { runWorker } from '../../src/compose/run-worker.ts';
import { inertRows } from '../../src/http/rows.ts';
import { watchAnswers } from './documented-answers.ts';

const [webDirectory = '', answers = '', port = '', basePath = '', hasProvider] = process.argv.slice(2);
watchAnswers(Number(port), basePath, inertRows('', hasProvider === 'true'), (...answer) =>
  appendFileSync(answers, `${JSON.stringify(answer)}\n`),
);
runWorker({ version: '0.0.0-test', webDirectory });

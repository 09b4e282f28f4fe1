import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { SECRET, validConfig } from '../config/written-config.ts';
import { Machine } from './svc-process.ts';

/** Keys that `petra` may read by their names alone. Storage may take each for another key, which she may not read. */
const REFUSED = ['q//x', 'q//xL', '/q/x', 'q__XLDIR__'];
/** Keys of which both names are allowed. */
const ALLOWED = ['2025//a', '/2025/a'];

let machine: Machine;

beforeAll(async () => {
  machine = await Machine.make();
  Object.assign(machine.env, SECRET);
  const config = validConfig();
  const at = (more: object) => ({ provider: 'main', bucket: 'photos', ...more });
  const resources = [
    ...['q//x', '/q/', '/2025/'].map((prefix) => at({ type: 'prefix', prefix })),
    ...['q//xL', 'q__XLDIR__'].map((key) => at({ type: 'object', key })),
  ];
  const rule = { effect: 'allow', actions: ['objects:list', 'objects:get'], resources };
  await writeFile(
    join(machine.home, 'svc.config.yaml'),
    dump({
      ...config,
      policies: [...config.policies, { version: 1, name: 'odd', rules: [rule] }],
      bindings: [...config.bindings, { subjects: ['petra'], policies: ['odd'] }],
    }),
  );
});
afterAll(() => machine.remove());

const explain = (action: string, key: string) =>
  machine.svc('policy', 'explain', '-s', 'petra', action, `main/photos/${key}`);

it('explains a key that storage may take for another one as the service decides it', async () => {
  for (const key of REFUSED)
    expect([key, await explain('objects:get', key)]).toMatchObject([
      key,
      { status: 3, stdout: expect.stringContaining(`objects:get on main/photos/${key}: denied: no rule allows it`) },
    ]);
  for (const key of ALLOWED) expect([key, await explain('objects:get', key)]).toMatchObject([key, { status: 0 }]);
});

it('explains a listing by the name as it is written, as listings show it', async () => {
  for (const key of REFUSED) expect([key, await explain('objects:list', key)]).toMatchObject([key, { status: 0 }]);
});

it('decides cases so', async () => {
  const cases = [...REFUSED, ...ALLOWED].map((key) => ({
    subject: 'petra',
    action: 'objects:get',
    path: `main/photos/${key}`,
    expect: ALLOWED.includes(key) ? 'allow' : 'deny',
  }));
  await writeFile(join(machine.home, 'cases.yaml'), dump(cases));
  expect(await machine.svc('policy', 'test', 'cases.yaml')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`${cases.length} cases as expected`),
  });
});

it('says who may do something under each name, all of which have to allow it', async () => {
  const titles = async (action: string, key: string) =>
    (await machine.svc('policy', 'who', action, `main/photos/${key}`)).stdout
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(' '));
  const also = (key: string) => `and objects:get on main/photos/${key}, for which storage may take it`;
  expect(await titles('objects:get', '/q//x')).toEqual(['objects:get on main/photos//q//x', also('q//x'), also('q/x')]);
  expect(await titles('objects:get', 'q//')).toEqual([
    'objects:get on objects in main/photos/q// that no rule names more closely',
    'and objects:get on objects in main/photos/q/ that no rule names more closely, for which storage may take it',
  ]);
  expect(await titles('objects:list', 'q//x')).toEqual(['objects:list on main/photos/q//x']);
  const { answers } = JSON.parse(
    (await machine.svc('policy', 'who', 'objects:get', 'main/photos/q//x', '--json')).stdout,
  ) as { answers: { takenFor?: object; holders: { holder: { subject?: string } }[] }[] };
  const isPetra = ({ holder }: { holder: { subject?: string } }) => holder.subject === 'petra';
  expect(answers.map(({ takenFor, holders }) => [takenFor, holders.some(isPetra)])).toEqual([
    [undefined, true],
    [{ key: 'q/x' }, false],
  ]);
});

it('refuses a key with a segment `..` as the service does, unless its provider keeps such keys', async () => {
  const config = validConfig();
  const [main, ...others] = config.providers;
  const write = (name: string, dots: 'keep' | 'refuse') =>
    writeFile(join(machine.home, name), dump({ ...config, providers: [{ ...main, dot_segments: dots }, ...others] }));
  await write('keep.yaml', 'keep');
  await write('refuse.yaml', 'refuse');
  const path = 'main/photos/2025/../a';
  const asked = (file: string) => [
    machine.svc('policy', 'explain', '-c', file, '-s', 'petra', 'objects:get', path),
    machine.svc('policy', 'who', '-c', file, 'objects:get', path),
  ];
  for (const answer of await Promise.all(asked('refuse.yaml')))
    expect(answer).toMatchObject({ status: 2, stderr: expect.stringContaining('has a segment `.` or `..`') });
  for (const answer of await Promise.all(asked('keep.yaml'))) expect(answer).toMatchObject({ status: 0 });
  await writeFile(
    join(machine.home, 'dots.yaml'),
    dump([{ subject: 'petra', action: 'objects:get', path, expect: 'deny' }]),
  );
  expect(await machine.svc('policy', 'test', '-c', 'refuse.yaml', 'dots.yaml')).toMatchObject({ status: 0 });
  expect(await machine.svc('policy', 'test', '-c', 'keep.yaml', 'dots.yaml')).toMatchObject({ status: 1 });
});

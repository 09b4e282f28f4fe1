import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { Machine } from '../../cli/svc-process.ts';
import { SECRET, validConfig } from '../../config/written-config.ts';
import { missingPrograms } from '../../support/programs.ts';

const missing = missingPrograms('python3');
const unless = missing.length > 0 ? `: ${missing.join()} is missing` : '';

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.make();
  Object.assign(machine.env, SECRET);
  await writeFile(join(machine.home, 'svc.config.yaml'), dump(validConfig()));
});
afterAll(() => machine.remove());

describe('svc policy test', () => {
  const petra = { subject: 'petra', action: 'objects:get', path: 'main/photos/2025/a', expect: 'allow' };

  (missing.length > 0 ? it.skip : it)(
    `writes the XML that build servers read, whatever names hold${unless}`,
    async () => {
      const odd = { ...petra, subject: `<"&'\t\u0001\ud83d>`, path: 'main/photos/2025/a\nb', expect: 'deny' };
      await writeFile(join(machine.home, 'cases.yaml'), JSON.stringify([petra, odd, { ...petra, expect: 'deny' }]));
      expect(await machine.svc('policy', 'test', '--junit', 'out.xml', 'cases.yaml')).toMatchObject({
        status: 1,
      });
      const read =
        "import json,sys,xml.etree.ElementTree as e;r=e.parse(sys.argv[1]).getroot();print(json.dumps([r.attrib]+[[c.attrib,[f.attrib for f in c]] for c in r.iter('testcase')]))";
      const [all, ...cases] = JSON.parse(
        execFileSync('python3', ['-c', read, join(machine.home, 'out.xml')], { encoding: 'utf8' }),
      ) as [object, ...[object, object[]][]];
      expect(all).toEqual({ name: 'svc policy test', tests: '3', failures: '1', errors: '0' });
      expect(cases).toEqual([
        [
          {
            classname: 'cases.yaml',
            name: '1: objects:get on main/photos/2025/a as petra is allow',
            file: 'cases.yaml',
            line: '1',
          },
          [],
        ],
        [
          {
            classname: 'cases.yaml',
            name: `2: objects:get on main/photos/2025/a\nb as <"&'\t\ufffd\ufffd> is deny`,
            file: 'cases.yaml',
            line: '1',
          },
          [],
        ],
        [
          {
            classname: 'cases.yaml',
            name: '3: objects:get on main/photos/2025/a as petra is deny',
            file: 'cases.yaml',
            line: '1',
          },
          [{ message: '`objects:get` on `main/photos/2025/a` as `petra` is allow, not deny' }],
        ],
      ]);
    },
  );
});

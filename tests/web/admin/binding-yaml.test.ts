import { expect, it } from '@jest/globals';
import { Faults } from '../../../src/config/read/fault.ts';
import { SecretValues } from '../../../src/config/read/secret-values.ts';
import { substitute } from '../../../src/config/read/substitute.ts';
import { readYaml } from '../../../src/config/read/yaml.ts';
import { bindingYaml } from '../../../src/web/admin/binding-yaml.ts';

it('names groups so that the configuration reads them as they are, whatever their names hold', () => {
  const groups = ['staff', '${SECRET}', '$${a}$', '${file:/etc/passwd}', 'a: "b"\n- c', '#x'];
  const faults = new Faults();
  const read = readYaml(bindingYaml(groups));
  if (!('value' in read)) throw new Error(read.fault.message);
  const { value } = substitute(read.value, {
    env: { SECRET: 'a secret' },
    directory: '/',
    faults,
    secrets: new SecretValues(),
  });
  expect(value).toEqual({ bindings: [{ groups, role: 'ROLE' }] });
  expect(faults.list).toEqual([]);
});

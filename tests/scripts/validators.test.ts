import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';
import { validatorsCode } from '../../scripts/build/validators.ts';
import { validatorOf } from '../../src/config/read/validators.ts';

type Validators = { readonly validatorOf: typeof validatorOf };

const CONFIG = {
  auth: {
    enabled: true,
    public_origin: 'https://files.example.com',
    oidc: { issuer: 'https://id.example.com', client_id: 'svc', client_secret: 'secret' },
    session: { type: 'redis', url: 'redis://localhost' },
  },
  server: { port: 8080, trusted_proxies: ['10.0.0.0/8'], metrics: { port: 9100 } },
  providers: [
    {
      name: 'main',
      type: 's3',
      endpoint: 'https://s3.example.com',
      credentials: { access_key_id: 'a', secret_access_key: 'b' },
    },
    { name: 'other', type: 's3', region: 'us-east-1' },
  ],
  policies: [
    {
      version: 1,
      name: 'one',
      rules: [
        {
          effect: 'allow',
          actions: ['objects:read'],
          resources: [{ type: 'prefix', provider: 'main', bucket: 'b', prefix: 'p/' }, { type: 'all' }],
        },
      ],
    },
  ],
  roles: { reader: { policies: ['one'] } },
  bindings: [{ groups: ['staff'], role: 'reader' }],
};
const TEAM_FILE = { owner: 'team', policies: CONFIG.policies };

const values = fc.oneof(
  fc.constantFrom(
    null,
    '',
    'x',
    'é'.repeat(300),
    0,
    -1,
    1.5,
    99_999,
    true,
    {},
    [],
    ['x'],
    { type: 'all' },
    { name: 'main' },
  ),
  fc.constantFrom('s3', 'allow', 'deny', 'bucket', 'object', 'memory', 'database', 'objects:red'),
);
/** Changes of members, each found by numbers: which one on each level, and what it becomes; undefined leaves it out. */
const changes = fc.array(
  fc.record({
    path: fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }),
    value: fc.option(values, { nil: undefined }),
  }),
  { maxLength: 4 },
);

function changed(root: object, all: readonly { path: readonly number[]; value: unknown }[]): object {
  const copy = structuredClone(root);
  for (const { path, value } of all) {
    let at = copy as Record<string, unknown>;
    for (const [depth, number] of path.entries()) {
      const names = [...Object.keys(at), 'added'];
      const name = names[number % names.length]!;
      const inner = at[name];
      if (depth < path.length - 1 && typeof inner === 'object' && inner !== null) at = inner as typeof at;
      else {
        if (value === undefined) Reflect.deleteProperty(at, name);
        else at[name] = structuredClone(value);
        break;
      }
    }
  }
  return copy;
}

describe('the validators that are compiled at build time', () => {
  const built: Partial<Validators> = {};
  const run = runInThisContext(`(exports, require) => { ${validatorsCode()} }`) as (
    exports: Partial<Validators>,
    require: NodeJS.Require,
  ) => void;
  run(built, createRequire(import.meta.url));
  const both = [built.validatorOf!, validatorOf];

  it.each([
    ['config', CONFIG],
    ['teamFile', TEAM_FILE],
  ] as const)('find the same faults in a %s and fill in the same defaults as those compiled at start', (name, root) => {
    let refused = 0;
    fc.assert(
      fc.property(changes, (all) => {
        const answers = both.map((of) => {
          const value = changed(root, all);
          const validate = of(name);
          return { accepts: validate(value), errors: validate.errors, value };
        });
        expect(answers[0]).toEqual(answers[1]);
        if (answers[0]!.errors !== null) refused += 1;
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(50);
    expect(refused).toBeLessThan(300);
  });
});

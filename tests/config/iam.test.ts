import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { importIam } from '../../src/config/iam/iam.ts';
import { ATOMIC_ACTIONS, resourceKindOf, type AtomicAction } from '../../src/policy/model/action.ts';
import { decide } from '../../src/policy/index/decide.ts';
import { resolvePolicy } from '../../src/policy/model/each.ts';
import { compileGrants } from '../../src/policy/index/grants.ts';
import { bucketResource, objectResource, providerResource, type Resource } from '../../src/policy/model/resource.ts';
import { awsAllows, type SimpleDocument } from './iam-oracle.ts';

const statement = (members: object) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/*', ...members }],
});
const imported = (document: unknown) => importIam(document, 'main', ['main', 'other']);
const refusal = (document: unknown) => imported(document).faults.map(({ code, path }) => `${code} at ${path}`);

function resourceOf(action: AtomicAction, provider: string, bucket: string, key: string): Resource {
  const kind = resourceKindOf(action);
  return kind === 'provider'
    ? providerResource(provider)
    : kind === 'bucket'
      ? bucketResource(provider, bucket)
      : objectResource(provider, bucket, key);
}

describe('importIam', () => {
  it.each([
    ['*', [{ type: 'provider', provider: 'main' }]],
    ['arn:aws:s3:::*', [{ type: 'provider', provider: 'main' }]],
    ['arn:aws:s3:::*/*', [{ type: 'provider', provider: 'main' }]],
    ['arn:aws:s3:::b/*', [{ type: 'prefix', provider: 'main', bucket: 'b', prefix: '' }]],
    ['arn:aws:s3:::b/home*', [{ type: 'prefix', provider: 'main', bucket: 'b', prefix: 'home' }]],
    ['arn:aws:s3:::b/k:1/Ä', [{ type: 'object', provider: 'main', bucket: 'b', key: 'k:1/Ä' }]],
  ])('reads %s for an object action', (Resource, resources) => {
    expect(imported(statement({ Resource }))).toEqual({
      rules: [{ effect: 'allow', actions: ['objects:get'], resources }],
      faults: [],
      notes: [],
    });
  });

  it.each([
    ['s3:ListBucket', 'arn:aws:s3:::b', ['objects:list'], { type: 'bucket', provider: 'main', bucket: 'b' }],
    [
      's3:*',
      'arn:aws:s3:::b',
      ['buckets:create', 'buckets:delete', 'objects:list'],
      { type: 'bucket', provider: 'main', bucket: 'b' },
    ],
    [
      's3:*',
      'arn:aws:s3:::b/*',
      ['objects:get', 'objects:write', 'objects:delete', 'objects:versions', 'objects:purge'],
      { type: 'prefix', provider: 'main', bucket: 'b', prefix: '' },
    ],
    ['s3:ListAllMyBuckets', '*', ['providers:list', 'buckets:list'], { type: 'provider', provider: 'main' }],
    ['S3:getobject', '*', ['objects:get'], { type: 'provider', provider: 'main' }],
    ['s3:?etObject', '*', ['objects:get'], { type: 'provider', provider: 'main' }],
    [
      '*',
      '*',
      ATOMIC_ACTIONS.filter((action) => action !== 'objects:presign' && action !== 'objects:restore'),
      { type: 'provider', provider: 'main' },
    ],
  ])('carries %s on %s over', (Action, Resource, actions, selector) => {
    expect(imported(statement({ Action, Resource })).rules).toEqual([
      { effect: 'allow', actions, resources: [selector] },
    ]);
  });

  it('speaks of every provider when none is named', () => {
    const document = {
      Version: '2012-10-17',
      Statement: { Effect: 'Deny', Action: 's3:*', Resource: ['*', 'arn:aws:s3:::b/k'] },
    };
    expect(importIam(document, undefined, ['main', 'other']).rules.map(({ resources }) => resources)).toEqual([
      [{ type: 'all' }],
      [
        { type: 'object', provider: 'main', bucket: 'b', key: 'k' },
        { type: 'object', provider: 'other', bucket: 'b', key: 'k' },
      ],
    ]);
  });

  it.each([
    ['Condition', 'condition', { Bool: { 'aws:SecureTransport': 'true' } }],
    ['NotAction', 'not_action', 's3:GetObject'],
    ['NotResource', 'not_resource', 'arn:aws:s3:::b'],
    ['Principal', 'principal', '*'],
    ['NotPrincipal', 'principal', '*'],
    ['condition', 'unknown_member', {}],
    ['__proto__', 'unknown_member', {}],
  ])('refuses %s, whatever the effect', (member, code, value) => {
    for (const Effect of ['Allow', 'Deny']) {
      const document = statement({ Effect });
      Object.defineProperty(document.Statement[0], member, { value, enumerable: true });
      expect(refusal(document)).toEqual([`${code} at Statement.0.${member}`]);
    }
  });

  it.each([
    ['arn:aws:s3:::b/a*b', 'inner_wildcard'],
    ['arn:aws:s3:::b/a?', 'inner_wildcard'],
    ['arn:aws:s3:::b/**', 'inner_wildcard'],
    ['arn:aws:s3:::b*', 'bucket_wildcard'],
    ['arn:aws:s3:::*/a', 'bucket_wildcard'],
    ['arn:aws:s3:::?/*', 'bucket_wildcard'],
    ['arn:aws:s3:::${aws:username}/*', 'variable'],
    ['arn:*:s3:::b/*', 'partition'],
    ['arn:aws-cn:s3:::b/*', 'partition'],
    ['arn:aws:s3:eu-west-1::b/*', 'region_or_account'],
    ['arn:aws:s3::123456789012:b/*', 'region_or_account'],
    ['arn:aws:sqs:::b', 'resource_service'],
    ['arn:aws:s3:::b/', 'resource_form'],
    ['arn:aws:s3:::/k', 'resource_form'],
    ['arn:aws:s3::b', 'resource_form'],
    ['b/*', 'resource_form'],
  ])('refuses the resource %s', (Resource, code) => {
    expect(refusal(statement({ Resource }))).toEqual([`${code} at Statement.0.Resource`]);
    expect(refusal(statement({ Resource: ['arn:aws:s3:::b/*', Resource], Effect: 'Deny' }))).toEqual([
      `${code} at Statement.0.Resource`,
    ]);
  });

  it.each([
    ['text', 'document_form at '],
    [null, 'document_form at '],
    [{ Statement: statement({}).Statement }, 'version at Version'],
    [{ ...statement({}), Version: '2008-10-17' }, 'version at Version'],
    [{ Version: '2012-10-17', Statement: [] }, 'statement_empty at Statement'],
    [{ Version: '2012-10-17' }, 'statement_empty at Statement'],
    [{ ...statement({}), Extra: 1 }, 'unknown_member at Extra'],
    [statement({ Effect: 'allow' }), 'effect at Statement.0.Effect'],
    [statement({ Action: [] }), 'statement_form at Statement.0.Action'],
    [statement({ Action: 's3:Get Object' }), 'action_form at Statement.0.Action'],
    [statement({ Action: 's*:GetObject' }), 'action_form at Statement.0.Action'],
    [statement({ Resource: [{}] }), 'statement_form at Statement.0.Resource'],
  ])('refuses %j', (document, fault) => {
    expect(refusal(document)).toEqual([fault]);
  });

  it('gives no rule at all when one statement of several is refused, and tells every fault', () => {
    const good = statement({}).Statement[0];
    const document = {
      Version: '2012-10-17',
      Statement: [good, { ...good, Condition: {}, Action: 'get' }, good, { ...good, Resource: 'x' }],
    };
    expect(imported(document)).toMatchObject({
      rules: [],
      faults: [
        { code: 'condition', statement: 1, path: 'Statement.1.Condition' },
        { code: 'action_form', statement: 1, path: 'Statement.1.Action' },
        { code: 'resource_form', statement: 3, path: 'Statement.3.Resource' },
      ],
    });
  });

  it('refuses a deny of an action that S3 does not have, and only notes an allow of one', () => {
    expect(refusal(statement({ Effect: 'Deny', Action: 's3:GetObjekt' }))).toEqual([
      'unknown_action at Statement.0.Action',
    ]);
    expect(refusal(statement({ Effect: 'Deny', Action: 's3:Frobnicate*' }))).toEqual([
      'unknown_action at Statement.0.Action',
    ]);
    expect(imported(statement({ Action: 's3:GetObjekt' }))).toMatchObject({
      rules: [],
      faults: [],
      notes: [expect.stringContaining('did you mean `s3:GetObject`')],
    });
  });

  it('notes what gives nothing: other services, actions without a counterpart, resources of another kind', () => {
    expect(
      imported(
        statement({ Action: ['kms:Decrypt', 's3:GetBucketLocation', 's3:GetObject'], Resource: 'arn:aws:s3:::b' }),
      ),
    ).toMatchObject({
      rules: [],
      faults: [],
      notes: [
        expect.stringContaining('`kms:Decrypt`'),
        expect.stringContaining('`s3:GetBucketLocation`'),
        expect.stringContaining('`s3:GetObject` applies to a resource such as `arn:aws:s3:::bucket/*`'),
      ],
    });
  });

  it('gives the versions to whoever may read them, and the restore of archives to nobody', () => {
    const { rules, notes } = imported(
      statement({
        Action: ['s3:ListBucketVersions', 's3:GetObjectVersion', 's3:DeleteObjectVersion', 's3:RestoreObject'],
        Resource: ['arn:aws:s3:::b', 'arn:aws:s3:::b/*'],
      }),
    );
    expect(rules.map(({ effect, actions, resources }) => [effect, actions, resources])).toEqual([
      ['allow', ['objects:versions', 'objects:purge'], [{ type: 'prefix', provider: 'main', bucket: 'b', prefix: '' }]],
    ]);
    expect(notes).toEqual([
      expect.stringContaining('`s3:ListBucketVersions` has no counterpart'),
      expect.stringContaining('`s3:RestoreObject` has no counterpart'),
    ]);
  });

  it('never answers otherwise than AWS, on random documents', () => {
    const action = fc.constantFrom(
      's3:*',
      '*',
      's3:Get*',
      's3:Get*Object',
      's3:?utObject',
      's3:getobject',
      's3:PutObject',
      's3:Delete*',
      's3:DeleteObject',
      's3:List*',
      's3:ListBucket',
      's3:ListAllMyBuckets',
      's3:*Bucket',
      's3:CreateBucket',
      's3:GetObjectVersion',
      's3:ListBucketVersions',
      's3:DeleteObjectVersion',
      's3:RestoreObject',
      's3:GetBucketLocation',
      's3:*Object',
      's3:**t',
    );
    const resource = fc.constantFrom(
      '*',
      'arn:aws:s3:::*',
      'arn:aws:s3:::*/*',
      'arn:aws:s3:::a',
      'arn:aws:s3:::a/*',
      'arn:aws:s3:::a/home*',
      'arn:aws:s3:::a/home/*',
      'arn:aws:s3:::a/home/x',
      'arn:aws:s3:::B/*',
      'arn:aws:s3:::ab',
    );
    const statements = fc.array(
      fc.record({
        Effect: fc.constantFrom('Allow' as const, 'Deny' as const),
        Action: fc.array(action, { minLength: 1, maxLength: 3 }),
        Resource: fc.array(resource, { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 4 },
    );
    const buckets = ['a', 'ab', 'b', 'B'];
    const keys = ['home', 'home/x', 'home/X', 'homework', 'x'];
    const answers = { yes: 0, no: 0 };
    fc.assert(
      fc.property(statements, fc.boolean(), (Statement, named) => {
        const document: SimpleDocument = { Version: '2012-10-17', Statement };
        const { rules, faults } = importIam(document, named ? 'main' : undefined, ['main']);
        expect(faults).toEqual([]);
        const grants = compileGrants([
          resolvePolicy({ name: 'p', source: 'iam', rules }, { subject: 'ada', groups: [] }),
        ]);
        for (const asked of ATOMIC_ACTIONS) {
          for (const bucket of buckets) {
            for (const key of keys) {
              const { allowed } = decide(grants, asked, resourceOf(asked, 'main', bucket, key));
              if (allowed !== awsAllows(document, asked, bucket, key))
                throw new Error(`${asked} on ${bucket}/${key}: ${allowed ? 'wider' : 'narrower'} than AWS`);
              answers[allowed ? 'yes' : 'no']++;
            }
          }
        }
      }),
      { numRuns: 250 },
    );
    expect(answers.yes).toBeGreaterThan(2000);
    expect(answers.no).toBeGreaterThan(2000);
  });
});

describe('importIam with the names of users and the prefixes of listings', () => {
  const listing = (members: object) =>
    statement({ Action: 's3:ListBucket', Resource: 'arn:aws:s3:::bucket', ...members });
  const like = (...values: string[]) => ({ Condition: { StringLike: { 's3:prefix': values } } });

  it('reads the folder of each user', () => {
    expect(imported(statement({ Resource: 'arn:aws:s3:::b/home/${aws:username}/*' }))).toEqual({
      rules: [
        {
          effect: 'allow',
          actions: ['objects:get'],
          resources: [{ type: 'prefix', provider: 'main', bucket: 'b', prefix: 'home/', each: 'subject' }],
        },
      ],
      faults: [],
      notes: [expect.stringContaining('stands for the subject of the person')],
    });
  });

  it.each([
    'b/home/${aws:username}',
    'b/home/${aws:username}*',
    'b/home-${aws:username}/*',
    'b/${aws:username}/docs/*',
    'b/home/${aws:userid}/*',
    'b/a*/${aws:username}/*',
    '${aws:username}/*',
    'b/${aws:username}/${aws:username}/*',
    'b/${*}/*',
  ])('refuses arn:aws:s3:::%s', (name) => {
    expect(refusal(statement({ Resource: `arn:aws:s3:::${name}` }))).toEqual(['variable at Statement.0.Resource']);
  });

  it.each([
    ['a deny', listing({ Effect: 'Deny', ...like('home/*') })],
    ['another action beside', listing({ Action: ['s3:ListBucket', 's3:GetObject'], ...like('home/*') })],
    ['all actions', listing({ Action: 's3:*', ...like('home/*') })],
    ['another key', listing({ Condition: { StringLike: { 'aws:UserAgent': 'x' } } })],
    ['another key beside', listing({ Condition: { StringLike: { 's3:prefix': 'home/*', 's3:delimiter': '/' } } })],
    ['another test', listing({ Condition: { StringNotLike: { 's3:prefix': 'home/*' } } })],
    [
      'another test beside',
      listing({ Condition: { StringLike: { 's3:prefix': 'home/*' }, Bool: { 'aws:SecureTransport': 'true' } } }),
    ],
    ['a test of lists', listing({ Condition: { 'ForAllValues:StringLike': { 's3:prefix': 'home/*' } } })],
    ['a wildcard inside', listing(like('home/*/x'))],
    ['a name that is not a folder', listing(like('home/${aws:username}'))],
    ['a name and a wildcard', listing(like('home/${aws:username}*'))],
    ['no value', listing({ Condition: { StringLike: { 's3:prefix': [] } } })],
    ['a number', listing({ Condition: { StringLike: { 's3:prefix': 1 } } })],
    ['every bucket', listing({ Resource: '*', ...like('home/*') })],
    ['nothing', listing({ Condition: {} })],
  ])('refuses a condition with %s', (_what, document) => {
    expect(refusal(document)).toEqual(['condition at Statement.0.Condition']);
    expect(imported(document).rules).toEqual([]);
  });

  it('lets the keys be listed that S3 would show for some prefix', () => {
    const keys = [
      '',
      'home',
      'home/',
      'home/x',
      'home/ada',
      'home/ada/',
      'home/ada/x',
      'home/adam/x',
      'homework',
      'pub/x',
      'p*',
      'p*x',
      'x',
    ];
    const value = fc.constantFrom(
      'home/*',
      'home/',
      'home',
      '',
      'home*',
      'home/${aws:username}/*',
      'home/${aws:username}/',
      'pub/*',
      'p*',
    );
    fc.assert(
      fc.property(
        fc.constantFrom('StringLike', 'StringEquals'),
        fc.array(value, { minLength: 1, maxLength: 3 }),
        (test, values) => {
          const usable = values.filter((text) => test === 'StringLike' || !text.includes('}/*'));
          if (usable.length === 0) return;
          const { rules, faults } = imported(listing({ Condition: { [test]: { 's3:prefix': usable } } }));
          expect(faults).toEqual([]);
          const grants = compileGrants([
            resolvePolicy({ name: 'p', source: 'iam', rules }, { subject: 'ada', groups: [] }),
          ]);
          const isAsked = (prefix: string) =>
            usable
              .map((text) => text.replaceAll('${aws:username}', 'ada'))
              .some((text) =>
                test === 'StringLike' && text.endsWith('*') ? prefix.startsWith(text.slice(0, -1)) : prefix === text,
              );
          for (const key of keys) {
            const isShown = Array.from({ length: key.length + 1 }, (_, i) => key.slice(0, i)).some(isAsked);
            expect([
              key,
              usable,
              decide(grants, 'objects:list', objectResource('main', 'bucket', key)).allowed,
            ]).toEqual([key, usable, isShown]);
          }
        },
      ),
    );
  });
});

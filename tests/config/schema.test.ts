import { describe, expect, it } from '@jest/globals';
import { configSchema } from '../../src/config/schema/schema.ts';
import { teamFileSchema } from '../../src/config/schema/policies.ts';

type Node = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly pattern?: string;
  readonly patternErrorMessage?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: boolean | Node;
  readonly items?: Node;
  readonly oneOf?: readonly Node[];
};

/** Every schema beneath, with its path. */
function everyNode(path: string, node: Node): [string, Node][] {
  return [
    [path, node],
    ...Object.entries(node.properties ?? {}).flatMap(([name, member]) => everyNode(`${path}.${name}`, member)),
    ...(node.items === undefined ? [] : everyNode(`${path}[]`, node.items)),
    ...(node.oneOf ?? []).flatMap((form, i) => everyNode(`${path}(${i})`, form)),
    ...(typeof node.additionalProperties === 'object' ? everyNode(`${path}.<name>`, node.additionalProperties) : []),
  ];
}

const nodes = everyNode('', configSchema);

describe('the schema of the configuration', () => {
  it('describes every key', () => {
    expect(nodes.length).toBeGreaterThan(100);
    expect(nodes.filter(([, { description = '' }]) => description.length < 5).map(([path]) => path)).toEqual([]);
  });

  it('says of every form what it is', () => {
    const formed = everyNode('team', teamFileSchema)
      .concat(nodes)
      .filter(([, { pattern }]) => pattern !== undefined);
    expect(formed.length).toBeGreaterThan(5);
    expect(
      formed
        .filter(([, { patternErrorMessage = '' }]) => !patternErrorMessage.startsWith('must '))
        .map(([path]) => path),
    ).toEqual([]);
  });

  it('takes no unknown key anywhere but in an IAM document, and where keys are names', () => {
    const open = nodes
      .filter(([, node]) => node.properties !== undefined || node.type === 'object')
      .filter(([, node]) => node.oneOf === undefined && node.additionalProperties !== false);
    expect(open.map(([path]) => path)).toEqual([
      '.providers[].owners',
      '.policy.policies[].iam',
      '.policies[].iam',
      '.team_files',
      '.roles',
    ]);
  });

  it('knows every key of the specification', () => {
    const paths = new Set(nodes.map(([path]) => path.slice(1).replaceAll('[]', '').replaceAll('.<name>', '')));
    const specified = [
      'auth.enabled',
      'auth.public_origin',
      'auth.oidc.issuer',
      'auth.oidc.client_id',
      'auth.oidc.client_secret',
      'auth.oidc.client_auth',
      'auth.oidc.scopes',
      'auth.oidc.groups_claim',
      'auth.oidc.redirect_uri',
      'auth.oidc.rp_initiated_logout',
      'auth.oidc.post_logout_redirect_uri',
      'auth.session.type',
      'auth.session.ttl_seconds',
      'auth.session.capacity',
      'auth.session.url',
      'auth.api_keys.capacity',
      'auth.bindings.groups',
      'auth.bindings.role',
      'auth.bindings.subjects',
      'auth.bindings.policies',
      'auth.local_users.subject',
      'auth.local_users.roles',
      'identity.subject_claim',
      'identity.groups_claim',
      'roles.policies',
      'policy.enabled',
      'policy.defaults',
      'policy.policies',
      'state.path',
      's3.port',
      's3.host',
      's3.public_endpoint',
      's3.region',
      's3.secret',
      's3.key_capacity',
      's3.max_lifetime_days',
      's3.max_days_since_sign_in',
      's3.web_identity',
      's3.max_session_seconds',
      'policies.version',
      'policies.name',
      'policies.rules.effect',
      'policies.rules.actions',
      'policies.rules.resources',
      'bindings.groups',
      'bindings.policies',
      'bindings.subjects.issuer',
      'bindings.subjects.subject',
      'server.host',
      'server.port',
      'server.trusted_proxies',
      'server.base_path',
      'server.rate_limit.sign_in_per_minute',
      'providers.name',
      'providers.type',
      'providers.endpoint',
      'providers.region',
      'providers.path_style',
      'providers.public_endpoint',
      'providers.buckets',
      'providers.credentials.access_key_id',
      'providers.credentials.secret_access_key',
      'providers.credentials.session_token',
    ];
    expect(specified.filter((path) => !paths.has(path))).toEqual([]);
  });
});

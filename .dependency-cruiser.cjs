/** Who may import whom. Each rule says why; `docs/architecture.md` shows the same as a picture. */
const folder = (name) => `^src/${name}/`;
const only = (name, allowed, why) => ({
  name: `${name}-imports`,
  comment: why,
  severity: 'error',
  from: { path: folder(name) },
  to: { path: '^src/', pathNot: [name, ...allowed].map(folder) },
});
const onlyIn = (pkg, places, why) => ({
  name: `${pkg.replace(/\W+/g, '-')}-stays-home`,
  comment: why,
  severity: 'error',
  from: { path: '^src/', pathNot: places },
  to: { path: `node_modules/(@types/)?${pkg}/` },
});

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle has no first page to read.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'policy-is-pure',
      comment:
        'The policy core is a pure function: no package and no Node module, so that it can be reasoned about and tested alone.',
      severity: 'error',
      from: { path: folder('policy') },
      to: { pathNot: folder('policy') },
    },
    only('errors', [], 'Everything throws these errors, so they can depend on nothing.'),
    only('log', [], 'Logging is a leaf: whatever logs must not be pulled in by it.'),
    only(
      'wire',
      ['policy'],
      'The wire shapes are shared with the browser and the command line; of the server they know policy types alone.',
    ),
    only('audit', ['bounds', 'policy', 'errors', 'log'], 'The audit is told what happened; it asks nobody.'),
    only('bounds', ['errors'], 'Bounds are kept everywhere, so they can depend on errors alone.'),
    only('secret', [], 'Secrets and seals are used everywhere, so they can depend on nothing.'),
    only(
      'config',
      ['policy', 'errors'],
      'Configuration is compiled before anything runs, so it knows no running part.',
    ),
    only(
      'signin',
      ['policy', 'errors', 'secret'],
      'Sign-in produces a verified identity; what becomes of it is not its business.',
    ),
    only('state', ['bounds', 'errors'], 'The state database is a store of rows; it does not know what they mean.'),
    only(
      'session',
      ['bounds', 'policy', 'errors', 'secret', 'state'],
      'Sessions hold an identity; who asks and what for is decided in access.',
    ),
    only(
      'apikey',
      ['policy', 'errors', 'secret', 'state'],
      'Keys hold an identity and a scope; who asks and what for is decided in access.',
    ),
    only(
      'access',
      ['policy', 'errors', 'secret', 'audit', 'session', 'apikey'],
      'Access joins credentials with policy, whatever the transport.',
    ),
    only('zip', [], 'An archive is made of names and bytes; whence they come is not its business.'),
    only(
      'storage',
      ['bounds', 'policy', 'errors', 'secret', 'zip'],
      'Storage does what it is told; the guard has already asked policy.',
    ),
    {
      name: 'without-policy-is-for-the-service-itself',
      comment:
        'What people ask for is opened by `storage.open`, after policy. Only what the service does for itself goes without.',
      severity: 'error',
      from: { path: '^src/', pathNot: [folder('doctor')] },
      to: { path: '^src/storage/without-policy.ts$' },
    },
    only(
      'thumbnail',
      ['bounds', 'errors'],
      'A thumbnail is made of bytes; whose they are, and who may see them, is decided before.',
    ),
    only(
      'operation',
      ['bounds', 'policy', 'errors', 'secret', 'audit', 'wire', 'session', 'apikey', 'access', 'storage', 'thumbnail'],
      'Operations are what the service can do, said once; they know no transport.',
    ),
    only(
      'upkeep',
      ['config', 'errors', 'state'],
      'Upkeep moves rows between state databases; it does not know what they mean.',
    ),
    only(
      'doctor',
      ['config', 'errors', 'audit', 'signin', 'state', 'storage'],
      'The doctor looks at what the service stands on; it starts nothing.',
    ),
    only(
      'http',
      [
        'bounds',
        'policy',
        'errors',
        'secret',
        'log',
        'audit',
        'wire',
        'config',
        'signin',
        'session',
        'access',
        'operation',
      ],
      'HTTP is a face: it maps names and bytes to operations, and never knows another face. It reaches storage by operations alone.',
    ),
    only(
      'rpc',
      ['bounds', 'errors', 'log', 'audit', 'wire', 'session', 'apikey', 'access', 'operation'],
      'RPC is a face beside HTTP: it maps messages to operations.',
    ),
    only(
      'transfer',
      ['wire'],
      'The engine for files runs in a browser and in Node: it reaches the service by a port, and each client brings its own.',
    ),
    {
      name: 'transfer-is-isomorphic',
      comment: 'What only Node has, or only a browser, comes in by a port.',
      severity: 'error',
      from: { path: folder('transfer') },
      to: { dependencyTypes: ['core'] },
    },
    only(
      'client',
      ['wire', 'transfer', 'config', 'errors', 'secret'],
      'What the command line and the desktop application share reaches the service over the wire, and asks no person anything.',
    ),
    only(
      'cli',
      ['client', 'wire', 'transfer', 'config', 'policy', 'errors', 'secret'],
      'The command line is a client: it reaches the service over the wire.',
    ),
    only(
      'desktop',
      ['client', 'wire', 'transfer', 'config', 'errors', 'secret'],
      'The desktop application is a client: its window shows the built UI, and nothing of the UI runs in its process.',
    ),
    only(
      'web',
      ['wire', 'transfer'],
      'The web UI is a client: it knows the wire shapes and the engine for files, and evaluates nothing.',
    ),
    {
      name: 'web-folders-have-no-circles',
      comment: 'A folder of the UI can be read, and changed, without those that build on it.',
      severity: 'error',
      scope: 'folder',
      from: { path: folder('web') },
      to: { circular: true },
    },
    onlyIn(
      'express',
      [folder('http')],
      'Express stays at the edge, so that use cases can be called without a request.',
    ),
    onlyIn('openid-client', [folder('signin')], 'One place knows how we talk to the identity provider.'),
    onlyIn('redis', [folder('state')], 'One place knows how we talk to Redis, and when it counts as gone.'),
    onlyIn('pg', [folder('state')], 'One place knows how we talk to PostgreSQL, and when it counts as gone.'),
    onlyIn(
      'sharp',
      ['^src/thumbnail/drawing.ts$'],
      'Only a process without secrets decodes the pictures of strangers.',
    ),
    onlyIn('@aws-sdk', [folder('storage')], 'One place knows how we talk to storage.'),
    {
      name: 'not-to-unresolvable',
      comment: 'An import that resolves to nothing fails at run time.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: ['\\?', '\\.css$'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};

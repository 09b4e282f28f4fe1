/** `npm run test:install`: lists the Debian packages that the system tests need and this machine lacks; with `--yes` it installs them, and enables and starts nothing. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const POLICY = '/usr/sbin/policy-rc.d';

type Requirement = {
  /** Debian's package. */
  readonly package: string;
  readonly needed: string;
  isThere(): boolean;
};

const REQUIREMENTS: readonly Requirement[] = [
  {
    package: 'chromium',
    needed: 'the tests of the desktop application',
    isThere: () => hasProgram('chromium', process.env['CHROMIUM_PATH']),
  },
  {
    package: 'chromium-headless-shell',
    needed: 'the browser tests',
    isThere: () => hasProgram('chromium-headless-shell', process.env['CHROMIUM_PATH']),
  },
  { package: 'redis-server', needed: 'the session store on Redis', isThere: () => hasProgram('redis-server') },
  {
    package: 'postgresql',
    needed: 'the state database on PostgreSQL',
    isThere: () =>
      readdirIfThere('/usr/lib/postgresql').some((version) =>
        existsSync(join('/usr/lib/postgresql', version, 'bin/postgres')),
      ),
  },
  { package: 'nginx', needed: 'the tests behind a reverse proxy', isThere: () => hasProgram('nginx') },
  { package: 'caddy', needed: 'the tests behind a reverse proxy', isThere: () => hasProgram('caddy') },
  { package: 'prometheus', needed: 'the alert rules and the dashboard', isThere: () => hasProgram('prometheus') },
  { package: 'openssl', needed: 'certificates of a private authority', isThere: () => hasProgram('openssl') },
  { package: 'rsyslog', needed: 'the audit that is sent to rsyslog', isThere: () => hasProgram('rsyslogd') },
  {
    package: 'rsyslog-openssl',
    needed: 'the audit that is sent to rsyslog',
    isThere: () =>
      readdirIfThere('/usr/lib').some((folder) => existsSync(join('/usr/lib', folder, 'rsyslog/lmnsd_ossl.so'))),
  },
  { package: 'glewlwyd', needed: 'sign-in with Glewlwyd', isThere: () => hasProgram('glewlwyd') },
  {
    package: 'lemonldap-ng-fastcgi-server',
    needed: 'sign-in with LemonLDAP::NG',
    isThere: () => hasProgram('llng-fastcgi-server'),
  },
  ...(
    [
      ['liblemonldap-ng-portal-perl', '/usr/share/lemonldap-ng/portal/htdocs/index.psgi'],
      ['libio-string-perl', '/usr/share/perl5/IO/String.pm'],
      ['libstring-random-perl', '/usr/share/perl5/String/Random.pm'],
      ['libgd-securityimage-perl', '/usr/share/perl5/GD/SecurityImage.pm'],
      ['libimage-magick-perl', '/usr/share/perl5/Image/Magick.pm'],
    ] as const
  ).map(([name, file]) => ({ package: name, needed: 'sign-in with LemonLDAP::NG', isThere: () => existsSync(file) })),
  ...['buildah', 'podman', 'runc'].map((name) => ({
    package: name,
    needed: 'the container image',
    isThere: () => hasProgram(name),
  })),
  {
    package: 'mmdebstrap',
    needed: 'the container image and the service under systemd',
    isThere: () => hasProgram('mmdebstrap'),
  },
  { package: 'docker-compose', needed: 'the compose file', isThere: () => hasProgram('docker-compose') },
  { package: 'golang-go', needed: 'the Helm chart', isThere: () => hasProgram('go') },
  ...(
    [
      ['golang-github-masterminds-sprig-dev', '/usr/share/gocode/src/github.com/Masterminds/sprig'],
      ['golang-k8s-sigs-yaml-dev', '/usr/share/gocode/src/sigs.k8s.io/yaml'],
    ] as const
  ).map(([name, folder]) => ({ package: name, needed: 'the Helm chart', isThere: () => existsSync(folder) })),
  ...(
    [
      ['radosgw', 'radosgw'],
      ['ceph-mon', 'ceph-mon'],
      ['ceph-osd', 'ceph-osd'],
      ['ceph-common', 'ceph'],
    ] as const
  ).map(([name, program]) => ({ package: name, needed: 'storage on Ceph', isThere: () => hasProgram(program) })),
  ...[
    ['rclone', 'rclone'],
    ['restic', 'restic'],
    ['s3cmd', 's3cmd'],
    ['duplicity', 'duplicity'],
    ['s3fs', 's3fs'],
    ['curl', 'curl'],
  ].map(([name = '', program = '']) => ({
    package: name,
    needed: 'the S3 endpoint with this tool',
    isThere: () => hasProgram(program),
  })),
  // An AWS CLI of other origin is newer than the one of Debian. Both are tested.
  { package: 'awscli', needed: 'the S3 endpoint with this tool', isThere: () => existsSync('/usr/bin/aws') },
  {
    package: 'python3-boto3',
    needed: 'the S3 endpoint with this library',
    isThere: () => spawnSync('/usr/bin/python3', ['-c', 'import boto3'], { stdio: 'ignore' }).status === 0,
  },
  { package: 'systemd-container', needed: 'the service under systemd', isThere: () => hasProgram('systemd-nspawn') },
  {
    package: 'xdg-utils',
    needed: 'the registration of the desktop application',
    isThere: () => hasProgram('xdg-mime'),
  },
  { package: 'xvfb', needed: 'the tests of the desktop application', isThere: () => hasProgram('Xvfb') },
  {
    package: 'fonts-noto-color-emoji',
    needed: 'emoji in the browser tests',
    isThere: () => hasFont('NotoColorEmoji.ttf'),
  },
];

const wanted = REQUIREMENTS.filter((requirement) => !requirement.isThere());
if (wanted.length === 0) say('everything that the system tests need is there.');
else if (process.argv.includes('--yes')) provide(wanted);
else list(wanted);

function list(requirements: readonly Requirement[]): void {
  for (const requirement of requirements)
    process.stdout.write(`${requirement.package.padEnd(38)} ${requirement.needed}\n`);
  say(
    'these Debian packages are missing; `npm run test:install -- --yes` installs them, and enables and starts nothing. What is missing is skipped.',
  );
}

function provide(requirements: readonly Requirement[]): void {
  const packages = requirements.map((requirement) => requirement.package);
  if (!hasProgram('apt-get')) {
    say(
      `this is not a Debian system. Install the counterparts of ${packages.join(' ')}; until then the tests that need them are skipped.`,
    );
    return;
  }
  const prefix = privilege();
  if (prefix === undefined) {
    say('this needs root: sudo npm run test:install -- --yes');
    process.exitCode = 1;
    return;
  }
  say(`installing ${packages.join(' ')} …`);
  // A mirror that is down for a moment leaves the old lists, which may well do.
  run([...prefix, 'apt-get', 'update', '-qq']);
  const before = unitFiles();
  const install = [
    'apt-get',
    'install',
    '-y',
    '-qq',
    '--no-install-recommends',
    '-o',
    'DPkg::Lock::Timeout=120',
    ...packages,
  ];
  const status = withoutStarting(prefix, () => run([...prefix, ...install]));
  const added = unitFiles().filter((unit) => !before.includes(unit));
  if (added.length > 0) run([...prefix, 'systemctl', 'disable', '--quiet', ...added]);
  const absent = requirements.filter((requirement) => !requirement.isThere());
  for (const requirement of absent)
    say(
      `\`${requirement.package}\` could not be installed (apt-get ended with ${status}); ${requirement.needed} will be skipped.`,
    );
}

/** The units that packages brought. Whoever installs a server on Debian gets it enabled; the tests start their own, on free ports. */
function unitFiles(): readonly string[] {
  return ['/usr/lib/systemd/system', '/lib/systemd/system']
    .flatMap(readdirIfThere)
    .filter((name) => /\.(?:service|socket|timer|path|target)$/.test(name) && !name.includes('@.'));
}

/** Debian asks this program before it starts a service; status 101 forbids it. One that is there already stays. */
function withoutStarting(prefix: readonly string[], install: () => number): number {
  if (existsSync(POLICY)) return install();
  spawnSync(
    prefix[0]!,
    [...prefix.slice(1), 'sh', '-c', `printf '#!/bin/sh\\nexit 101\\n' > ${POLICY} && chmod 755 ${POLICY}`],
    { stdio: 'ignore' },
  );
  try {
    return install();
  } finally {
    run([...prefix, 'rm', '-f', POLICY]);
  }
}

/** What to put before a command so that it runs as root; undefined when there is no way without a password. */
function privilege(): readonly string[] | undefined {
  const environment = ['env', 'DEBIAN_FRONTEND=noninteractive', 'SYSTEMD_OFFLINE=1'];
  if (process.getuid?.() === 0) return environment;
  if (hasProgram('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0)
    return ['sudo', '-n', ...environment];
  return undefined;
}

function run([program = '', ...args]: readonly string[]): number {
  return spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status ?? 1;
}

function hasProgram(name: string, elsewhere?: string): boolean {
  if (elsewhere !== undefined && existsSync(elsewhere)) return true;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => folder !== '' && isExecutable(join(folder, name)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readdirIfThere(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function hasFont(file: string): boolean {
  const folders = [
    '/usr/share/fonts',
    '/usr/local/share/fonts',
    join(homedir(), '.local/share/fonts'),
    '/System/Library/Fonts',
    '/Library/Fonts',
  ];
  return folders.some(
    (folder) =>
      existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith(file)),
  );
}

function say(message: string): void {
  process.stdout.write(`${message}\n`);
}

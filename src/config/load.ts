import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { configuredBuckets, type ConfiguredBuckets } from './compile/bucket-owners.ts';
import { checkShape } from './read/check.ts';
import { compileAudit } from './compile/compile-audit.ts';
import { compileAuth } from './compile/compile-auth.ts';
import { compilePolicy } from './compile/compile-policy.ts';
import { compileProxy } from './compile/compile-proxy.ts';
import { compileProviders, compileServer, type Overrides } from './compile/compile-server.ts';
import { compileS3 } from './compile/compile-s3.ts';
import { compileState } from './compile/compile-state.ts';
import { compileThumbnails } from './compile/compile-thumbnails.ts';
import { compileUi } from './compile/compile-ui.ts';
import { Faults, type ConfigFault, type Warn } from './read/fault.ts';
import { KnownNames } from './read/nearest.ts';
import { PolicyLines } from './compile/policy-lines.ts';
import { failedTests } from './compile/policy-tests.ts';
import { configSchema, type Config } from './schema/schema.ts';
import { SecretValues } from './read/secret-values.ts';
import type { Settings } from './read/settings.ts';
import { readTeamFiles, type TeamFile } from './read/team-files.ts';
import { substitute, type Environment } from './read/substitute.ts';
import { unreadable } from './read/regular-file.ts';
import { readYaml } from './read/yaml.ts';

export type LoadRequest = {
  /** Path of the configuration file. */
  readonly file: string;
  /** Texts to read instead of files, for the configuration or teams. Paths in them are relative to the replaced file. */
  readonly instead?: ReadonlyMap<string, string> | undefined;
  readonly env: Environment;
  readonly overrides?: Overrides;
};

/** Settings with warnings for the operator, or all faults. */
export type Loaded =
  | (Compiled & { readonly faults?: undefined })
  | {
      readonly faults: readonly ConfigFault[];
      /** The compiled configuration, when its only faults are failed cases of `policy.tests`. */ readonly untested?: Compiled;
      readonly settings?: undefined;
      readonly warnings?: undefined;
      readonly lines?: undefined;
    };

type Compiled = {
  readonly settings: Settings;
  readonly warnings: readonly ConfigFault[];
  readonly lines: PolicyLines;
};

const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Faults of a team's file beyond this number are not reported. */
const MAX_TEAM_FAULTS = 100;

/**
 * Reads, checks and compiles a configuration.
 *
 * Never throws because of the file's content: it returns all faults at once. Neither faults nor warnings contain a secret.
 */
export function loadSettings(request: LoadRequest): Loaded {
  const loaded = load(request, () => true);
  if (loaded.faults !== undefined) return loaded;
  const faults = failedTests(loaded.tests, loaded.settings.policy, loaded.buckets);
  return faults.length === 0
    ? loaded
    : { faults: faults.map((fault) => ({ ...fault, line: loaded.lineOf(fault.path) })), untested: loaded };
}

/** The policies of a configuration, and the issuer of its subjects; empty without one. */
export type LoadedPolicy =
  | {
      readonly policy: Settings['policy'];
      readonly issuer: string;
      readonly lines: PolicyLines;
      /** Files with policy cases. */ readonly tests: readonly string[];
      readonly buckets: readonly ConfiguredBuckets[];
      /** Whether people sign in, so that policies apply. */ readonly signIn: boolean;
      readonly faults?: undefined;
    }
  | {
      readonly faults: readonly ConfigFault[];
      readonly policy?: undefined;
      readonly issuer?: undefined;
      readonly lines?: undefined;
      readonly tests?: undefined;
      readonly buckets?: undefined;
      readonly signIn?: undefined;
    };

/** The keys that affect who may do what. */
const POLICY_KEY =
  /^(?:policy|policies|policies_dir|team_files|roles|bindings|auth\.(?:bindings|local_users|oidc\.issuer)|providers\.\d+\.name)(?:\.|$)/;

/**
 * Reads and checks a configuration only for its policies, without needing its secrets. Something missing outside of the file is a fault only if policies need
 * it.
 */
export function loadPolicy(request: LoadRequest): LoadedPolicy {
  const { settings, faults, lines, tests, buckets } = load(
    request,
    ({ path, outside }) => outside !== true || POLICY_KEY.test(path),
  );
  return settings === undefined
    ? { faults }
    : {
        policy: settings.policy,
        issuer: settings.policy.issuer ?? '',
        lines,
        tests,
        buckets,
        signIn: settings.auth.enabled,
      };
}

type WithTests =
  | (Compiled & {
      readonly tests: readonly string[];
      readonly buckets: readonly ConfiguredBuckets[];
      readonly lineOf: (path: string) => number | undefined;
      readonly faults?: undefined;
    })
  | (Extract<Loaded, { settings?: undefined }> & { readonly tests?: undefined; readonly buckets?: undefined });

function load({ file, instead, env, overrides = {} }: LoadRequest, counts: (fault: ConfigFault) => boolean): WithTests {
  const source = instead?.get(file) ?? readSource(file);
  if (typeof source !== 'string') return { faults: [source] };
  const yaml = readYaml(source);
  if (yaml.fault !== undefined) return { faults: [{ path: '', ...yaml.fault }] };

  const faults = new Faults();
  const warnings: ConfigFault[] = [];
  const secrets = new SecretValues();
  secrets.addMarked(configSchema, yaml.value);
  const directory = dirname(file);
  const { value, substituted, knownSecrets } = substitute(yaml.value, { env, directory, faults, secrets });
  secrets.addMarked(configSchema, value);
  const config = checkShape(value, substituted, faults);
  const warn: Warn = (path, message) => void warnings.push({ path, message });
  if (env['NODE_ENV'] === 'production')
    for (const [path, name] of knownSecrets)
      warn(path, `is the fallback that stands in the file itself; set \`${name}\``);
  const teams = config === undefined ? [] : readTeamFiles(config, { directory, instead, faults, warn });
  const settings =
    config === undefined
      ? undefined
      : compile(config, { file, teams, directory, env, overrides, substituted, faults, warn });
  const buckets = config === undefined ? [] : configuredBuckets(config, faults, warn);
  const placed = ({ path, message }: ConfigFault, team?: TeamFile): ConfigFault => ({
    path,
    message: secrets.hide(message),
    line: (team ?? yaml).lineOf(path),
    ...(team !== undefined && { file: team.file }),
  });
  const byLine = (found: readonly ConfigFault[]) => [...found].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const ofTeam = (team: TeamFile): ConfigFault[] => {
    const { list } = team.faults;
    const left = list.length - MAX_TEAM_FAULTS;
    const reported = byLine(list.slice(0, MAX_TEAM_FAULTS).map((fault) => placed(fault, team)));
    return left <= 0
      ? reported
      : [...reported, { path: '', file: team.file, message: `faults of this file that are not told: ${left} more` }];
  };
  const counted = [...byLine(faults.list.filter(counts).map((fault) => placed(fault))), ...teams.flatMap(ofTeam)];
  // When nothing could be compiled, all faults are reported, even those that would not count otherwise.
  if (config === undefined || settings === undefined)
    return { faults: counted.length > 0 ? counted : byLine(faults.list.map((fault) => placed(fault))) };
  if (counted.length > 0) return { faults: counted };
  const tests = config.policy.tests.map((name) => (isAbsolute(name) ? name : join(directory, name)));
  const placedWarnings = [
    ...warnings.map((warning) => placed(warning)),
    ...teams.flatMap((team) => team.warnings.map((warning) => placed(warning, team))),
  ];
  return {
    settings,
    warnings: placedWarnings,
    lines: new PolicyLines(config, file, yaml.lineOf, teams),
    tests,
    buckets,
    lineOf: yaml.lineOf,
  };
}

type Context = {
  readonly file: string;
  readonly teams: readonly TeamFile[];
  readonly directory: string;
  readonly env: Environment;
  readonly overrides: Overrides;
  readonly substituted: ReadonlySet<string>;
  readonly faults: Faults;
  readonly warn: Warn;
};

function compile(
  config: Config,
  { file, teams, directory, env, overrides, faults, warn, substituted }: Context,
): Settings {
  const server = compileServer(config, overrides, faults, warn);
  const providers = compileProviders(config, directory, faults, warn);
  const auth = compileAuth(config, { directory, env, server, faults, warn, substituted });
  if (server.workers !== 1 && auth.enabled && auth.session.type === 'memory')
    faults.add(
      'server.workers',
      'needs sessions that all workers know: set `auth.session.type` to `database` or `redis`',
      'auth.session.type',
    );
  const dots = new Map(providers.map(({ name, dotSegments }) => [name, dotSegments]));
  const policy = compilePolicy(config, teams, {
    file,
    directory,
    issuer: config.auth.oidc?.issuer ?? '',
    providers: new KnownNames(providers.map(({ name }) => name)),
    dotsOf: (provider) => dots.get(provider) ?? 'refuse',
    faults,
    warn,
  });
  if (auth.enabled && policy.enabled && policy.bindings.length === 0 && policy.localUsers.length === 0) {
    warn('', 'nobody is bound to a role or policy: everyone who signs in sees nothing; see `bindings`');
  }
  const state = compileState(config, { directory, faults, warn });
  const proxy = compileProxy(env, faults);
  return {
    server,
    auth,
    policy,
    providers,
    s3: compileS3(config, { env, server, faults, warn, substituted }),
    proxy,
    state,
    thumbnails: compileThumbnails(config, directory, state),
    ui: compileUi(config, directory, faults),
    audit: compileAudit(config, { directory, proxy, faults, warn }),
    log: config.log,
  };
}

function readSource(file: string): string | ConfigFault {
  try {
    if (statSync(file).size > MAX_FILE_BYTES) return { path: '', message: 'the file is larger than 8 MiB' };
    return readFileSync(file, 'utf8');
  } catch (error) {
    return { path: '', message: `the file ${unreadable(error)}` };
  }
}

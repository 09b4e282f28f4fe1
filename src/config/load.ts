import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { checkShape } from './check.ts';
import { compileAuth } from './compile-auth.ts';
import { compilePolicy } from './compile-policy.ts';
import { compileProviders, compileServer, type Overrides } from './compile-server.ts';
import { Faults, type ConfigFault } from './fault.ts';
import type { Settings } from './settings.ts';
import { substitute, type Environment } from './substitute.ts';
import { readYaml, type YamlFile } from './yaml.ts';

export type LoadRequest = {
  /** Path of the configuration file. */
  readonly file: string;
  readonly env: Environment;
  readonly overrides?: Overrides;
};

/** Settings with warnings for the operator, or everything that is wrong. */
export type Loaded =
  | { readonly settings: Settings; readonly warnings: readonly string[]; readonly faults?: undefined }
  | { readonly faults: readonly ConfigFault[]; readonly settings?: undefined };

const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Reads, checks and compiles a configuration. Never throws for what the file says: all of its faults come back at once. */
export function loadSettings({ file, env, overrides = {} }: LoadRequest): Loaded {
  const source = readFile(file);
  if (typeof source !== 'string') return { faults: [source] };
  let yaml: YamlFile;
  try {
    yaml = readYaml(source);
  } catch (error) {
    return { faults: [{ path: '', message: error instanceof Error ? error.message : 'not valid YAML' }] };
  }
  const faults = new Faults();
  const warnings: string[] = [];
  const filled = substitute(yaml.value, env, faults);
  const config = checkShape(filled.value, filled.substituted, faults);
  if (config === undefined) return { faults: placed(faults, yaml) };

  const warn = (message: string) => void warnings.push(message);
  const server = compileServer(config, overrides, faults);
  const providers = compileProviders(config, faults);
  const auth = compileAuth(config, { env, server, faults, warn });
  const policy = compilePolicy(config, { file, issuer: config.auth?.oidc?.issuer ?? '', providers: providers.map(({ name }) => name), faults, warn });
  if (auth.enabled && policy.enabled && policy.bindings.length === 0 && policy.localUsers.length === 0) {
    warn('nobody is bound to a role or policy: everyone who signs in sees nothing; see `bindings`');
  }
  if (faults.any) return { faults: placed(faults, yaml) };
  return {
    settings: {
      server,
      auth,
      policy,
      providers,
      statePath: config.state === undefined ? undefined : resolve(dirname(file), config.state.path),
      log: { level: config.log?.level ?? 'info', format: config.log?.format ?? 'text' },
    },
    warnings,
  };
}

function readFile(file: string): string | ConfigFault {
  try {
    if (statSync(file).size > MAX_FILE_BYTES) return { path: '', message: 'the file is larger than 8 MiB' };
    return readFileSync(file, 'utf8');
  } catch {
    return { path: '', message: 'the file cannot be read; give its path with `--config`' };
  }
}

function placed(faults: Faults, yaml: YamlFile): ConfigFault[] {
  return faults.list.map((fault) => ({ ...fault, line: yaml.lineOf(fault.path) })).sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

import { usageFault } from '../terminal/cli-failure.ts';
import { CONFIG_FILE, configFailure } from '../argument/config-option.ts';
import type { AuditPlace, Edge } from '../terminal/edge.ts';

export type AuditPlaceOptions = { readonly config: string; readonly key?: readonly string[] };

/** The argument and option that name the audit. */
export const FOLDER = ['[folder]', 'the folder of the audit; default: that of the configuration'] as const;
export const CONFIG = ['-c, --config <file>', 'the configuration that names the audit', CONFIG_FILE] as const;

const PUBLIC_KEY = /^[A-Za-z0-9_-]{43}$/;

/** The folder of the audit, and the public keys whose signatures are trusted. */
export async function auditPlaceOf(
  folder: string | undefined,
  { config, key }: AuditPlaceOptions,
  edge: Edge,
): Promise<AuditPlace> {
  for (const one of key ?? [])
    if (!PUBLIC_KEY.test(one))
      throw usageFault(`\`${one}\` is no public key of 43 characters, as \`svc audit verify\` prints it`);
  if (folder !== undefined && key !== undefined) return { path: folder, keys: key };
  const [{ loadSettings }, { auditPlace }] = await Promise.all([import('../../config/load.ts'), edge.audit()]);
  const loaded = loadSettings({ file: config, env: edge.env });
  if (loaded.faults !== undefined) {
    throw configFailure(
      config,
      loaded.faults,
      folder === undefined ? undefined : ['without a configuration, give the public key of the audit with `--key`'],
    );
  }
  const { audit } = loaded.settings;
  if (audit === undefined)
    throw usageFault(`\`${config}\` keeps no audit in files; set \`audit.path\`, or name a folder and \`--key\``);
  const place = auditPlace(audit);
  return { path: folder ?? place.path, keys: [...place.keys, ...(key ?? [])] };
}

export function noLineIn(path: string): string {
  return `\`${path}\` contains no audit lines: the first one is written at the first sign-in or request. If there was one, the files were removed or the service writes to another folder`;
}

import { usageFault } from './cli-failure.ts';
import { CONFIG_FILE, configFailure } from './config-option.ts';
import type { AuditPlace, Edge } from './edge.ts';

export type AuditPlaceOptions = { readonly config: string; readonly key?: readonly string[] };

/** What names the audit on the command line. */
export const FOLDER = ['[folder]', 'the audit; without it the one of the configuration'] as const;
export const CONFIG = ['-c, --config <file>', 'the configuration that names the audit', CONFIG_FILE] as const;

/** Where the audit is, and whose signatures count. */
export async function auditPlaceOf(folder: string | undefined, { config, key }: AuditPlaceOptions, edge: Edge): Promise<AuditPlace> {
  if (folder !== undefined && key !== undefined) return { path: folder, keys: key };
  const [{ loadSettings }, { auditPlace }] = await Promise.all([import('../config/load.ts'), edge.audit()]);
  const loaded = loadSettings({ file: config, env: edge.env });
  if (loaded.faults !== undefined) {
    throw configFailure(config, loaded.faults, folder === undefined ? undefined : ['without a configuration, give the public key of the audit with `--key`']);
  }
  const { audit } = loaded.settings;
  if (audit === undefined) throw usageFault(`\`${config}\` keeps no audit in files; set \`audit.path\`, or name a folder and \`--key\``);
  const place = auditPlace(audit);
  return { path: folder ?? place.path, keys: [...place.keys, ...(key ?? [])] };
}

export function noLineIn(path: string): string {
  return `\`${path}\` holds no line of an audit: the first one is written when somebody signs in or asks for something; where that has happened, it was taken away, or the service writes elsewhere`;
}

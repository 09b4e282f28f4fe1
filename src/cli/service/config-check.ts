import { faultLine } from '../../config/read/fault.ts';
import { loadSettings } from '../../config/load.ts';
import { policyWarnings } from '../../config/compile/policy-warnings.ts';
import type { Environment } from '../../config/read/substitute.ts';
import { count, visible } from '../terminal/text.ts';

export type Output = { readonly print: (line: string) => void; readonly printError: (line: string) => void };

/**
 * Checks a configuration without starting anything: `svc config check FILE`.
 *
 * Prints what to register with the identity provider, or every fault, and warnings about probable mistakes, one per line. No secret is printed.
 *
 * @returns exit status: 0, or 2 when there are faults.
 */
export function configCheck(file: string, env: Environment, { print, printError }: Output): 0 | 2 {
  const loaded = loadSettings({ file, env });
  for (const fault of loaded.faults ?? []) printError(faultLine(file, fault));
  const compiled = loaded.faults === undefined ? loaded : loaded.untested;
  const warnings =
    compiled === undefined ? [] : [...compiled.warnings, ...policyWarnings(compiled.settings, compiled.lines)];
  for (const warning of warnings) printError(`warning: ${faultLine(file, warning)}`);
  if (loaded.faults !== undefined) return 2;
  const { settings } = loaded;
  print(visible(`${file} is fine${warnings.length === 0 ? '' : `, with ${count(warnings.length, 'warning')}`}`));
  const { enabled, publicOrigin, oidc } = settings.auth;
  if (!enabled) print('sign-in is off: everyone who can connect may do everything');
  else print(`people open ${publicOrigin}${settings.server.basePath}/`);
  if (oidc !== undefined) {
    print(`register this redirect URI with ${oidc.issuer}:`);
    print(`  ${oidc.redirectUri}`);
    if (oidc.rpInitiatedLogout) {
      print('and, for signing out:');
      print(`  ${oidc.postLogoutRedirectUri}`);
    }
  }
  if (settings.server.port === 0) print('port 0 stands for the one that `svc serve` gets, and prints');
  return 0;
}

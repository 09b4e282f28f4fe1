import type { Faults } from '../read/fault.ts';
import type { ProxySettings } from '../read/settings.ts';
import type { Environment } from '../read/substitute.ts';

/** Hosts that are always reached directly, because they mean this machine and not the proxy's. */
const NEVER = 'localhost,127.0.0.1,[::1]';

/**
 * The proxies that the environment names, read as by curl and others: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case.
 *
 * @returns undefined when it names none.
 */
export function compileProxy(env: Environment, faults: Faults): ProxySettings | undefined {
  const http = proxyUrl('HTTP_PROXY', env, faults);
  const https = proxyUrl('HTTPS_PROXY', env, faults);
  if (http === undefined && https === undefined) return undefined;
  const except = valueOf('NO_PROXY', env);
  return { http, https, except: except === undefined ? NEVER : `${except},${NEVER}` };
}

function proxyUrl(name: string, env: Environment, faults: Faults): string | undefined {
  const value = valueOf(name, env);
  if (value === undefined) return undefined;
  const url = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href;
  faults.add(name, 'in the environment must be the URL of an HTTP proxy, such as `http://proxy.example.com:3128`');
  return undefined;
}

function valueOf(name: string, env: Environment): string | undefined {
  const value = (env[name.toLowerCase()] ?? env[name])?.trim();
  return value === '' ? undefined : value;
}

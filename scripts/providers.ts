/** `node scripts/providers.ts glewlwyd|lemonldap`: the service with this identity provider of Debian, to be tried in a browser. Ctrl-C ends both. */
import { once } from 'node:events';
import { PROVIDERS, startWithProvider, type ProviderName } from './providers/start.ts';

const name = process.argv[2] ?? '';
if (!Object.hasOwn(PROVIDERS, name)) {
  console.error(`name an identity provider: ${Object.keys(PROVIDERS).join(' or ')}`);
  process.exit(2);
}
const { title, missing } = PROVIDERS[name as ProviderName];
if (missing.length > 0) {
  console.error(`this machine has no ${missing.join(' and no ')}`);
  process.exit(1);
}
const tried = await startWithProvider(name as ProviderName);
const { url, issuer, person } = tried;
console.log(`open ${url}\n${title} is ${issuer}; sign in there as \`${person.username}\` with \`${person.password}\``);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await tried.close();

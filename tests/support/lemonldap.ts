import { generateKeyPairSync } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { freePorts } from './free-port.ts';
import { missingPrograms, Programs } from './programs.ts';
import { AWKWARD_SECRET, type RealProvider } from './real-provider.ts';
import { Visitor } from './visitor.ts';

const PAGES = '/usr/share/lemonldap-ng/portal/htdocs';
/** One of the program's own demonstration people. */
const PERSON = { user: 'dwho', password: 'dwho' };

export const missingForLemonldap = missingPrograms(
  'llng-fastcgi-server',
  'nginx',
  `${PAGES}/index.psgi`,
  '/usr/share/perl5/IO/String.pm',
  '/usr/share/perl5/String/Random.pm',
  '/usr/share/perl5/GD/SecurityImage.pm',
  '/usr/share/perl5/Image/Magick.pm',
);

/** Starts Debian's LemonLDAP::NG on loopback, behind nginx: one confidential client that has to use PKCE, and nobody is asked for consent. */
export async function startLemonldap(
  redirectUris: readonly string[],
  postLogoutUris: readonly string[] = [],
): Promise<RealProvider> {
  const programs = await Programs.open('lemonldap');
  try {
    const { directory } = programs;
    const [port = 0] = await freePorts(1);
    const origin = `http://127.0.0.1:${port}`;
    const account = accountToRunAs();
    for (const folder of [
      'conf',
      'cache',
      'sessions',
      'sessions/lock',
      'psessions',
      'psessions/lock',
      'run',
      'nginx',
    ]) {
      await mkdir(join(directory, folder));
      await chown(join(directory, folder), account.uid, account.gid);
    }
    await writeFile(join(directory, 'lemonldap-ng.ini'), portalFile(directory));
    await writeFile(
      join(directory, 'conf/lmConf-1.json'),
      JSON.stringify(configuration(directory, origin, { redirectUris, postLogoutUris })),
    );
    await chown(join(directory, 'conf/lmConf-1.json'), account.uid, account.gid);
    await writeFile(join(directory, 'nginx.conf'), nginxFile(directory, port, account.name));
    programs.start(
      'llng-fastcgi-server',
      'llng-fastcgi-server',
      [
        '--foreground',
        '-u',
        account.name,
        '-g',
        account.group,
        '-s',
        `${directory}/run/portal.sock`,
        '-p',
        `${directory}/run/portal.pid`,
        '-n',
        '1',
      ],
      {
        LLNG_DEFAULTCONFFILE: `${directory}/lemonldap-ng.ini`,
        LLNG_DEFAULTLOGGER: 'Lemonldap::NG::Common::Logger::Std',
      },
    );
    programs.start('nginx', 'nginx', ['-e', 'stderr', '-p', `${directory}/nginx`, '-c', `${directory}/nginx.conf`]);
    await programs.until('lemonldap', async () => {
      const keys = await fetch(`${origin}/oauth2/jwks`);
      return (await keys.text()).includes('"k1"');
    });
    return {
      issuer: `${origin}/`,
      clientSecret: AWKWARD_SECRET,
      scopes: ['openid', 'profile', 'email'],
      person: {
        subject: PERSON.user,
        groups: ['timelords', 'users'],
        username: PERSON.user,
        password: PERSON.password,
      },
      visit: (url) => visit(origin, url),
      close: () => programs.stop(),
    };
  } catch (error) {
    await programs.stop();
    throw error;
  }
}

type Account = { readonly name: string; readonly group: string; readonly uid: number; readonly gid: number };

/** It does not run as root. */
function accountToRunAs(): Account {
  const name = process.getuid?.() === 0 ? 'www-data' : idOf('-un');
  return { name, group: idOf('-gn', name), uid: Number(idOf('-u', name)), gid: Number(idOf('-g', name)) };
}

function idOf(...args: readonly string[]): string {
  return spawnSync('id', args, { encoding: 'utf8' }).stdout.trim();
}

function portalFile(directory: string): string {
  return `[all]
logLevel = warn
logger = Lemonldap::NG::Common::Logger::Std
[configuration]
type = File
dirName = ${directory}/conf
localStorage = Cache::FileCache
localStorageOptions = { 'namespace' => 'lemonldap-ng-config', 'default_expires_in' => 600, 'directory_umask' => '007', 'cache_root' => '${directory}/cache', 'cache_depth' => 3 }
[portal]
staticPrefix = /static
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
[handler]
status = 0
`;
}

function configuration(
  directory: string,
  origin: string,
  {
    redirectUris,
    postLogoutUris,
  }: { readonly redirectUris: readonly string[]; readonly postLogoutUris: readonly string[] },
): Record<string, unknown> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const cache = {
    namespace: 'lemonldap-ng-sessions',
    default_expires_in: 600,
    cache_root: `${directory}/cache`,
    cache_depth: 3,
    directory_umask: '007',
  };
  return {
    cfgNum: 1,
    cfgAuthor: 'test',
    cfgDate: 1,
    portal: `${origin}/`,
    domain: '127.0.0.1',
    cookieName: 'lemonldap',
    securedCookie: 0,
    authentication: 'Demo',
    userDB: 'Same',
    passwordDB: 'Demo',
    registerDB: 'Null',
    portalSkin: 'bootstrap',
    portalDisplayRegister: 0,
    timeout: 72_000,
    demoExportedVars: { cn: 'cn', mail: 'mail', uid: 'uid' },
    whatToTrace: 'uid',
    globalStorage: 'Apache::Session::File',
    globalStorageOptions: {
      Directory: `${directory}/sessions`,
      LockDirectory: `${directory}/sessions/lock`,
      generateModule: 'Lemonldap::NG::Common::Apache::Session::Generate::SHA256',
    },
    persistentStorage: 'Apache::Session::File',
    persistentStorageOptions: { Directory: `${directory}/psessions`, LockDirectory: `${directory}/psessions/lock` },
    localSessionStorage: 'Cache::FileCache',
    localSessionStorageOptions: cache,
    locationRules: { '127.0.0.1': { default: 'accept' } },
    exportedHeaders: {},
    issuerDBOpenIDConnectActivation: 1,
    issuerDBOpenIDConnectPath: '^/oauth2/',
    issuerDBOpenIDConnectRule: 1,
    oidcServiceMetaDataIssuer: `${origin}/`,
    oidcServiceAllowAuthorizationCodeFlow: 1,
    oidcServiceKeyIdSig: 'k1',
    oidcServicePrivateKeySig: privateKey,
    oidcServicePublicKeySig: publicKey,
    oidcRPMetaDataExportedVars: {
      svc: { name: 'cn', email: 'mail', preferred_username: 'uid', groups: 'groups;string;always' },
    },
    oidcRPMetaDataOptionsExtraClaims: { svc: { profile: 'name preferred_username groups' } },
    oidcRPMetaDataOptions: {
      svc: {
        oidcRPMetaDataOptionsClientID: 'svc',
        oidcRPMetaDataOptionsClientSecret: AWKWARD_SECRET,
        oidcRPMetaDataOptionsPublic: 0,
        oidcRPMetaDataOptionsRequirePKCE: 1,
        oidcRPMetaDataOptionsBypassConsent: 1,
        oidcRPMetaDataOptionsIDTokenForceClaims: 1,
        oidcRPMetaDataOptionsIDTokenSignAlg: 'RS256',
        oidcRPMetaDataOptionsRedirectUris: redirectUris.join(' '),
        oidcRPMetaDataOptionsPostLogoutRedirectUris: postLogoutUris.join(' '),
        oidcRPMetaDataOptionsLogoutBypassConfirm: 1,
      },
    },
  };
}

function nginxFile(directory: string, port: number, user: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${directory}/nginx/${kind};`)
    .join(' ');
  return `${process.getuid?.() === 0 ? `user ${user};` : ''} worker_processes 1; daemon off; pid ${directory}/nginx/pid; error_log stderr;
events { worker_connections 256; }
http {
  include /etc/nginx/mime.types; access_log off; ${temporary}
  server {
    listen 127.0.0.1:${port}; server_name 127.0.0.1; root ${PAGES};
    if ($uri !~ ^/((static|javascript|favicon).*|.*\\.psgi)) { rewrite ^/(.*)$ /index.psgi/$1 break; }
    location ~ ^(?<sc>/.*\\.psgi)(?:$|/) {
      include /etc/nginx/fastcgi_params;
      fastcgi_pass unix:${directory}/run/portal.sock;
      fastcgi_param HTTP_HOST $http_host;
      fastcgi_param LLTYPE psgi;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_split_path_info ^(.*\\.psgi)(/.*)$;
      fastcgi_param PATH_INFO $fastcgi_path_info;
    }
  }
}
`;
}

async function visit(origin: string, authorizationUrl: string): Promise<string> {
  const visitor = new Visitor();
  const page = await (await visitor.request(authorizationUrl)).text();
  const hidden = (name: string): string => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(page)?.[1] ?? '';
  await visitor.request(`${origin}/oauth2`, {
    method: 'POST',
    body: new URLSearchParams({ ...PERSON, url: hidden('url'), token: hidden('token') }),
  });
  return (await visitor.request(`${origin}/oauth2`)).headers.get('location') ?? '';
}

import type { DotSegments } from '../../policy/model/name.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';

/** The normalised configuration. The rest of the service reads these settings and never the file. Names of times and sizes contain their unit. */
export type Settings = {
  readonly server: ServerSettings;
  readonly auth: AuthSettings;
  readonly policy: PolicySetDefinition;
  readonly providers: readonly StorageProviderSettings[];
  /** The S3 endpoint; undefined without one. */
  readonly s3: S3Settings | undefined;
  /** The proxies to the identity provider and storage; undefined for direct connections. */
  readonly proxy: ProxySettings | undefined;
  /** The state database; undefined without one. */
  readonly state: StateSettings | undefined;
  /** Undefined when thumbnails are turned off. `path` is absolute; undefined for a temporary folder. */
  readonly thumbnails: { readonly path: string | undefined; readonly maxBytes: number } | undefined;
  readonly ui: UiSettings;
  /** Undefined when the audit is only in the log. */
  readonly audit: AuditSettings | undefined;
  readonly log: { readonly level: 'error' | 'warn' | 'info' | 'debug'; readonly format: 'json' | 'text' };
};

/** `path` is absolute. */
export type StateSettings = { readonly type: 'sqlite'; readonly path: string } | PostgresSettings;

export type PostgresSettings = {
  readonly type: 'postgres';
  /** The server that accepts changes is used. */
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  /** Never printed. */
  readonly password: string | undefined;
  /** Absolute path of a file with the password, instead of `password`. */
  readonly passwordFile: string | undefined;
  readonly database: string;
  /** Undefined for a connection without TLS. */
  readonly tls: ClientTls | undefined;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
};

export type AuditSettings = {
  /** Absolute path of the folder. */
  readonly path: string;
  /** Undefined for the host name. */
  readonly instance: string | undefined;
  /** Never printed. */
  readonly signingSecret: string;
  readonly formerKeys: readonly string[];
  readonly reads: 'all' | 'none';
  readonly activity: 'all' | 'changes' | 'off';
  readonly required: boolean;
  readonly retentionMs: number | undefined;
  readonly segmentBytes: number;
  /** The destinations of the lines. */
  readonly sinks: readonly AuditSinkSettings[];
};

export type AuditSinkSettings = {
  readonly name: string;
  readonly target:
    | {
        readonly type: 'http';
        readonly url: string;
        /** Values may be secret and are never printed. */
        readonly headers: Readonly<Record<string, string>>;
        /** Never printed. */
        readonly signingSecret: string | undefined;
        readonly tls: ClientTls;
        readonly proxy: ProxySettings | undefined;
      }
    | {
        readonly type: 'syslog';
        readonly host: string;
        readonly port: number;
        /** Undefined for a connection without TLS. */
        readonly tls: ClientTls | undefined;
        /** Number of the syslog facility (RFC 5424). */
        readonly facility: number;
      };
  readonly timeoutMs: number;
  readonly spoolBytes: number;
  /** Undefined for every line. */
  readonly only:
    | {
        readonly operations?: readonly string[] | undefined;
        readonly outcomes?: readonly string[] | undefined;
        readonly places?: readonly string[] | undefined;
      }
    | undefined;
};

export type UiSettings = {
  readonly name: string;
  readonly logo: { readonly type: 'image/svg+xml' | 'image/png'; readonly content: Buffer } | undefined;
  /** `#rrggbb` */
  readonly accent: string | undefined;
  readonly help: { readonly text: string; readonly url: string } | undefined;
  readonly banner: { readonly text: string; readonly kind: 'info' | 'warning' } | undefined;
};

export type ProxySettings = {
  /** URLs of the proxies for HTTP and HTTPS. They may contain credentials and are never printed. */
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Comma-separated names, addresses and domains that are reached directly. */
  readonly except: string;
};

export type ServerSettings = {
  readonly host: string;
  readonly port: number;
  /** Empty, or such as `/files`, without a slash at the end. */
  readonly basePath: string;
  /** Addresses and CIDRs. */
  readonly trustedProxies: readonly string[];
  /** For each client address; 0 turns the limit off. */
  readonly signInPerMinute: number;
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** The number of processes that answer requests; `auto` for one for each processor. */
  readonly workers: number | 'auto';
  /** Whether SIGHUP reloads policies and providers; otherwise it stops the service. */
  readonly reload: 'off' | 'on_signal';
};

export type AuthSettings = {
  readonly enabled: boolean;
  /** Scheme, host and port, without a slash at the end. */
  readonly publicOrigin: string;
  /** Undefined when only local users sign in, or sign-in is off. */
  readonly oidc: OidcSettings | undefined;
  readonly localUsers: readonly {
    readonly issuer: string;
    readonly subject: string;
    readonly roles: readonly string[];
  }[];
  readonly session: {
    readonly type: 'memory' | 'database' | 'redis';
    readonly ttlSeconds: number;
    readonly capacity: number;
    /** Maximum number of sessions of one person. */
    readonly perSubject: number;
    /** Undefined for other types. */
    readonly redis: RedisSettings | undefined;
  };
  /** The first secret signs; every secret verifies. Each has 32 bytes or more. */
  readonly sessionSecrets: readonly string[];
  readonly apiKeys: { readonly capacity: number; readonly perSubject: number } | undefined;
};

export type S3Settings = {
  readonly host: string;
  readonly port: number;
  /** Scheme, host and port, without a slash at the end. */
  readonly publicEndpoint: string;
  readonly region: string;
  /** The secrets of keys are derived from the first; keys of every secret verify. Each has 32 bytes or more. */
  readonly secrets: readonly string[];
  /** Maximum number of keys of all people. */
  readonly keyCapacity: number;
  readonly maxLifetimeDays: number;
  /** 0 when keys do not rest. */
  readonly maxDaysSinceSignIn: number;
  /** The issuers whose tokens give temporary credentials. `groupsClaim` is a dotted path. */
  readonly webIdentity: readonly {
    readonly issuer: string;
    readonly audience: string;
    readonly groupsClaim: string | undefined;
  }[];
  /** Maximum lifetime of temporary credentials. */
  readonly maxSessionSeconds: number;
};

export type RedisSettings = ClientTls & {
  /** Contains credentials and is never printed. */
  readonly url: string;
  readonly sentinel:
    { readonly name: string; readonly username: string | undefined; readonly password: string | undefined } | undefined;
  readonly cluster: boolean;
};

export type OidcSettings = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly clientAuth: 'basic' | 'post' | 'none';
  readonly scopes: readonly string[];
  /** A dotted path; `\.` is a literal dot. The same holds for `groupsClaim`. */
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  /** The exact URI to register with the provider. */
  readonly redirectUri: string;
  /** The `prompt` of a desktop login; `login` makes the person authenticate again. */
  readonly desktopPrompt: 'login' | 'select_account' | 'consent' | 'none';
  readonly rpInitiatedLogout: boolean;
  readonly postLogoutRedirectUri: string;
  /** All trusted certificates, in PEM; undefined for those of Node. */
  readonly ca: readonly string[] | undefined;
};

export type StorageProviderSettings = {
  readonly name: string;
  readonly type: 's3';
  readonly endpoint: string;
  readonly region: string;
  readonly pathStyle: boolean;
  readonly dotSegments: DotSegments;
  readonly publicEndpoint: string | undefined;
  readonly buckets: readonly string[] | undefined;
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken: string | undefined }
    | undefined;
  /** All trusted certificates, in PEM; undefined for those of Node. */
  readonly ca: readonly string[] | undefined;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
};

export type ClientTls = {
  /** All trusted certificates, in PEM; undefined for those of Node. */
  readonly ca: readonly string[] | undefined;
  /** The service's client certificate, in PEM. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
};

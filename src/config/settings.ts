import type { DotSegments } from '../policy/name.ts';
import type { PolicySetDefinition } from '../policy/policy-set.ts';
import type { ClientTls } from './compile-tls.ts';

/** The normalised configuration. The rest of the service reads these settings and never the file. Times and sizes carry their unit in the name. */
export type Settings = {
  readonly server: ServerSettings;
  readonly auth: AuthSettings;
  readonly policy: PolicySetDefinition;
  readonly providers: readonly StorageProviderSettings[];
  /** The way to the identity provider and to storage; undefined when it is direct. */
  readonly proxy: ProxySettings | undefined;
  /** The state database; undefined without one. */
  readonly state: StateSettings | undefined;
  /** Undefined when they are turned off. `path` is absolute; undefined for a temporary folder. */
  readonly thumbnails: { readonly path: string | undefined; readonly maxBytes: number } | undefined;
  readonly ui: UiSettings;
  /** Undefined where the log holds the audit. */
  readonly audit: AuditSettings | undefined;
  readonly log: { readonly level: 'error' | 'warn' | 'info' | 'debug'; readonly format: 'json' | 'text' };
};

/** `path` is absolute. */
export type StateSettings = { readonly type: 'sqlite'; readonly path: string } | PostgresSettings;

export type PostgresSettings = {
  readonly type: 'postgres';
  /** The one of them that takes changes is used. */
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  /** Never printed. */
  readonly password: string | undefined;
  /** Absolute path of a file with the password, in place of `password`. */
  readonly passwordFile: string | undefined;
  readonly database: string;
  /** Undefined for a connection without TLS. */
  readonly tls: ClientTls | undefined;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
};

export type AuditSettings = {
  /** Absolute. */
  readonly path: string;
  /** Undefined for the name of the machine. */
  readonly instance: string | undefined;
  /** Never printed. */
  readonly signingSecret: string;
  readonly formerKeys: readonly string[];
  readonly reads: 'all' | 'none';
  readonly required: boolean;
  readonly retentionMs: number | undefined;
  readonly segmentBytes: number;
  /** Where the lines are sent to. */
  readonly sinks: readonly AuditSinkSettings[];
};

export type AuditSinkSettings = {
  readonly name: string;
  readonly target:
    | {
        readonly type: 'http';
        readonly url: string;
        /** Values may be secret: never printed. */
        readonly headers: Readonly<Record<string, string>>;
        readonly tls: ClientTls;
        readonly proxy: ProxySettings | undefined;
      }
    | {
        readonly type: 'syslog';
        readonly host: string;
        readonly port: number;
        /** Undefined for a connection without TLS. */
        readonly tls: ClientTls | undefined;
        /** Number of the facility, as RFC 5424 has them. */
        readonly facility: number;
      };
  readonly timeoutMs: number;
  readonly spoolBytes: number;
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
  /** URLs; they may hold credentials: never printed. For what is reached by HTTP, and by HTTPS. */
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Names, addresses and domains that are reached directly, with commas between them. */
  readonly except: string;
};

export type ServerSettings = {
  readonly host: string;
  readonly port: number;
  /** `` or `/files`: no slash at the end. */
  readonly basePath: string;
  /** Addresses and CIDRs. */
  readonly trustedProxies: readonly string[];
  /** For each client address; 0 turns the limit off. */
  readonly signInPerMinute: number;
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Whether SIGHUP takes over policies and providers; otherwise it stops the service. */
  readonly reload: 'off' | 'on_signal';
};

export type AuthSettings = {
  readonly enabled: boolean;
  /** Scheme, host and port, without a slash at the end. */
  readonly publicOrigin: string;
  /** Undefined when sign-in is by local users alone, or off. */
  readonly oidc: OidcSettings | undefined;
  readonly localUsers: readonly { readonly issuer: string; readonly subject: string; readonly roles: readonly string[] }[];
  readonly session: {
    readonly type: 'memory' | 'database' | 'redis';
    readonly ttlSeconds: number;
    readonly capacity: number;
    /** Sessions of one person. */
    readonly perSubject: number;
    /** Undefined for other types. */
    readonly redis: RedisSettings | undefined;
  };
  /** The first secret signs; every secret verifies. Each has 32 bytes or more. */
  readonly sessionSecrets: readonly string[];
  readonly apiKeys: { readonly capacity: number; readonly perSubject: number } | undefined;
};

export type RedisSettings = ClientTls & {
  /** Holds credentials: never printed. */
  readonly url: string;
  readonly sentinel: { readonly name: string; readonly username: string | undefined; readonly password: string | undefined } | undefined;
  readonly cluster: boolean;
};

export type OidcSettings = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly clientAuth: 'basic' | 'post' | 'none';
  readonly scopes: readonly string[];
  /** Dotted paths; `\.` is a literal dot. */
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  /** To be registered with the provider, exactly so. */
  readonly redirectUri: string;
  /** What a desktop login asks the provider to show; `login` makes people say again who they are. */
  readonly desktopPrompt: 'login' | 'select_account' | 'consent' | 'none';
  readonly rpInitiatedLogout: boolean;
  readonly postLogoutRedirectUri: string;
  /** All certificates to trust there, in PEM; undefined for those of Node. */
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
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken: string | undefined } | undefined;
  /** All certificates to trust there, in PEM; undefined for those of Node. */
  readonly ca: readonly string[] | undefined;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
};

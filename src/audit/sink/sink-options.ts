/** An external destination for lines of the audit. */
export type SinkOptions = {
  readonly name: string;
  readonly target: HttpTargetOptions | SyslogTargetOptions;
  /** How long the receiver may take for one batch. */
  readonly timeoutMs: number;
  /** When more bytes than this wait, the oldest lines are skipped. */
  readonly spoolBytes: number;
  /** What it gets alone; undefined for every line. `places` are providers, buckets, or a bucket and the start of keys, such as `main/media/incoming/`. */
  readonly only?:
    | {
        readonly operations?: readonly string[] | undefined;
        readonly outcomes?: readonly string[] | undefined;
        readonly places?: readonly string[] | undefined;
      }
    | undefined;
};

/** In PEM. `ca` contains all trusted certificates; undefined for those of Node. */
export type TargetTls = {
  readonly ca: readonly string[] | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
};

export type HttpTargetOptions = {
  readonly type: 'http';
  readonly url: string;
  /** Values may be secret and are never printed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signs each request; never printed. Undefined for requests without a signature. */
  readonly signingSecret?: string | undefined;
  readonly tls: TargetTls;
  readonly proxy:
    { readonly http: string | undefined; readonly https: string | undefined; readonly except: string } | undefined;
};

export type SyslogTargetOptions = {
  readonly type: 'syslog';
  readonly host: string;
  readonly port: number;
  /** Undefined for a connection without TLS. */
  readonly tls: TargetTls | undefined;
  /** Number of the syslog facility (RFC 5424). */
  readonly facility: number;
};

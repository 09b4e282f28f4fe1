import type { AuditSettings, Settings, StateSettings } from '../config/settings.ts';
import type { Environment } from '../config/substitute.ts';
import type { PolicySetDefinition } from '../policy/policy-set.ts';
import type { ServeParts } from './serve.ts';

/** What the verbs have of the process that they run in. Only main knows the real ones. */
export type Edge = {
  readonly env: Environment;
  /** To standard output, with a line end. */
  readonly print: (line: string) => void;
  /** To standard error, with a line end. */
  readonly printError: (line: string) => void;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Someone watches: standard error is a terminal. */
  readonly watched: boolean;
  /** What is printed is read by a person, or by a terminal that obeys control characters. */
  readonly isTerminal: boolean;
  /** Asks the person at the terminal; undefined where nobody can answer. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Done before Ctrl-C or SIGTERM ends the process. */
  readonly beforeInterrupt: (tidy: () => void) => void;
  readonly version: string;
  /** Starts the service: handed in, because only the composition root joins parts. */
  readonly start: (settings: Settings) => ReturnType<ServeParts['start']>;
  /** Runs the desktop application until its last window is closed: handed in, because it is a face of its own. */
  readonly desktop: (start: DesktopStart) => Promise<void>;
  /** Has the system open `svc://` addresses with the desktop application. @returns what was done. */
  readonly registerDesktop: () => Promise<string>;
  /** Looks at what the service stands on. */
  readonly examine: (settings: Settings, examination: Examination) => Promise<void>;
  /** Resolves when the process is asked to stop. Asking takes the signals over, and `also` besides those that always stop. */
  readonly stopAsked: (also: readonly NodeJS.Signals[]) => Promise<void>;
  /** Calls back at each SIGHUP, which ends the process no more. */
  readonly onReload: ServeParts['onReload'];
  /** Looks after a state database. Its faults say what to do. */
  readonly upkeep: () => Promise<Upkeep>;
  /** Looks into the files of an audit. */
  readonly audit: () => Promise<AuditFiles>;
};

/** What the desktop application is started with. */
export type DesktopStart = {
  readonly server: string | undefined;
  /** `svc://SERVER/PROVIDER/BUCKET/KEY` */
  readonly place: string | undefined;
  readonly account: string;
  readonly browser: string | undefined;
};

/** How to look at what the service stands on. */
export type Examination = {
  /** Buckets in which a probe is written and deleted. */
  readonly writeTo: readonly { readonly provider: string; readonly bucket: string }[];
  readonly tell: (finding: { readonly state: 'ok' | 'warning' | 'failed'; readonly what: string; readonly text: string }) => void;
};

/** How many rows each table has, and the SHA-256 of all of them. */
export type StateSummary = Readonly<Record<string, { readonly count: number; readonly digest: string }>>;

export type Upkeep = {
  readonly check: (state: StateSettings) => Promise<StateSummary>;
  readonly migrate: (from: StateSettings, to: StateSettings) => Promise<StateSummary>;
  readonly exportTo: (state: StateSettings, target: NodeJS.WritableStream, passphrase: string | undefined) => Promise<StateSummary>;
  readonly importFrom: (state: StateSettings, file: string, passphrase: string | undefined) => Promise<StateSummary>;
  readonly backup: (state: StateSettings, file: string) => Promise<StateSummary>;
};

/** Where an audit is, and the public keys whose signatures count in it. */
export type AuditPlace = { readonly path: string; readonly keys: readonly string[] };

/** What became of one chain of an audit. */
export type AuditChain = {
  readonly name: string;
  readonly segments: number;
  readonly lines: number;
  readonly last: number;
  readonly tip: string;
  readonly signed: number;
  readonly removed: number;
  readonly notes: readonly string[];
  readonly faults: readonly { readonly segment: number; readonly what: string }[];
};

export type AuditQuestion = {
  readonly subject?: string | undefined;
  readonly issuer?: string | undefined;
  readonly resource?: string | undefined;
  readonly prefix?: string | undefined;
  readonly operation?: string | undefined;
  readonly outcome?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

/** A line of an audit; `instance` is the folder that it stands in. */
export type AuditLine = Readonly<Record<string, unknown>> & { readonly instance: string; readonly time: string; readonly kind: 'intent' | 'outcome'; readonly operation: string; readonly outcome?: string; readonly issuer: string; readonly subject: string; readonly resources: readonly { readonly resource: string; readonly outcome?: string; readonly action?: string; readonly rule?: string }[] };

/** The lines of a span of time. What it says of itself is known at the end of them. */
export type AuditHistory = {
  /** From when on every line is there; undefined without a line. */
  readonly begins: number | undefined;
  /** Chain by chain, the oldest first. */
  readonly lines: () => Generator<AuditLine, void, void>;
  /** Days from the epoch on which something was written. */
  readonly days: ReadonlySet<number>;
  /** Whether all that was read had lines; undefined where the files do not say. */
  readonly reads: 'all' | 'none' | undefined;
  /** How many lines about what only reads were dropped. */
  readonly lost: number;
};

export type AuditFiles = {
  /** The latest first. */
  readonly latestLines: (path: string, question: AuditQuestion & { readonly limit: number }) => { readonly lines: readonly AuditLine[] };
  /** Chain by chain, the oldest first. */
  readonly linesAskedFor: (path: string, question: AuditQuestion) => Generator<AuditLine, void, void>;
  /** Tells what is written from now on. */
  readonly follow: (path: string) => { readonly next: () => readonly AuditLine[] };
  /** Milliseconds since the epoch: from the first, and before the second. */
  readonly history: (place: AuditPlace, span: { readonly from: number; readonly to: number }) => AuditHistory;
  /** The name that lines give the policies that decided. */
  readonly revisionOf: (definition: PolicySetDefinition) => string;
  readonly auditPlace: (settings: AuditSettings) => AuditPlace;
  readonly verifyAudit: (path: string, keys: readonly string[], witnesses: ReadonlyMap<string, readonly { readonly line: number; readonly hash: string }[]>) => readonly AuditChain[];
};

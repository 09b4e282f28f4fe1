import type { Readable } from 'node:stream';
import type { AuditSettings, Settings, StateSettings } from '../../config/read/settings.ts';
import type { Environment } from '../../config/read/substitute.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';

/** The parts of the process that the verbs use. Only main provides the real ones. */
export type Edge = {
  readonly env: Environment;
  /** The command that starts this program, for files that run it. */
  readonly command: readonly string[];
  /** Prints a line to standard output. On a terminal, control characters in it are made visible. */
  readonly print: (line: string) => void;
  /** Prints a line to standard error. Control characters in it are always made visible. */
  readonly printError: (line: string) => void;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Whether standard error is a terminal, so that a person may be watching. */
  readonly watched: boolean;
  /** Whether standard output is a terminal, which interprets control characters. */
  readonly isTerminal: boolean;
  /** Asks the person at the terminal; undefined when nobody can answer. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** All of standard input. */
  readonly input: () => Promise<string>;
  /** Standard input as it arrives. */
  readonly stdin: () => Readable;
  /** Registers work to do before Ctrl-C or SIGTERM ends the process. */
  readonly beforeInterrupt: (tidy: () => void) => void;
  readonly version: string;
  /** Starts the service. Main provides it, because only the composition root combines parts. */
  readonly start: (settings: Settings) => Promise<RunningService>;
  /** Runs the desktop application until its last window is closed. Main provides it, because it is a separate face. */
  readonly desktop: (start: DesktopStart) => Promise<void>;
  /**
   * Registers the desktop application with the system as the handler of `svc://` addresses.
   *
   * @returns a description of what was done.
   */
  readonly registerDesktop: () => Promise<string>;
  /** Checks the dependencies of the service. */
  readonly examine: (settings: Settings, examination: Examination) => Promise<void>;
  /** Resolves when the process is asked to stop. The call takes over the signals that always stop the process and those in `also`. */
  readonly stopAsked: (also: readonly NodeJS.Signals[]) => Promise<void>;
  /** Calls the listener at each SIGHUP, which then no longer ends the process. */
  readonly onReload: (reload: () => void) => void;
  /** Loads the maintenance functions of the state database. Their errors say what to do. */
  readonly upkeep: () => Promise<Upkeep>;
  /** Loads the functions that read the files of an audit. */
  readonly audit: () => Promise<AuditFiles>;
};

/** A service that listens. */
export type RunningService = {
  /** The settings with the port on which the service listens. */
  readonly settings: Settings;
  /** @returns the revision of the policies. */
  reload(next: Settings): string | Promise<string>;
  /** Reports that a new configuration was not applied. */
  refused(why: string): void;
  stop(): Promise<void>;
};

/** The arguments of the desktop application. */
export type DesktopStart = {
  readonly server: string | undefined;
  /** `svc://SERVER/PROVIDER/BUCKET/KEY` */
  readonly place: string | undefined;
  readonly account: string;
  readonly browser: string | undefined;
};

/** Options for checking the dependencies of the service. */
export type Examination = {
  /** Buckets in which a test object is written and deleted. */
  readonly writeTo: readonly { readonly provider: string; readonly bucket: string }[];
  readonly tell: (finding: {
    readonly state: 'ok' | 'warning' | 'failed';
    readonly what: string;
    readonly text: string;
  }) => void;
};

/** The number of rows of each table, and the SHA-256 of all of them. */
export type StateSummary = Readonly<Record<string, { readonly count: number; readonly digest: string }>>;

export type Upkeep = {
  readonly check: (state: StateSettings) => Promise<StateSummary>;
  readonly migrate: (from: StateSettings, to: StateSettings, warn: (message: string) => void) => Promise<StateSummary>;
  readonly exportTo: (
    state: StateSettings,
    target: NodeJS.WritableStream,
    passphrase: string | undefined,
  ) => Promise<StateSummary>;
  readonly importFrom: (state: StateSettings, file: string, passphrase: string | undefined) => Promise<StateSummary>;
  readonly backup: (state: StateSettings, file: string) => Promise<StateSummary>;
};

/** The folder of an audit, and the public keys whose signatures are trusted. */
export type AuditPlace = { readonly path: string; readonly keys: readonly string[] };

/** The result of verifying one chain of an audit. */
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

/** A line of an audit. `instance` is the name of its chain's folder. */
export type AuditLine = Readonly<Record<string, unknown>> & {
  readonly instance: string;
  readonly time: string;
  readonly kind: 'intent' | 'outcome';
  readonly operation: string;
  readonly outcome?: string;
  readonly issuer: string;
  readonly subject: string;
  readonly resources: readonly {
    readonly resource: string;
    readonly provider?: string;
    readonly bucket?: string;
    readonly key?: string;
    readonly prefix?: string;
    readonly outcome?: string;
    readonly action?: string;
    readonly rule?: string;
    readonly of?: { readonly issuer: string; readonly subject: string };
  }[];
};

/** The lines of a span of time. The other members are complete only after all lines were read. */
export type AuditHistory = {
  /** The time since which every line is present; undefined without a line. */
  readonly begins: number | undefined;
  /** Chain by chain, the oldest first. */
  readonly lines: () => Generator<AuditLine, void, void>;
  /** Days on which something was written, as day numbers since the epoch. */
  readonly days: ReadonlySet<number>;
  /** Whether all reads have lines; undefined when the files do not say. */
  readonly reads: 'all' | 'none' | undefined;
  /** The number of dropped lines about reads. */
  readonly lost: number;
};

export type AuditFiles = {
  /** The operations that have lines. An audit of another version may also contain others. */
  readonly operationNames: readonly string[];
  /** The latest first. */
  readonly latestLines: (
    path: string,
    question: AuditQuestion & { readonly limit: number },
  ) => { readonly lines: readonly AuditLine[] };
  /** Chain by chain, the oldest first. */
  readonly matchingLines: (path: string, question: AuditQuestion) => Generator<AuditLine, void, void>;
  /** Returns lines that are written from now on. */
  readonly follow: (path: string) => { readonly next: () => readonly AuditLine[] };
  /** The span is in milliseconds since the epoch. `from` is inclusive, `to` exclusive. */
  readonly history: (place: AuditPlace, span: { readonly from: number; readonly to: number }) => AuditHistory;
  /** The revision by which lines name the policies that decided. */
  readonly revisionOf: (definition: PolicySetDefinition) => string;
  readonly auditPlace: (settings: AuditSettings) => AuditPlace;
  readonly verifyAudit: (
    path: string,
    keys: readonly string[],
    witnesses: ReadonlyMap<string, readonly { readonly line: number; readonly hash: string }[]>,
  ) => readonly AuditChain[];
};

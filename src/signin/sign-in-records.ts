import { codeOf, type SvcError } from '../errors/svc-error.ts';
import { matchedClaims, type MatchedBinding } from '../policy/index/matched.ts';
import type { PolicySetDefinition } from '../policy/index/policy-set.ts';
import type { SignInNotes } from './sign-in-notes.ts';

/** How many sign-ins are kept for which the provider identified the person. */
const KEPT = 500;
/** How many other sign-ins are kept. They are counted separately, because anybody can cause them. */
const KEPT_OF_NOBODY = 100;

const MAX_GROUPS = 100;
const MAX_CLAIMS = 100;
const MAX_BINDINGS = 20;
/** The maximum number of groups or policies kept for each binding. */
const MAX_NAMES = 5;
const MAX_CHARACTERS = 255;

/** The result of a sign-in that came back from the identity provider. */
export type SignInRecord = {
  /** The id of the request, which is also in the audit and the log. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: 'web' | 'desktop';
  readonly address?: string;
  readonly result: 'signedIn' | 'refused';
  /** Why it was refused. */
  readonly code?: string;
  readonly detail?: string;
  readonly providerError?: string;
  readonly issuer: string;
  /** Undefined when the person is unknown. */
  readonly subject?: string;
  readonly name?: string;
  /** Whether a policy gives each subject a folder, and this subject cannot be the name of one. */
  readonly subjectUnsafe: boolean;
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  readonly groupsFound: boolean;
  readonly claims: readonly string[];
  readonly groups: readonly { readonly name: string; readonly bound: boolean; readonly unsafe: boolean }[];
  readonly bindings: readonly {
    readonly place: number;
    readonly groups: readonly string[];
    readonly role?: string;
    readonly policies?: readonly string[];
  }[];
  /** Roles that the configuration gives to a local user, whose groups are ignored. */
  readonly localRoles?: readonly string[];
  /** The number of groups, claims and bindings that were left out. */
  readonly leftOut: number;
};

/** The record before it is written as JSON, which drops undefined members. */
type Unwritten = { readonly [K in keyof SignInRecord]: SignInRecord[K] | undefined };

/** Stores lists of recent texts for all instances. */
export interface RecordLists {
  /** Adds a text, and drops all but the latest `keep`. */
  add(list: string, text: string, keep: number): Promise<void>;
  /** The texts of a list, the latest first. */
  read(list: string): Promise<string[]>;
}

export type SignInRecordsOptions = {
  readonly lists: RecordLists;
  readonly issuer: string;
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  readonly definition: () => PolicySetDefinition;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
};

/** The latest sign-ins and refusals, so that administrators can find out why somebody cannot sign in or sees nothing. */
export class SignInRecords {
  readonly #options: SignInRecordsOptions;

  constructor(options: SignInRecordsOptions) {
    this.#options = options;
  }

  /**
   * Stores the result of a sign-in. If the record cannot be written, it is dropped and the sign-in continues.
   *
   * @param error - why it was refused; undefined when the person is signed in.
   */
  async keep(
    notes: SignInNotes,
    request: { readonly id: string; readonly address: string | undefined },
    error?: unknown,
  ): Promise<void> {
    // Anybody can send a callback that opens no login. It says nothing about a sign-in.
    if (notes.kind === undefined) return;
    const isKnown = notes.claims !== undefined;
    try {
      await this.#options.lists.add(
        isKnown ? 'sign-ins' : 'sign-ins of nobody',
        JSON.stringify(this.#recordOf(notes, notes.kind, request, error)),
        isKnown ? KEPT : KEPT_OF_NOBODY,
      );
    } catch (cause) {
      this.#options.warn('a sign-in could not be kept for the administration', { cause });
    }
  }

  /**
   * The latest records first.
   *
   * @param whose - `unknown` for sign-ins that failed before the provider identified the person.
   */
  async read(whose: 'known' | 'unknown'): Promise<SignInRecord[]> {
    const texts = await this.#options.lists.read(whose === 'known' ? 'sign-ins' : 'sign-ins of nobody');
    return texts.map((text) => JSON.parse(text) as SignInRecord);
  }

  #recordOf(
    { claims = [], subject, name, groups, ...notes }: SignInNotes,
    kind: 'web' | 'desktop',
    { id, address }: { readonly id: string; readonly address: string | undefined },
    error: unknown,
  ): Unwritten {
    const { issuer, subjectClaim, groupsClaim, definition, now } = this.#options;
    const matched = matchedClaims(definition(), { issuer, subject: subject ?? '', groups });
    // Groups without an effect come first.
    const ordered = [...groups].sort(
      (a, b) => Number(matched.unusedGroups.has(b)) - Number(matched.unusedGroups.has(a)),
    );
    return {
      id,
      at: now(),
      kind,
      address,
      result: error === undefined ? 'signedIn' : 'refused',
      ...(error !== undefined && reasonOf(error)),
      providerError: notes.providerError,
      issuer,
      subject: subject === undefined ? undefined : short(subject),
      name: name === undefined ? undefined : short(name),
      subjectUnsafe: subject !== undefined && matched.isSubjectUnsafe,
      subjectClaim,
      groupsClaim,
      groupsFound: notes.groupsFound,
      claims: claims.slice(0, MAX_CLAIMS).map(short),
      groups: ordered.slice(0, MAX_GROUPS).map((name) => ({
        name: short(name),
        bound: !matched.unusedGroups.has(name),
        unsafe: matched.unsafeGroups.has(name),
      })),
      bindings: matched.bindings.slice(0, MAX_BINDINGS).map(bounded),
      localRoles: matched.localRoles,
      leftOut:
        Math.max(0, claims.length - MAX_CLAIMS) +
        Math.max(0, groups.length - MAX_GROUPS) +
        Math.max(0, matched.bindings.length - MAX_BINDINGS),
    };
  }
}

/** The code and detail of an error. The provider's own words are left out, because whoever calls the callback can choose them. */
function reasonOf(error: unknown): Pick<Unwritten, 'code' | 'detail'> {
  const code = codeOf(error);
  return {
    code: code ?? 'internal',
    detail: code === undefined || code === 'login_refused' ? undefined : (error as SvcError).detail,
  };
}

function bounded(binding: MatchedBinding): SignInRecord['bindings'][number] {
  const { place } = binding;
  const groups = binding.groups.slice(0, MAX_NAMES).map(short);
  return 'role' in binding
    ? { place, groups, role: binding.role }
    : { place, groups, policies: binding.policies.slice(0, MAX_NAMES) };
}

function short(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
}

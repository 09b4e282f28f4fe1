import { codeOf, type SvcError } from '../errors/svc-error.ts';
import { matchedClaims, type MatchedBinding } from '../policy/matched.ts';
import type { PolicySetDefinition } from '../policy/policy-set.ts';
import type { SignInNotes } from './sign-in-notes.ts';

/** How many sign-ins are kept of which the provider said whose they were. */
const KEPT = 500;
/** How many others are kept. They have room of their own, because anybody can make them up. */
const KEPT_OF_NOBODY = 100;

const MAX_GROUPS = 100;
const MAX_CLAIMS = 100;
const MAX_BINDINGS = 20;
/** Of one binding. */
const MAX_NAMES = 5;
const MAX_CHARACTERS = 255;

/** A sign-in that came back from the identity provider, and what became of it. */
export type SignInRecord = {
  /** The id of the request, which the audit and the log have as well. */
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
  /** Undefined where nobody knows whose it was. */
  readonly subject?: string;
  /** Whether a policy gives each subject a folder, and this one cannot be the name of one. */
  readonly subjectUnsafe: boolean;
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  readonly groupsFound: boolean;
  readonly claims: readonly string[];
  readonly groups: readonly { readonly name: string; readonly bound: boolean; readonly unsafe: boolean }[];
  readonly bindings: readonly { readonly place: number; readonly groups: readonly string[]; readonly role?: string; readonly policies?: readonly string[] }[];
  /** Roles that the configuration gives to a local user, whose groups do not count. */
  readonly localRoles?: readonly string[];
  /** How many more groups, claims and bindings there were. */
  readonly leftOut: number;
};

/** Before it is JSON, which has no members that are undefined. */
type Unwritten = { readonly [K in keyof SignInRecord]: SignInRecord[K] | undefined };

/** Where the latest texts of a list are kept, for all instances. */
export interface RecordLists {
  /** Adds a text, and drops all but the latest `keep`. */
  add(list: string, text: string, keep: number): Promise<void>;
  /** The latest first. */
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

/** The latest sign-ins and refusals, for administrators who look for the reason why somebody cannot sign in, or sees nothing. */
export class SignInRecords {
  readonly #options: SignInRecordsOptions;

  constructor(options: SignInRecordsOptions) {
    this.#options = options;
  }

  /** Keeps what became of a sign-in. A record that cannot be written is dropped: nobody is refused for it. @param error - why it was refused; undefined when the person is signed in. */
  async keep(notes: SignInNotes, request: { readonly id: string; readonly address: string | undefined }, error?: unknown): Promise<void> {
    // A callback that opened no login is anybody's, and says nothing of a sign-in.
    if (notes.kind === undefined) return;
    const isKnown = notes.claims !== undefined;
    try {
      await this.#options.lists.add(isKnown ? 'sign-ins' : 'sign-ins of nobody', JSON.stringify(this.#recordOf(notes, notes.kind, request, error)), isKnown ? KEPT : KEPT_OF_NOBODY);
    } catch (cause) {
      this.#options.warn('a sign-in could not be kept for the administration', { cause });
    }
  }

  /** The latest first. @param whose - `unknown` for those that failed before the provider said whose they were. */
  async read(whose: 'known' | 'unknown'): Promise<SignInRecord[]> {
    const texts = await this.#options.lists.read(whose === 'known' ? 'sign-ins' : 'sign-ins of nobody');
    return texts.map((text) => JSON.parse(text) as SignInRecord);
  }

  #recordOf({ claims = [], subject, groups, ...notes }: SignInNotes, kind: 'web' | 'desktop', { id, address }: { readonly id: string; readonly address: string | undefined }, error: unknown): Unwritten {
    const { issuer, subjectClaim, groupsClaim, definition, now } = this.#options;
    const matched = matchedClaims(definition(), { issuer, subject: subject ?? '', groups });
    // Those that come to nothing are told first.
    const ordered = [...groups].sort((a, b) => Number(matched.unusedGroups.has(b)) - Number(matched.unusedGroups.has(a)));
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
      subjectUnsafe: subject !== undefined && matched.isSubjectUnsafe,
      subjectClaim,
      groupsClaim,
      groupsFound: notes.groupsFound,
      claims: claims.slice(0, MAX_CLAIMS).map(short),
      groups: ordered.slice(0, MAX_GROUPS).map((name) => ({ name: short(name), bound: !matched.unusedGroups.has(name), unsafe: matched.unsafeGroups.has(name) })),
      bindings: matched.bindings.slice(0, MAX_BINDINGS).map(bounded),
      localRoles: matched.localRoles,
      leftOut: Math.max(0, claims.length - MAX_CLAIMS) + Math.max(0, groups.length - MAX_GROUPS) + Math.max(0, matched.bindings.length - MAX_BINDINGS),
    };
  }
}

/** What the provider said in its own words is left out: whoever calls the callback can have it say anything. */
function reasonOf(error: unknown): Pick<Unwritten, 'code' | 'detail'> {
  const code = codeOf(error);
  return { code: code ?? 'internal', detail: code === undefined || code === 'login_refused' ? undefined : (error as SvcError).detail };
}

function bounded(binding: MatchedBinding): SignInRecord['bindings'][number] {
  const { place } = binding;
  const groups = binding.groups.slice(0, MAX_NAMES).map(short);
  return 'role' in binding ? { place, groups, role: binding.role } : { place, groups, policies: binding.policies.slice(0, MAX_NAMES) };
}

function short(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
}

import type { Request, Response } from 'express';
import type { OriginCheck } from '../../access/origin.ts';
import { SvcError } from '../../errors/svc-error.ts';
import type { LocalUser } from '../../policy/model/binding.ts';
import type { Identity } from '../../policy/model/identity.ts';
import { localUsersPage } from '../pages/page.ts';

export type LocalPerson = {
  readonly identity: Identity;
  readonly name: string;
  readonly idToken: string;
  readonly login: undefined;
};

/** Replaces the identity provider: a developer chooses a local user. The configuration allows it only while the server listens on loopback. */
export class LocalSignIn {
  readonly #users: readonly LocalUser[];
  readonly #ownOrigin: OriginCheck;

  constructor(options: { readonly users: readonly LocalUser[]; readonly ownOrigin: OriginCheck }) {
    this.#users = options.users;
    this.#ownOrigin = options.ownOrigin;
  }

  /**
   * Shows a page with the local users. The page posts the choice to the requested address, with its query.
   *
   * @param leadsAway - whether the answer to the choice redirects to the loopback port of a desktop client. Browsers apply the page's `form-action` to that
   *   redirect too, and it cannot name a port of `[::1]`.
   */
  show(req: Request, res: Response, { leadsAway }: { readonly leadsAway: boolean }): void {
    const policy = String(res.getHeader('Content-Security-Policy'));
    if (leadsAway)
      res.setHeader('Content-Security-Policy', policy.replace("form-action 'self'", "form-action 'self' http:"));
    // With `no-referrer` a browser would send `Origin: null` with the form.
    res.setHeader('Referrer-Policy', 'same-origin');
    res.type('html').send(localUsersPage(this.#users, req.originalUrl));
  }

  /** @throws {SvcError} `origin_mismatch`, `login_refused` */
  choose(req: Request, subject: string): LocalPerson {
    this.#ownOrigin.refuseOthers(req.headers);
    const user = this.#users.find((candidate) => candidate.subject === subject);
    if (user === undefined) throw new SvcError('login_refused', { detail: 'there is no such local user' });
    return {
      identity: { issuer: user.issuer, subject: user.subject, groups: [] },
      name: user.subject,
      idToken: '',
      login: undefined,
    };
  }
}

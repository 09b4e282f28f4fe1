import type { RequestHandler } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { catalogue } from '../../errors/catalogue.ts';
import { codeOf } from '../../errors/svc-error.ts';
import { AddressCounts } from './address-counts.ts';
import { tooMany } from './sign-in-limit.ts';

/** Limits the failed requests of strangers for each client address. Each instance counts on its own. */
export class FaultLimit {
  readonly #perMinute: number;
  readonly #faults = new AddressCounts();

  /** @param perMinute - 0 turns the limit off. */
  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /**
   * Counts a request that had no valid credential.
   *
   * @throws {SvcError} `rate_limited` when the address is over the limit.
   */
  count(address: string | undefined): void {
    if (this.#perMinute === 0) return;
    const { totalHits, resetTime } = this.#faults.increment(keyOf(address));
    if (totalHits > this.#perMinute) throw tooMany('requests without a valid credential', resetTime);
  }

  /** Runs a check that refuses strangers, and counts its refusals. */
  async refusing<T>(address: string | undefined, check: () => Promise<T> | T): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (isFault(catalogue[codeOf(error) ?? 'internal'].status)) this.count(address);
      throw error;
    }
  }

  /**
   * Refuses an address that is over the limit before anything is done for it. Only failed requests count, so that the identity provider may send as many as it
   * likes, even at once.
   */
  readonly handler: RequestHandler = (req, res, next) => {
    const { totalHits = 0, resetTime } = this.#faults.get(keyOf(req.ip)) ?? {};
    if (this.#perMinute > 0 && totalHits >= this.#perMinute) {
      next(tooMany('failed requests', resetTime));
      return;
    }
    res.once('close', () => {
      if (!res.writableFinished || isFault(res.statusCode)) this.#faults.increment(keyOf(req.ip));
    });
    next();
  };
}

function keyOf(address: string | undefined): string {
  return ipKeyGenerator(address ?? '');
}

/**
 * Whether a failed request counts against its sender. Failures of this service do not. Failures of the identity provider do, because anybody's token can cause
 * a request to it.
 */
function isFault(status: number): boolean {
  return status >= 400 && ![429, 500, 503].includes(status);
}

import { share } from '#share';
import type { HeaderRecord, Signer } from './pipeline-call.ts';

/** A clock that is off by less is taken for right: the time that an answer travels is in it. */
const CLOCK_TOLERANCE = 30_000;

/** What changes between the tries of calls that were refused: the token, and the clock. */
export interface Renewal {
  /** Milliseconds since the epoch, by the server's clock. */
  now(): number;
  /** Counts the renewals; a call keeps the count that a try begins with. */
  mark(): number;
  /**
   * Whether another try has something new to send.
   *
   * @param answer headers of the refusal
   * @param refused headers of the try, where they hold credentials of the client
   */
  renew(
    mark: number,
    answer: Headers | undefined,
    refused: HeaderRecord | undefined,
  ): Promise<boolean>;
}

/**
 * Renews for all calls of a client: one refresh at a time however many calls wait for it, and the
 * clock by the `Date` of a refusal (RFC 9110, section 6.6.1; D18), which no cache has kept.
 */
export function createRenewal(signer: Signer | undefined): Renewal {
  let skew = 0;
  let count = 0;
  const refresh = signer?.refresh && share(signer.refresh);
  const now = () => Date.now() + skew;
  return {
    now,
    mark: () => count,
    async renew(mark, answer, refused) {
      if (mark !== count) return true;
      const off = Date.parse(answer?.get('Date') ?? '') - now();
      if (Math.abs(off) > CLOCK_TOLERANCE) {
        skew += off;
        count += 1;
      }
      if (refused && (await refresh?.(refused)) && mark === count) count += 1;
      return mark !== count;
    },
  };
}

import type { RetryOptions } from '../../call-options.ts';
import { isStream } from '../to-body.ts';
import type { Deadline } from './deadline.ts';
import type { HeaderRecord, PipelineCall, Verdict } from './pipeline-call.ts';
import type { Renewal } from './renewal.ts';
import { retryDelay } from './retry-delay.ts';

/**
 * Decides on the next try of a call: milliseconds until then, or nothing where there is none. A body
 * stream is never sent again; a call that was refused for its credentials once more at most.
 */
export function createPlan(
  { method, headers: own, body, idempotent = method !== 'POST' }: PipelineCall,
  retry: RetryOptions | false,
  deadline: Deadline,
  renewal: Renewal,
) {
  let renewed = 0;
  /**
   * @param attempt number of the try that failed, from 1
   * @param mark what `renewal.mark()` gave before it
   * @param answer headers of its answer, where one came
   * @param headers headers that were sent
   */
  return async (
    verdict: Verdict,
    attempt: number,
    mark: number,
    answer?: Headers,
    headers?: HeaderRecord,
  ): Promise<number | undefined> => {
    if (verdict === 'unauthorized') {
      if (renewed) return;
      renewed = 1;
      // What the call brings itself cannot be renewed.
      const isNew = await renewal.renew(mark, answer, own.authorization ? undefined : headers);
      // Also after a stream, so that the next call works.
      return isNew && !isStream(body) ? 0 : undefined;
    }
    if (isStream(body)) return;
    const isAllowed = verdict === 'any' || (idempotent && verdict === 'idempotent');
    return isAllowed ? retryDelay(retry, attempt - renewed, answer, deadline.left()) : undefined;
  };
}

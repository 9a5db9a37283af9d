import { type Arbitrary, asyncProperty, check } from 'fast-check';
import type { CheckContext } from '../../context/check-context.ts';
import type { Evidence } from '../../http/exchange.ts';

/** Limits on the search for a smaller request: calls of the test, and milliseconds. */
const MOST_SHRINKS = 200;
const LONGEST_SHRINK = 5000;
/** Maximum length of a request quoted in a message, in characters. */
const LONGEST_QUOTE = 400;

/** Like `CheckContext.expect`, but a failed assertion also ends the test of the current request. */
export type ExpectOne = (holds: boolean, message: string, exchange: Evidence) => void;

/**
 * Tests a property with `--runs` generated requests, which depend only on `--seed`. The first request that
 * violates the property is shrunk, within 200 calls and 5 s. The finding reports the seed, the run and the
 * smallest failing request. Other errors, such as NetworkFault or Unreached, are rethrown. If they occur
 * during shrinking, they only end the shrinking.
 *
 * @param test makes the calls for one request. They must not depend on earlier requests
 * @returns whether the property holds
 * @example
 * await forAll(t, record({ path: anything() }), async (fields, expect) => {
 *   const reply = await t.storage.call('getUploadMetaData', fields);
 *   expect(reply.received.status < 500, `never a 5xx, not ${reply.received.status}`, reply);
 * });
 */
export async function forAll<Value>(
  t: CheckContext,
  arbitrary: Arbitrary<Value>,
  test: (value: Value, expect: ExpectOne) => Promise<void>,
): Promise<boolean> {
  const { seed, runs } = t.settings;
  let smallest: Breach | undefined;
  let fault: unknown;
  let calls = 0;
  let shrinks = 0;
  let shrinkUntil = Number.POSITIVE_INFINITY;

  const holds = async (value: Value): Promise<boolean> => {
    const isOver = fault !== undefined || shrinks >= MOST_SHRINKS || Date.now() > shrinkUntil;
    if (isOver) return true;
    if (smallest === undefined) calls += 1;
    else shrinks += 1;
    try {
      await test(value, (holds, message, exchange) => {
        if (!holds) throw new Breach(message, exchange, value);
        t.expect(true, message, exchange);
      });
      return true;
    } catch (error) {
      if (!(error instanceof Breach)) {
        fault = error ?? new Error('nothing was thrown');
        return true;
      }
      if (smallest === undefined) shrinkUntil = Date.now() + LONGEST_SHRINK;
      smallest = error;
      return false;
    }
  };

  await check(asyncProperty(arbitrary, holds), { seed, numRuns: runs });
  if (smallest !== undefined) {
    const { message, exchange, value } = smallest as Breach;
    const place = `run ${calls} of ${runs}, --seed ${seed}`;
    t.expect(false, `${message} (${place}; smallest request: ${quote(value)})`, exchange);
    return false;
  }
  if (fault !== undefined) throw fault;
  return true;
}

class Breach extends Error {
  readonly exchange: Evidence;
  readonly value: unknown;

  constructor(message: string, exchange: Evidence, value: unknown) {
    super(message);
    this.exchange = exchange;
    this.value = value;
  }
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}

import type { Api } from '../contract/openapi.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type Exchange, type HeaderList, readAll, toPlainType } from '../http/exchange.ts';
import type { Echo, FixtureResponse } from '../http/fixture-protocol.ts';
import type { StorageReply } from '../http/read-response.ts';
import type { Settings } from '../options.ts';
import { quoteText } from '../results/redact.ts';
import type { Finding } from '../results/result.ts';

/**
 * Checks whether a response satisfies a sentence. Returns `undefined` if the sentence does not apply to the response.
 * Otherwise, returns claims, or findings that name their place in a document. The response passes if all claims hold and
 * there are no findings.
 *
 * Called for responses to a GET or POST to a service, and to a POST to a storage operation (`findOperation`). The check
 * itself must make every assertion about:
 *
 * - other methods, unknown storage operations, the upload target and links
 * - a 429 that is retried, and a response that the check reads as it arrives (`open` in `http/caller.ts`)
 * - responses during `prepare`
 */
export type Invariant = (call: ObservedCall) => readonly (Claim | Finding)[] | undefined;

/** The invariants of an API: a sentence has at most one. */
export type Invariants = Readonly<Partial<Record<SentenceId, Invariant>>>;

/** The operation of an API that a call is for. */
export interface Operation {
  api: Api;
  operationId: string;
  /** Gateway: the name of the service in the path, and what follows it. */
  service?: string;
  rest?: string;
}

/** A call to an operation, with its response. */
export interface ObservedCall extends Exchange, Operation {
  settings: Settings;
  /** Returns how the response differs from what the document of the API says about the operation. */
  checkSchema: () => Finding[];
  /** Gateway: what follows the name of the fixture service in the path; `undefined` for another service. */
  fixturePath: string | undefined;
  /** Gateway: the request as the fixture service received it, if it responded with that. */
  echo: Echo | undefined;
  /** Gateway: what the fixture service sent otherwise, if the response certainly came from it. */
  fixtureResponse: FixtureResponse | undefined;
  /** Storage API: the content of the envelope. */
  reply: StorageReply;
}

/** The beginning of generated names. */
export const UNUSED_PREFIX = 'berth-';

/** Something that must hold for a response, and what to report if it does not. */
export type Claim = readonly [holds: boolean, message: string];

/** Returns a claim for each of several things in a response; `undefined` if there are none. */
export function claimEach<Item>(items: readonly Item[], toClaim: (item: Item) => Claim) {
  return items.length === 0 ? undefined : items.map(toClaim);
}

/** Claims that headers arrived as they were sent, as far as HTTP forbids a gateway to change them (D7). */
export function claimSameHeaders(sent: HeaderList, arrived: HeaderList): Claim[] {
  const names = new Set(sent.map(([name]) => name.toLowerCase()));
  return [...names].map((name) => {
    const [expected = [], actual = []] = [sent, arrived].map((list) =>
      readAll(list, name).map((value) => value.trim()),
    );
    const shown = actual.length === 0 ? 'but it is missing' : `not as ${toLines(actual)}`;
    const message = `${name} must arrive as ${toLines(expected).slice(0, 200)}, ${shown}`;
    return [isSame(name, expected, actual), message];
  });
}

function isSame(name: string, expected: readonly string[], actual: readonly string[]): boolean {
  if (name === 'content-type')
    return actual.map(toPlainType).join() === expected.map(toPlainType).join();
  // A gateway may add members.
  if (name === 'vary') {
    const members = toMembers(actual.join().toLowerCase());
    return toMembers(expected.join().toLowerCase()).every((member) => members.includes(member));
  }
  // Cookies may contain commas, and a gateway may add cookies.
  if (name === 'set-cookie') {
    return expected.join('\n') === actual.filter((value) => expected.includes(value)).join('\n');
  }
  if (expected.length < 2) return actual.length === expected.length && actual[0] === expected[0];
  // Several lines are equivalent to one list, and spaces around its commas mean nothing (RFC 9110, section 5.3).
  return toMembers(expected.join()).join() === toMembers(actual.join()).join();
}

/** Formats the values of a header: `a=1`, or `2 lines: a=1 | b=2`. */
function toLines(values: readonly string[]): string {
  const count = values.length > 1 ? `${values.length} lines: ` : '';
  return count + quoteText(values.join(' | '));
}

function toMembers(list: string): string[] {
  return list.split(',').map((member) => member.trim());
}

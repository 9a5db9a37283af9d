import type { Api } from '../contract/openapi.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Echo, FixtureResponse } from '../http/fixture-protocol.ts';
import type { StorageReply } from '../http/read-response.ts';
import type { Settings } from '../options.ts';
import type { Finding } from '../results/result.ts';
import type { Claim } from './claims.ts';

/**
 * Checks whether a response satisfies a sentence. Called for every call to an operation of the sentence's API. Returns
 * `undefined` if the sentence does not apply to the response. Otherwise, returns claims, or findings that name their place
 * in a document. The response passes if all claims hold and there are no findings.
 *
 * @example
 * // If a handshake succeeds, the response has no body.
 * ({ received }) =>
 *   received.status === 101 ? [[received.body.length === 0, 'a 101 must have no body']] : undefined
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

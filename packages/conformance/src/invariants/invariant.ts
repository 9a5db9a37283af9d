import type { Exchange } from '../http/exchange.ts';
import type { Settings } from '../options.ts';
import type { Finding } from '../result.ts';
import type { Claim } from './claims.ts';

/** A call to an operation of an API, with its response. */
export interface OperationCall extends Exchange {
  readonly operationId: string;
  readonly settings: Pick<Settings, 'wireProfile' | 'service'>;
  /** Returns how the response differs from what the document of the API says about the operation. */
  readonly checkSchema: () => Finding[];
}

/**
 * Checks whether a response is as a sentence says. Called for every operation of an API, so it must check `operationId`
 * itself. Returns `undefined` if the sentence does not apply to the response; otherwise claims, or findings that name
 * their place in a document. The response passes if all claims hold and there are no findings.
 *
 * @example
 * // If a handshake succeeds, the response has no body.
 * ({ received }) =>
 *   received.status === 101 ? [[received.body.length === 0, 'a 101 must have no body']] : undefined
 */
export type Invariant<Call extends OperationCall> = (
  call: Call,
) => readonly (Claim | Finding)[] | undefined;

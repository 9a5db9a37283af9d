import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Api } from '../contract/openapi.ts';
import type { Echo, FixtureResponse } from '../fixture-protocol.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type Exchange, readAll } from '../http/exchange.ts';
import { isGatewayError, type StorageReply } from '../http/read-response.ts';
import type { Settings } from '../options.ts';
import type { Finding } from '../result.ts';
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

export type Invariants = ReadonlyMap<SentenceId, Invariant>;

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

export const isHandshake = ({ sent }: ObservedCall): boolean =>
  readAll(sent.headers, 'upgrade').includes('websocket');

/** Whether a response is certainly that of a hosted service, with content. */
export function isOfService({ received, fixtureResponse }: ObservedCall): boolean {
  const { status } = received;
  if (status < 200 || status === 204 || status === 304) return false;
  return status < 400 || (fixtureResponse !== undefined && !isGatewayError(received));
}

const CODES = new Set(defaults.gatewayErrors.map(({ code }) => code));

/** "Starts with a letter, then 0 to 58 characters from letters, digits, …, then ends with a letter or digit." */
const SERVICE_NAME = /^[A-Za-z][\w-]{0,58}[A-Za-z\d]$/;

/** The beginning of generated names. */
export const UNUSED_PREFIX = 'berth-';

/**
 * Whether a response is certainly an error of the gateway itself: no hosted service may be called by this name, or the
 * body is recognized, because a hosted service may respond with any status and body.
 */
export function isOwnError(call: ObservedCall): boolean {
  const { received, fixtureResponse, settings } = call;
  if (received.status < 400 || fixtureResponse) return false;
  // Only responses of hosted services have this header, if the deployment sends it at all.
  const { upstreamStatus } = settings.wireProfile.gatewayHeaders;
  if (received.header(upstreamStatus) !== undefined) return false;
  return isUncallable(call) || isGatewayError(received) || CODES.has(Object(received.json).code);
}

function isUncallable({ service = '', fixturePath, settings }: ObservedCall): boolean {
  const isFixture = fixturePath !== undefined;
  if (isFixture) return false;
  const isForbidden = service === settings.forbiddenService;
  return isForbidden || service.startsWith(UNUSED_PREFIX) || !SERVICE_NAME.test(service);
}

import { hash } from 'node:crypto';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import {
  type Echo,
  type FixtureResponse,
  readEcho,
  readFixtureResponse,
} from '../fixture-protocol.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type HeaderList, readAll, splitTarget } from '../http/exchange.ts';
import { listDispositionTypes, toMediaType } from '../http/media-type.ts';
import { cite, show } from '../redact.ts';
import { type Claim, claimEach, claimSameHeaders } from './claims.ts';
import type { Invariant, OperationCall } from './invariant.ts';
import { isGatewayError } from './read-response.ts';

/** A call to a service. */
export interface ServiceCall extends OperationCall {
  /** What follows the name of the fixture service in the path; `undefined` for another service. */
  anyPath: string | undefined;
  /** The request as the fixture service received it, if it responded with that. */
  echo: Echo | undefined;
  /** What the fixture service sent otherwise, if the response is certainly that one. */
  fixtureResponse: FixtureResponse | undefined;
}

export function toServiceCall(call: OperationCall): ServiceCall {
  const { pathname } = splitTarget(call.sent.url);
  const prefix = `/v1/cloudrun/${call.settings.service}`;
  const start = pathname.indexOf(prefix);
  const rest = pathname.slice(start + prefix.length);
  const isFixture = start >= 0 && (rest === '' || rest.startsWith('/'));
  const anyPath = isFixture ? rest : undefined;
  const echo = readEcho(call);
  return {
    ...call,
    anyPath,
    echo,
    fixtureResponse: echo ? undefined : readFixtureResponse(call, anyPath ?? ''),
  };
}

const isHandshake = ({ sent }: ServiceCall) =>
  readAll(sent.headers, 'upgrade').includes('websocket');

const CODES = new Set(defaults.gatewayErrors.map(({ code }) => code));

/** A hosted service may respond with any status and body, so a code of the contract is required. */
function isOwnError({ received, fixtureResponse, settings }: ServiceCall): boolean {
  if (received.status < 400 || fixtureResponse) return false;
  // Only responses of hosted services have this header, if the deployment sends it at all.
  const { upstreamStatus } = settings.wireProfile.gatewayHeaders;
  if (received.header(upstreamStatus) !== undefined) return false;
  return isGatewayError(received) || CODES.has(Object(received.json).code);
}

/** Whether a response is certainly that of a hosted service, with content. */
function isOfService({ received, fixtureResponse }: ServiceCall): boolean {
  const { status } = received;
  if (status < 200 || status === 204 || status === 304) return false;
  return status < 400 || (fixtureResponse !== undefined && !isGatewayError(received));
}

const STREAM = 'text/event-stream';

/** Rule C2: 'Text types are those whose Content-Type indicates …', compared without parameters. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

function dispositionRule(call: ServiceCall): 'C1' | 'C2' | 'C3' | 'none' | undefined {
  const { sent, received } = call;
  // The rules do not say whether a handshake that the service rejects is a GET.
  if (!isOfService(call) || isHandshake(call)) return undefined;
  if (received.mediaType === undefined) return undefined;
  if (received.mediaType === STREAM) {
    const accept = readAll(sent.headers, 'accept').join();
    return /text\/event-stream/i.test(accept) ? 'C3' : undefined;
  }
  if (sent.method === 'GET') return 'C1';
  return TEXT_TYPES.includes(received.mediaType) ? 'none' : 'C2';
}

function claimDisposition(
  { received }: ServiceCall,
  expected: 'attachment' | 'absent' | 'anything but inline',
): Claim {
  const values = readAll(received.headers, 'content-disposition');
  const types = listDispositionTypes(values);
  const holds = {
    attachment: types.includes('attachment'),
    absent: values.length === 0,
    'anything but inline': !types.includes('inline'),
  };
  const actual = values.map(cite).join(' and ') || 'none';
  return [holds[expected], `Content-Disposition must be ${expected}, not ${actual}`];
}

const disposition =
  (
    rules: readonly ReturnType<typeof dispositionRule>[],
    expected: Parameters<typeof claimDisposition>[1],
  ): Invariant<ServiceCall> =>
  (call) =>
    rules.includes(dispositionRule(call)) ? [claimDisposition(call, expected)] : undefined;

const hasRequestId = ({ received }: ServiceCall): Claim => [
  (received.header('x-request-id') ?? '').trim() !== '',
  'the response must have an X-Request-Id',
];

/** Returns the names of hop-by-hop headers, which include those listed in `Connection`. */
function listHops(headers: HeaderList): string[] {
  const listed = readAll(headers, 'connection').join().toLowerCase().split(',');
  const names = ['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade'];
  return [...names, ...listed.map((name) => name.trim())];
}

const REPLACED = ['x-request-id', 'content-disposition'];

/** Claims that the body which the fixture service sent arrived, if the request says what it is. */
function claimBody({ fixtureResponse, received }: ServiceCall): Claim[] | undefined {
  const expected = fixtureResponse?.body?.();
  if (expected === undefined) return undefined;
  const actual = received.body;
  const at = expected.findIndex((byte, index) => byte !== actual[index]);
  const difference = at < 0 || at >= actual.length ? '' : `, which differ from offset ${at} on`;
  const message = `the caller must receive the ${expected.length} bytes that the service sent, but received ${actual.length} bytes${difference}`;
  return [[expected.equals(actual), message]];
}

/** Returns the number of the sentence of GW-PATH that is about a path. */
function sentenceOf(anyPath: string): number {
  if (anyPath === '') return 2;
  if (anyPath === '/') return 3;
  if (anyPath.includes('//')) return 6;
  if (anyPath.includes('%')) return 5;
  return anyPath.lastIndexOf('/') > 0 ? 4 : 1;
}

const ofPath =
  (sentence: number): Invariant<ServiceCall> =>
  ({ echo, anyPath }) => {
    if (!echo || anyPath === undefined || sentenceOf(anyPath) !== sentence) return undefined;
    const expected = anyPath || '/';
    const { pathname } = splitTarget(echo.target);
    const message = `the service must receive the path ${expected}, but received ${pathname}`;
    return [[pathname === expected, message]];
  };

/** Sentences about the response to any call to a service. */
export const GATEWAY_INVARIANTS = {
  'GW-PATH/1': ofPath(1),
  'GW-PATH/2': ofPath(2),
  'GW-PATH/3': ofPath(3),
  'GW-PATH/4': ofPath(4),
  'GW-PATH/5': ofPath(5),
  'GW-PATH/6': ofPath(6),
  'GW-QUERY-RAW': ({ echo, sent }) => {
    const { search: expected } = splitTarget(sent.url);
    if (!echo || expected === '') return undefined;
    const { search: actual } = splitTarget(echo.target);
    const message = `the service must receive the query ${expected}, but received ${actual || 'none'}`;
    return [[actual === expected, message]];
  },
  'GW-FORWARD-METHOD': ({ echo, sent }) => {
    if (!echo) return undefined;
    const message = `the service must receive a ${sent.method}, but received a ${echo.method}`;
    return [[echo.method === sent.method, message]];
  },
  'GW-FORWARD-BODY': ({ echo, sent }) => {
    if (!echo || sent.method !== 'POST') return undefined;
    const { size, sha256 } = echo.body;
    const message = `the service must receive the body unchanged, but its ${sent.body.length} bytes arrived as ${size} bytes with the SHA-256 ${sha256}`;
    return [[sha256 === hash('sha256', sent.body), message]];
  },
  'GW-BODY': claimBody,
  'GW-SSE': (call) => {
    const { fixtureResponse, received } = call;
    const type = readAll(fixtureResponse?.headers ?? [], 'content-type').join();
    if (toMediaType(type) !== STREAM) return undefined;
    const message = `the content type must be ${STREAM}, not ${cite(received.mediaType)}`;
    return [[received.mediaType === STREAM, message], ...(claimBody(call) ?? [])];
  },
  'GW-HEADERS': ({ fixtureResponse, received }) => {
    const { headers = [] } = fixtureResponse ?? {};
    const names = [...listHops(headers), ...REPLACED];
    const forwarded = headers.filter(([name]) => !names.includes(name.toLowerCase()));
    return forwarded.length === 0 ? undefined : claimSameHeaders(forwarded, received.headers);
  },
  'GW-HOP-BY-HOP': ({ fixtureResponse, received }) => {
    const { headers = [] } = fixtureResponse ?? {};
    const hops = listHops(headers);
    const sent = headers.filter(([name]) => hops.includes(name.toLowerCase()));
    return claimEach(sent, ([name, value]) => {
      const actual = readAll(received.headers, name).join(', ');
      // The gateway has a `Connection` header of its own, unrelated to the names that the service listed.
      const isConnection = name.toLowerCase() === 'connection';
      const isKept = isConnection ? /x-conformance/i.test(actual) : actual.includes(value.trim());
      return [!isKept, `the service's ${name} must not reach the caller, but it did: ${actual}`];
    });
  },
  'GW-REQUEST-ID-NEW/2': ({ fixtureResponse, received }) => {
    const ofService = readAll(fixtureResponse?.headers ?? [], 'x-request-id');
    const actual = readAll(received.headers, 'x-request-id');
    if (ofService.length === 0 || actual.length === 0) return undefined;
    const isReplaced =
      actual.length === 1 && !ofService.some((id) => actual[0]?.includes(id.trim()));
    const message = `X-Request-Id must have exactly one value, set by the gateway, but was ${actual.join(' and ')}`;
    return [[isReplaced, message]];
  },
  'GW-C1': disposition(['C1'], 'attachment'),
  'GW-C2/1': disposition(['C2'], 'attachment'),
  'GW-C2/2': disposition(['none'], 'absent'),
  'GW-C3/1': disposition(['C3'], 'absent'),
  'GW-C3/2': (call) =>
    call.received.status === 101 ? [claimDisposition(call, 'absent')] : undefined,
  'GW-DISPOSITION-INLINE': disposition(['C1', 'C2'], 'anything but inline'),
  'GW-REQUEST-ID/1': (call) => {
    const hasKnownSender = isOfService(call) || isOwnError(call) || call.fixtureResponse;
    return hasKnownSender && !isHandshake(call) ? [hasRequestId(call)] : undefined;
  },
  'GW-REQUEST-ID/2': (call) => (isHandshake(call) ? [hasRequestId(call)] : undefined),
  'GW-ERROR/1': (call) => (isOwnError(call) ? call.checkSchema() : undefined),
  'GW-ERROR/2': (call) => {
    const header = call.received.header('x-request-id');
    const { requestId } = Object(call.received.json);
    if (!isOwnError(call) || header === undefined || requestId === undefined) return undefined;
    const message = `requestId must equal X-Request-Id ${header}, not ${show(requestId)}`;
    return [[requestId === header, message]];
  },
} satisfies Partial<Record<SentenceId, Invariant<ServiceCall>>>;

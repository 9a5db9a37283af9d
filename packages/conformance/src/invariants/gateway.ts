import { hash } from 'node:crypto';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import {
  EVENT_STREAM,
  type Exchange,
  type HeaderList,
  readAll,
  splitTarget,
  toMediaType,
} from '../http/exchange.ts';
import { isGatewayError } from '../http/read-response.ts';
import { quoteJson, quoteText } from '../results/redact.ts';
import {
  type Claim,
  claimEach,
  claimSameHeaders,
  type Invariant,
  type Invariants,
  type ObservedCall,
  UNUSED_PREFIX,
} from './invariant.ts';

const isHandshake = ({ sent }: ObservedCall): boolean =>
  readAll(sent.headers, 'upgrade').includes('websocket');

/** Whether a response is certainly that of a hosted service, with content. */
function isFromService({ received, fixtureResponse }: ObservedCall): boolean {
  const { status } = received;
  if (status < 200 || status === 204 || status === 304) return false;
  return status < 400 || (fixtureResponse !== undefined && !isGatewayError(received));
}

const CODES = new Set<unknown>(defaults.gatewayErrors.map(({ code }) => code));

/** "Starts with a letter, then 0 to 58 characters from letters, digits, …, then ends with a letter or digit." */
const SERVICE_NAME = /^[A-Za-z][\w-]{0,58}[A-Za-z\d]$/;

/**
 * Whether the error certainly comes from the gateway: no service can have this name, or the body identifies it. The status
 * alone proves nothing.
 */
function isFromGateway(call: ObservedCall): boolean {
  const { received, fixtureResponse, settings } = call;
  if (received.status < 400 || fixtureResponse) return false;
  // Only responses of hosted services have this header, if the deployment sends it at all.
  const { upstreamStatus } = settings.wireProfile.gatewayHeaders;
  if (received.header(upstreamStatus) !== undefined) return false;
  return isUncallable(call) || isGatewayError(received) || CODES.has(received.fields.code);
}

function isUncallable({ service = '', fixturePath, settings }: ObservedCall): boolean {
  if (fixturePath !== undefined) return false;
  const isForbidden = service === settings.forbiddenService;
  return isForbidden || service.startsWith(UNUSED_PREFIX) || !SERVICE_NAME.test(service);
}

function sentenceAbout(fixturePath: string): SentenceId {
  if (fixturePath === '') return 'GW-PATH/2';
  if (fixturePath === '/') return 'GW-PATH/3';
  if (fixturePath.includes('//')) return 'GW-PATH/6';
  if (fixturePath.includes('%')) return 'GW-PATH/5';
  return fixturePath.lastIndexOf('/') > 0 ? 'GW-PATH/4' : 'GW-PATH/1';
}

const samePath =
  (id: SentenceId): Invariant =>
  ({ echo, fixturePath }) => {
    if (!echo || fixturePath === undefined || sentenceAbout(fixturePath) !== id) return undefined;
    const expected = fixturePath || '/';
    const { pathname } = splitTarget(echo.target);
    const message = `the service must receive the path ${expected}, but received ${pathname}`;
    return [[pathname === expected, message]];
  };

/** Compares the body with what the fixture service sent, if the request says what that is. */
const sameResponseBody: Invariant = ({ fixtureResponse, received }) => {
  const expected = fixtureResponse?.body?.();
  if (expected === undefined) return undefined;
  const actual = received.body;
  const at = expected.findIndex((byte, index) => byte !== actual[index]);
  const difference = at < 0 || at >= actual.length ? '' : `, which differ from offset ${at} on`;
  const message = `the caller must receive the ${expected.length} bytes that the service sent, but received ${actual.length} bytes${difference}`;
  return [[expected.equals(actual), message]];
};

/** Returns the names of hop-by-hop headers, which include those listed in `Connection`. */
function listHops(headers: HeaderList): string[] {
  const listed = readAll(headers, 'connection').join().toLowerCase().split(',');
  const names = ['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade'];
  return [...names, ...listed.map((name) => name.trim())];
}

const REPLACED = ['x-request-id', 'content-disposition'];

/** Rule C2: 'Text types are those whose Content-Type indicates …', compared without parameters. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/** Which of the rules C1 to C3 applies to a response; `text` if C2 exempts it. */
function ruleOf(call: ObservedCall): 'C1' | 'C2' | 'C3' | 'text' | undefined {
  const { sent, received } = call;
  // The rules do not say whether a handshake that the service rejects is a GET.
  if (!isFromService(call) || isHandshake(call)) return undefined;
  if (received.mediaType === undefined) return undefined;
  if (received.mediaType === EVENT_STREAM) {
    const accept = readAll(sent.headers, 'accept').join();
    return /text\/event-stream/i.test(accept) ? 'C3' : undefined;
  }
  if (sent.method === 'GET') return 'C1';
  return TEXT_TYPES.includes(received.mediaType) ? 'text' : 'C2';
}

/** Requires one of these of `Content-Disposition` in the responses that a condition selects. */
const requires =
  (
    expected: 'attachment' | 'absent' | 'anything but inline',
    isAbout: (call: ObservedCall) => boolean,
  ): Invariant =>
  (call) => {
    if (!isAbout(call)) return undefined;
    const values = readAll(call.received.headers, 'content-disposition');
    const types = listDispositionTypes(values);
    const holds = {
      attachment: types.includes('attachment'),
      absent: values.length === 0,
      'anything but inline': !types.includes('inline'),
    };
    const actual = values.map(quoteText).join(' and ') || 'none';
    return [[holds[expected], `Content-Disposition must be ${expected}, not ${actual}`]];
  };

/** Returns the types in lower case (RFC 6266). Commas in quoted strings do not separate headers. */
function listDispositionTypes(headers: readonly string[]): string[] {
  return headers
    .flatMap((header) => header.replaceAll(/"(?:\\.|[^"\\])*"/g, '""').split(','))
    .map((value) => toMediaType(value))
    .filter((type) => type !== '');
}

const hasId = ({ received }: Exchange): Claim[] => [
  [Boolean(received.header('x-request-id')?.trim()), 'the response must have an X-Request-Id'],
];

/** The invariants of the gateway. `Invariant` lists the responses that they do not check. */
export const gatewayInvariants = {
  'GW-PATH/1': samePath('GW-PATH/1'),
  'GW-PATH/2': samePath('GW-PATH/2'),
  'GW-PATH/3': samePath('GW-PATH/3'),
  'GW-PATH/4': samePath('GW-PATH/4'),
  'GW-PATH/5': samePath('GW-PATH/5'),
  'GW-PATH/6': samePath('GW-PATH/6'),
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
      const values = readAll(received.headers, name);
      const actual = values.join(', ');
      // Every header contains an empty value.
      const isSame = value.trim() === '' ? values.includes('') : actual.includes(value.trim());
      // The gateway has a `Connection` header of its own, unrelated to the names that the service listed.
      const isConnection = name.toLowerCase() === 'connection';
      const isKept = isConnection ? /x-conformance/i.test(actual) : isSame;
      return [!isKept, `the service's ${name} must not reach the caller, but it did: ${actual}`];
    });
  },
  'GW-BODY': sameResponseBody,
  'GW-C1': requires('attachment', (call) => ruleOf(call) === 'C1'),
  'GW-C2/1': requires('attachment', (call) => ruleOf(call) === 'C2'),
  'GW-C2/2': requires('absent', (call) => ruleOf(call) === 'text'),
  'GW-C3/1': requires('absent', (call) => ruleOf(call) === 'C3'),
  'GW-C3/2': requires('absent', ({ received }) => received.status === 101),
  'GW-DISPOSITION-INLINE': requires('anything but inline', (call) =>
    ['C1', 'C2'].includes(ruleOf(call) ?? ''),
  ),
  // For responses whose sender is certain: an intermediary may send others.
  'GW-REQUEST-ID/1': (call) => {
    const hasKnownSender = isFromService(call) || isFromGateway(call) || call.fixtureResponse;
    return hasKnownSender && !isHandshake(call) ? hasId(call) : undefined;
  },
  'GW-REQUEST-ID/2': (call) => (isHandshake(call) ? hasId(call) : undefined),
  'GW-REQUEST-ID-NEW/2': ({ fixtureResponse, received }) => {
    const serviceIds = readAll(fixtureResponse?.headers ?? [], 'x-request-id');
    const actual = readAll(received.headers, 'x-request-id');
    if (serviceIds.length === 0 || actual.length === 0) return undefined;
    const isNew = actual.length === 1 && !serviceIds.some((id) => actual[0]?.includes(id.trim()));
    const message = `X-Request-Id must have exactly one value, set by the gateway, but was ${actual.join(' and ')}`;
    return [[isNew, message]];
  },
  'GW-SSE': (call) => {
    const { fixtureResponse, received } = call;
    const type = readAll(fixtureResponse?.headers ?? [], 'content-type').join();
    if (toMediaType(type) !== EVENT_STREAM) return undefined;
    const message = `the content type must be ${EVENT_STREAM}, not ${quoteText(received.mediaType)}`;
    return [[received.mediaType === EVENT_STREAM, message], ...(sameResponseBody(call) ?? [])];
  },
  'GW-ERROR/1': (call) => (isFromGateway(call) ? call.checkSchema() : undefined),
  'GW-ERROR/2': (call) => {
    const header = call.received.header('x-request-id');
    const { requestId } = call.received.fields;
    if (!isFromGateway(call) || header === undefined || requestId === undefined) return undefined;
    const message = `requestId must equal X-Request-Id ${header}, not ${quoteJson(requestId)}`;
    return [[requestId === header, message]];
  },
} satisfies Invariants;

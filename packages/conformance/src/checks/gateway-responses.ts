import { type Check, defineCheck, defineInvariants } from '../context/check-context.ts';
import { type HeaderList, readAll } from '../http/exchange.ts';
import { STREAM, toMediaType } from '../http/media-type.ts';
import { claimEach, claimSameHeaders } from '../invariants/claims.ts';
import type { Invariant } from '../invariants/invariant.ts';
import { quoteText } from '../redact.ts';
import {
  ALSO_HANDSHAKES,
  RESPONSES,
  requestHandshakes,
  requestResponses,
} from './gateway-call-sets.ts';

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

const sameEvents: Invariant = (call) => {
  const { fixtureResponse, received } = call;
  const type = readAll(fixtureResponse?.headers ?? [], 'content-type').join();
  if (toMediaType(type) !== STREAM) return undefined;
  const message = `the content type must be ${STREAM}, not ${quoteText(received.mediaType)}`;
  return [[received.mediaType === STREAM, message], ...(sameResponseBody(call) ?? [])];
};

/** Returns the names of hop-by-hop headers, which include those listed in `Connection`. */
function listHops(headers: HeaderList): string[] {
  const listed = readAll(headers, 'connection').join().toLowerCase().split(',');
  const names = ['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade'];
  return [...names, ...listed.map((name) => name.trim())];
}

const REPLACED = ['x-request-id', 'content-disposition'];

const sameHeaders: Invariant = ({ fixtureResponse, received }) => {
  const { headers = [] } = fixtureResponse ?? {};
  const names = [...listHops(headers), ...REPLACED];
  const forwarded = headers.filter(([name]) => !names.includes(name.toLowerCase()));
  return forwarded.length === 0 ? undefined : claimSameHeaders(forwarded, received.headers);
};

const noHops: Invariant = ({ fixtureResponse, received }) => {
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
};

export const gatewayResponses: readonly Check[] = [
  defineCheck('GW-STATUS', { needs: ['fixture'] }, async (t) => {
    for (const { sent, exchange } of await requestResponses(t)) {
      const what = `${exchange.sent.method} /respond: the status`;
      t.expectEqual(what, exchange.received.status, sent, exchange);
    }
  }),
  defineCheck('GW-STATUS', { needs: ['fixture', 'alsoWebSocket'] }, async (t) => {
    const rejected = await requestHandshakes(t);
    const what = 'a handshake that the service rejects: the status';
    t.expectEqual(what, rejected.received.status, 409, rejected);
  }),
  ...defineInvariants([RESPONSES], { 'GW-BODY': sameResponseBody, 'GW-SSE': sameEvents }),
  ...defineInvariants([RESPONSES, ALSO_HANDSHAKES], {
    'GW-HEADERS': sameHeaders,
    'GW-HOP-BY-HOP': noHops,
  }),
];

import {
  type CallContext,
  type Check,
  type CheckContext,
  defineCheck,
  defineInvariants,
} from '../context/check-context.ts';
import { closeSocket, type GatewayCall } from '../context/gateway-client.ts';
import { SkipError } from '../errors.ts';
import { type Exchange, readAll } from '../http/exchange.ts';
import type { Claim } from '../invariants/claims.ts';
import { type Invariant, isHandshake, isOfService, isOwnError } from '../invariants/invariant.ts';
import { openSocket, POST } from './calls.ts';
import { ALSO_HANDSHAKES, REJECTIONS, RESPONSES } from './gateway-call-sets.ts';

/** More than any period at which a gateway could plausibly repeat an ID. */
const CALLS_AT_ONCE = 16;

const PREFLIGHT = {
  Origin: 'https://app.example',
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization, content-type',
};

const readId = ({ received }: Exchange) => readAll(received.headers, 'x-request-id').join().trim();

async function callHandshakes(t: CallContext): Promise<void> {
  await openSocket(t, {}, async () => {});
  const path = t.fixture.socket();
  await closeSocket((await t.gateway.upgrade({ path, credentials: 'none' })).socket);
}

const hasId = (exchange: Exchange): Claim[] => [
  [readId(exchange) !== '', 'the response must have an X-Request-Id'],
];

/** For responses whose sender is certain: an intermediary may send others. */
const hasIdOfGateway: Invariant = (call) => {
  const hasKnownSender = isOfService(call) || isOwnError(call) || call.fixtureResponse;
  return hasKnownSender && !isHandshake(call) ? hasId(call) : undefined;
};

const isReplaced: Invariant = ({ fixtureResponse, received }) => {
  const ofService = readAll(fixtureResponse?.headers ?? [], 'x-request-id');
  const actual = readAll(received.headers, 'x-request-id');
  if (ofService.length === 0 || actual.length === 0) return undefined;
  const isNew = actual.length === 1 && !ofService.some((id) => actual[0]?.includes(id.trim()));
  const message = `X-Request-Id must have exactly one value, set by the gateway, but was ${actual.join(' and ')}`;
  return [[isNew, message]];
};

/** A response without an ID violates GW-REQUEST-ID. */
function expectNewIds(t: CheckContext, exchanges: readonly Exchange[]): void {
  const seen = new Set<string>();
  for (const exchange of exchanges) {
    const id = readId(exchange);
    const message = `each response must have its own X-Request-Id, but two have ${id}`;
    if (id !== '') t.expect(!seen.has(id), message, exchange);
    seen.add(id);
  }
  if (seen.size === 1 && seen.has('')) throw new SkipError('the responses have no X-Request-Id');
}

export const gatewayRequestIds: readonly Check[] = [
  ...defineInvariants([RESPONSES, REJECTIONS], { 'GW-REQUEST-ID/1': hasIdOfGateway }),
  ...defineInvariants([{ needs: ['fixture', 'webSocket'], makeCalls: callHandshakes }], {
    'GW-REQUEST-ID/2': (call) => (isHandshake(call) ? hasId(call) : undefined),
  }),
  ...defineInvariants([RESPONSES, ALSO_HANDSHAKES], { 'GW-REQUEST-ID-NEW/2': isReplaced }),
  defineCheck('GW-REQUEST-ID/3', { needs: [] }, async (t) => {
    const calls = [
      { method: 'OPTIONS', path: '/a/b?c=d' },
      { method: 'OPTIONS', headers: PREFLIGHT, credentials: 'none' },
      { method: 'OPTIONS', headers: PREFLIGHT, service: t.uniqueName() },
      { method: 'HEAD', path: '/a' },
      { method: 'HEAD', credentials: 'none' },
      { method: 'PUT', path: '/a', body: '{}' },
      { method: 'DELETE' },
    ] as const;
    for (const call of calls) {
      const exchange = await t.gateway.call(call);
      const message = `the response to ${call.method} must have an X-Request-Id`;
      t.expect(readId(exchange) !== '', message, exchange);
    }
  }),
  defineCheck('GW-REQUEST-ID-NEW/1', { needs: ['fixture'] }, async (t) => {
    const sentId = t.uniqueName();
    // What a caller sends must not make two calls share one.
    const headers = { 'X-Request-Id': sentId, 'X-Correlation-Id': sentId };
    const kinds: GatewayCall[] = [
      { headers },
      POST,
      { path: t.fixture.respond({ status: 404 }) },
      { service: sentId, headers },
      { service: sentId, credentials: 'none' },
    ];
    const calls = Array.from({ length: CALLS_AT_ONCE }, (_, index) => kinds[index % kinds.length]);
    expectNewIds(t, await Promise.all(calls.map((call) => t.gateway.call(call))));
  }),
  defineCheck('GW-REQUEST-ID-NEW/1', { needs: ['fixture', 'alsoWebSocket'] }, async (t) => {
    const open = () => openSocket(t, {}, async (_, upgrade) => upgrade);
    expectNewIds(t, [await t.gateway.call(POST), await open(), await open()]);
  }),
];

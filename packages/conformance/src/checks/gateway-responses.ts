import { SkipError } from '../errors.ts';
import { type Exchange, readAll } from '../http/exchange.ts';
import type { CallContext } from '../run/call-context.ts';
import { type Check, type CheckContext, defineCalls, defineCheck } from '../run/check.ts';
import { closeSocket, type GatewayCall } from '../run/gateway-client.ts';
import { alternate, openSocket, POST } from './calls.ts';
import { callRejected, requestHandshakes, requestResponses } from './gateway-call-sets.ts';

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
  const path = t.fixture.path('/socket');
  await closeSocket((await t.gateway.upgrade({ path, credentials: 'none' })).socket);
}

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

/** Makes calls to services that cannot be called, and expects a response from the gateway itself. */
async function expectErrors(
  t: CheckContext,
  calls: readonly GatewayCall[],
  status: number,
  code: string,
): Promise<void> {
  for (const call of alternate(calls)) {
    const exchange = await t.gateway.call(call);
    t.expectEqual('the status', exchange.received.status, status, exchange);
    t.expectEqual('the code', exchange.received.fields.code, code, exchange);
  }
}

// The sentences for which each call set of `gateway-call-sets.ts` makes calls; their invariants are in `invariants/gateway.ts`.

const OF_HANDSHAKES = ['GW-HEADERS', 'GW-HOP-BY-HOP', 'GW-REQUEST-ID-NEW/2'] as const;

const OF_RESPONSES = [
  ...OF_HANDSHAKES,
  'GW-BODY',
  'GW-SSE',
  'GW-C1',
  'GW-C2/1',
  'GW-C2/2',
  'GW-C3/1',
  'GW-DISPOSITION-INLINE',
  'GW-REQUEST-ID/1',
] as const;

const OF_REJECTED = ['GW-REQUEST-ID/1', 'GW-ERROR/1', 'GW-ERROR/2'] as const;

export const gatewayResponses: readonly Check[] = [
  ...defineCalls(OF_RESPONSES, ['fixture'], requestResponses),
  ...defineCalls(OF_HANDSHAKES, ['fixture', 'alsoWebSocket'], requestHandshakes),
  ...defineCalls(['GW-C3/2'], ['fixture', 'webSocket'], requestHandshakes),
  ...defineCalls(['GW-REQUEST-ID/2'], ['fixture', 'webSocket'], callHandshakes),
  ...defineCalls(OF_REJECTED, [], callRejected),
  defineCheck('GW-STATUS', ['fixture'], async (t) => {
    for (const { sent, exchange } of await requestResponses(t)) {
      const what = `${exchange.sent.method} /respond: the status`;
      t.expectEqual(what, exchange.received.status, sent, exchange);
    }
  }),
  defineCheck('GW-STATUS', ['fixture', 'alsoWebSocket'], async (t) => {
    const rejected = await requestHandshakes(t);
    const what = 'a handshake that the service rejects: the status';
    t.expectEqual(what, rejected.received.status, 409, rejected);
  }),
  defineCheck('GW-REQUEST-ID/3', [], async (t) => {
    const calls = [
      { method: 'OPTIONS', path: '/a/b?c=d' },
      { method: 'OPTIONS', headers: PREFLIGHT, credentials: 'none' },
      { method: 'OPTIONS', headers: PREFLIGHT, service: t.run.uniqueName() },
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
  defineCheck('GW-REQUEST-ID-NEW/1', ['fixture'], async (t) => {
    const sentId = t.run.uniqueName();
    // What a caller sends must not make two calls share one.
    const headers = { 'X-Request-Id': sentId, 'X-Correlation-Id': sentId };
    const kinds: GatewayCall[] = [
      { headers },
      POST,
      { path: t.fixture.path('/respond', { status: 404 }) },
      { service: sentId, headers },
      { service: sentId, credentials: 'none' },
    ];
    const calls = Array.from({ length: CALLS_AT_ONCE }, (_, index) => kinds[index % kinds.length]);
    expectNewIds(t, await Promise.all(calls.map((call) => t.gateway.call(call))));
  }),
  defineCheck('GW-REQUEST-ID-NEW/1', ['fixture', 'alsoWebSocket'], async (t) => {
    const open = () => openSocket(t, {}, async (_, upgrade) => upgrade);
    expectNewIds(t, [await t.gateway.call(POST), await open(), await open()]);
  }),
  defineCheck('GW-ERROR-FORBIDDEN', ['forbiddenService'], (t) => {
    const { forbiddenService: service = '' } = t.run.settings;
    return expectErrors(t, [{ service, path: '/a/b?c=d' }, { service }], 403, 'SERVICE_FORBIDDEN');
  }),
  defineCheck('GW-ERROR-NOT-FOUND', [], (t) => {
    const service = t.run.uniqueName();
    // Begins like a service that exists.
    const longer = `${t.run.settings.service.slice(0, 59 - service.length)}-${service}`;
    const calls = [{ service }, { service, path: '/a/b?c=d' }, { service: longer }];
    return expectErrors(t, calls, 404, 'SERVICE_NOT_FOUND');
  }),
];

import {
  type Check,
  type CheckContext,
  defineCalls,
  defineCheck,
} from '../context/check-context.ts';
import { closeSocket, type GatewayCall } from '../context/gateway-client.ts';
import { type Exchange, readAll } from '../http/exchange.ts';
import { SkipError } from '../not-run.ts';
import { openSocket, POST, requestErrors } from './gateway-calls.ts';
import { requestAll, requestResponses } from './gateway-responses.ts';

/** More than any period at which a gateway could plausibly repeat an ID. */
const CALLS_AT_ONCE = 14;

const PREFLIGHT = {
  Origin: 'https://app.example',
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization, content-type',
};

const readId = (call: Exchange) => readAll(call.received.headers, 'x-request-id').join().trim();

/** Expects an ID in a response that the invariants are not about. */
const expectId = (t: CheckContext, exchange: Exchange): void =>
  t.expect(readId(exchange) !== '', `a ${exchange.sent.method} got no X-Request-Id`, exchange);

export const gatewayRequestIds: readonly Check[] = [
  // `invariants/gateway-invariants.ts` asserts these sentences, too, for the responses whose sender is certain.
  ...defineCalls(['GW-REQUEST-ID/1'], ['fixture'], requestResponses),
  ...defineCalls(['GW-REQUEST-ID-NEW/2'], ['fixture'], requestAll),
  defineCheck('GW-REQUEST-ID/1', [], async (t) => {
    for (const exchange of await requestErrors(t)) expectId(t, exchange);
  }),
  ...defineCalls(['GW-REQUEST-ID/2'], ['fixture', 'webSocket'], async (t) => {
    await openSocket(t, {}, async () => {});
    const path = t.fixture.socket();
    await closeSocket((await t.gateway.upgrade({ path, credentials: 'none' })).socket);
  }),
  defineCheck('GW-REQUEST-ID/3', [], async (t) => {
    const calls = [
      { method: 'OPTIONS', path: '/a/b?c=d' },
      { method: 'OPTIONS', headers: PREFLIGHT, credentials: 'none' },
      { method: 'OPTIONS', headers: PREFLIGHT, service: t.uniqueName() },
      { method: 'HEAD', path: '/a' },
      { method: 'HEAD', credentials: 'none' },
      { method: 'PUT', path: '/a', body: '{}' },
      { method: 'DELETE' },
    ] as const;
    for (const call of calls)
      expectId(t, await t.gateway.call({ ...call, acceptsRejection: true }));
  }),
  defineCheck('GW-REQUEST-ID-NEW/1', ['fixture'], async (t) => {
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
    const seen = new Set<string>();
    const expectNew = (call: Exchange) => {
      const id = readId(call);
      if (id !== '') t.expect(!seen.has(id), `two responses have the X-Request-Id ${id}`, call);
      seen.add(id);
    };
    const exchanges = await Promise.all(calls.map((call) => t.gateway.call(call)));
    exchanges.forEach(expectNew);
    if (seen.size === 1 && seen.has('')) throw new SkipError('the responses have no X-Request-Id');
    for (let socket = 1; socket <= 2; socket += 1) {
      await openSocket(t, {}, async (_, upgrade) => expectNew(upgrade));
    }
  }),
];

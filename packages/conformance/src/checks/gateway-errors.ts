import {
  type Check,
  type CheckContext,
  defineCalls,
  defineCheck,
} from '../context/check-context.ts';
import { closeSocket, type GatewayCall } from '../context/gateway-client.ts';
import { type Exchange, readAll } from '../http/exchange.ts';
import { SkipError } from '../not-run.ts';
import { cite } from '../validation/cite.ts';
import { alternate, openSocket, POST, requestErrors } from './gateway-calls.ts';

/** Makes calls to services that cannot be called, and expects a response from the gateway itself. */
async function expectErrors(
  t: CheckContext,
  calls: readonly GatewayCall[],
  status: number,
  code: string,
): Promise<void> {
  for (const call of alternate(calls)) {
    // Without `acceptsRefusal`: credentials that have expired in the meantime are not the service's fault.
    const exchange = await t.gateway.call(call);
    t.expectEqual('the status', exchange.received.status, status, exchange);
    t.expectEqual('the code', Object(exchange.received.json).code, code, exchange);
  }
}

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

export const gatewayErrors: readonly Check[] = [
  defineCheck('GW-ERROR/1', [], async (t) => {
    // Without such a body, the invariants do not recognize the responses.
    for (const exchange of await requestErrors(t)) {
      const { json, text } = exchange.received;
      t.expect(Object(json).code !== undefined, `the body of an error was ${cite(text)}`, exchange);
    }
  }),
  defineCalls('GW-ERROR/2', [], requestErrors),
  defineCheck('GW-ERROR-FORBIDDEN', ['forbiddenService'], (t) => {
    const { forbiddenService: service = '' } = t.settings;
    return expectErrors(t, [{ service, path: '/a/b?c=d' }, { service }], 403, 'SERVICE_FORBIDDEN');
  }),
  defineCheck('GW-ERROR-NOT-FOUND', [], (t) => {
    const service = t.uniqueName();
    // Begins like a service that exists.
    const longer = `${t.settings.service.slice(0, 59 - service.length)}-${service}`;
    const calls = [{ service }, { service, path: '/a/b?c=d' }, { service: longer }];
    return expectErrors(t, calls, 404, 'SERVICE_NOT_FOUND');
  }),
  defineCheck('GW-REQUEST-ID/1', [], async (t) => {
    for (const exchange of await requestErrors(t)) expectId(t, exchange);
  }),
  defineCalls('GW-REQUEST-ID/2', ['fixture', 'webSocket'], async (t) => {
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
    for (const call of calls) expectId(t, await t.gateway.call({ ...call, acceptsRefusal: true }));
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

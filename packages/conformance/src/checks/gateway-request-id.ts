import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { type Evidence, headOf, readAll } from '../http/exchange.ts';
import { Unreached } from '../result.ts';
import { closeSocket, jsonPost, openSocket, provokeErrors } from './gateway-calls.ts';

/** More than any period at which a gateway could plausibly repeat an ID. */
const CALLS_AT_ONCE = 14;

const PREFLIGHT = {
  Origin: 'https://app.example',
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization, content-type',
};

const readId = (evidence: Evidence) => readAll(headOf(evidence).headers, 'x-request-id').join();

/** For responses that the invariants are not about. */
function expectId(t: CheckContext, evidence: Evidence): void {
  const { method } = evidence.sent;
  const message = `the response to a ${method} must have an X-Request-Id, whatever its status`;
  t.expect(readId(evidence).trim() !== '', message, evidence);
}

/** Makes calls with methods other than GET and POST. */
async function expectIds(t: CheckContext, calls: readonly GatewayCall[]): Promise<void> {
  for (const call of calls) expectId(t, await t.gateway.call({ ...call, acceptsRefusal: true }));
}

export const gatewayRequestId: readonly Check[] = [
  defineCheck('GW-REQUEST-ID/1', [], async (t) => {
    for (const exchange of await provokeErrors(t)) expectId(t, exchange);
  }),
  defineCheck('GW-REQUEST-ID/2', ['fixture', 'webSocket'], async (t) => {
    await openSocket(t, {}, async () => {});
    const path = t.fixture.socket();
    await closeSocket((await t.gateway.upgrade({ path, credentials: 'none' })).socket);
  }),
  defineCheck('GW-REQUEST-ID/3', [], (t) =>
    expectIds(t, [
      { method: 'OPTIONS', path: '/a/b?c=d' },
      { method: 'OPTIONS', headers: PREFLIGHT, credentials: 'none' },
      { method: 'OPTIONS', headers: PREFLIGHT, service: t.uniqueName() },
    ]),
  ),
  defineCheck('GW-REQUEST-ID/4', [], (t) =>
    expectIds(t, [
      { method: 'HEAD', path: '/a' },
      { method: 'HEAD', credentials: 'none' },
      { method: 'PUT', path: '/a', body: '{}' },
      { method: 'DELETE' },
    ]),
  ),
  defineCheck('GW-REQUEST-ID-NEW/1', ['fixture'], async (t) => {
    const sentId = t.uniqueName();
    // What a caller sends must not make two calls share one.
    const headers = {
      'X-Request-Id': sentId,
      'X-Correlation-Id': sentId,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    const kinds: GatewayCall[] = [
      { headers },
      jsonPost,
      { path: t.fixture.respond({ status: 404 }) },
      { service: sentId, headers },
      { service: sentId, credentials: 'none' },
      { method: 'HEAD', acceptsRefusal: true },
    ];
    const calls = Array.from({ length: CALLS_AT_ONCE }, (_, index) => kinds[index % kinds.length]);
    const seen = new Set<string>();
    const expectNew = (evidence: Evidence) => {
      const id = readId(evidence);
      const message = `every response must have its own X-Request-Id, but two have ${id}`;
      if (id !== '') t.expect(!seen.has(id), message, evidence);
      seen.add(id);
    };
    const exchanges = await Promise.all(calls.map((call) => t.gateway.call(call)));
    exchanges.forEach(expectNew);
    await t.onOneConnection(async ({ gateway }) => {
      for (const call of [{}, {}]) expectNew(await gateway.call(call));
    });
    if (seen.size === 1 && seen.has('')) throw new Unreached('the responses have no X-Request-Id');
    for (let socket = 1; socket <= 2; socket += 1) {
      await openSocket(t, {}, async (_, upgrade) => expectNew(upgrade));
    }
  }),
];

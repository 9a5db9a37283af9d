import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { type Evidence, type HeaderList, headOf, readAll } from '../http/exchange.ts';
import {
  gatewayMethods,
  jsonPost,
  openSocket,
  provokeErrors,
  refuseHandshake,
  requestResponse,
} from './support/gateway.ts';

const CALLS = 36;

const PREFLIGHT = {
  Origin: 'https://app.example',
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization, content-type',
};

const OF_THE_SERVICE = 'of-the-service';

const SENT: readonly [headers: HeaderList, statuses: readonly number[]][] = [
  [[['X-Request-Id', OF_THE_SERVICE]], [200, 304, 404, 500]],
  [[['x-request-id', OF_THE_SERVICE]], [200, 204, 302, 503]],
  [
    [
      ['X-REQUEST-ID', OF_THE_SERVICE],
      ['X-Request-ID', `${OF_THE_SERVICE}-2`],
    ],
    [201, 304, 307, 404],
  ],
];

function expectId(t: CheckContext, what: string, evidence: Evidence): void {
  const id = readAll(headOf(evidence).headers, 'x-request-id').join(', ');
  t.expect(id.trim() !== '', `${what}: the response must have an X-Request-Id`, evidence);
}

function expectOwn(t: CheckContext, what: string, evidence: Evidence): void {
  const ids = readAll(headOf(evidence).headers, 'x-request-id');
  const isOwn = ids.length === 1 && !ids[0]?.includes(OF_THE_SERVICE);
  const came = ids.join(' and ') || 'none';
  const message = `${what}: X-Request-Id must have exactly one value, set by the gateway, but was ${came}`;
  t.expect(isOwn, message, evidence);
}

/** GW-REQUEST-ID/2 covers that a response to a handshake has an ID. */
function expectOwnOfUpgrade(t: CheckContext, what: string, evidence?: Evidence): void {
  if (evidence && readAll(headOf(evidence).headers, 'x-request-id').length > 0) {
    expectOwn(t, what, evidence);
  }
}

async function expectIds(t: CheckContext, calls: readonly GatewayCall[]): Promise<void> {
  for (const call of calls) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    const who = call.credentials === 'none' ? ' without credentials' : '';
    const what = `${call.method} of ${call.path ?? 'the root'}${who}`;
    expectId(t, `${what} (${exchange.received.status})`, exchange);
  }
}

export const gatewayRequestId: readonly Check[] = [
  defineCheck('GW-REQUEST-ID/1', ['fixture'], async (t) => {
    const { respond, events } = t.fixture;
    const paths = [
      '',
      '/a/b',
      events({ count: 1 }),
      ...[204, 304, 302, 404, 500, 503].map((status) => respond({ status })),
      respond({ type: 'text/plain', body: 'a', chunked: true }),
      respond({ type: 'image/png', size: 70_000 }),
    ];
    const calls: GatewayCall[] = gatewayMethods.flatMap((call) =>
      paths.map((path) => ({ ...call, path })),
    );
    const accept = { Accept: 'text/event-stream' };
    calls.push({ ...jsonPost, path: events({ count: 1 }), headers: accept });
    for (const call of calls) {
      expectId(t, `${call.method} ${call.path || 'of the root'}`, await t.gateway.call(call));
    }
    await t.onOneConnection(async ({ gateway }) => {
      for (const path of ['/a', respond({ status: 404 })]) {
        expectId(t, `GET ${path} on one connection`, await gateway.call({ path }));
      }
    });
    for (const { what, exchange } of await provokeErrors(t)) expectId(t, what, exchange);
  }),
  defineCheck('GW-REQUEST-ID-NEW/1', ['fixture'], async (t: CheckContext) => {
    const missing = t.uniqueName();
    const id = t.uniqueName();
    const own: GatewayCall = {
      headers: {
        'X-Request-Id': id,
        'X-Correlation-Id': id,
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
    };
    const kinds: GatewayCall[] = [
      ...gatewayMethods,
      { path: t.fixture.respond({ status: 404 }) },
      { path: t.fixture.respond({ status: 204 }) },
      { path: t.fixture.respond({ status: 302 }) },
      { method: 'HEAD', path: '/a', acceptsRefusal: true },
      { path: t.fixture.events({ count: 1 }) },
      { service: missing },
      { service: missing, credentials: 'none' },
      { service: 'a' },
      // What a caller sends must not make two calls share one either.
      own,
      { ...own, service: missing },
    ];
    const calls = Array.from({ length: CALLS }, (_, index) => kinds[index % kinds.length]);
    const atOnce = await Promise.all(calls.map((call) => t.gateway.call(call)));
    const inTurn: Evidence[] = [];
    await t.onOneConnection(async ({ gateway }) => {
      for (const call of [{}, {}, own, own]) inTurn.push(await gateway.call(call));
    });
    for (const mark of [id, missing]) {
      await openSocket(t, { mark }, async (_, upgrade) => void inTurn.push(upgrade));
    }
    const seen = new Set<string>();
    let ids = 0;
    for (const evidence of [...atOnce, ...inTurn]) {
      const [came] = readAll(headOf(evidence).headers, 'x-request-id');
      if (came === undefined) continue;
      ids += 1;
      const message = `every response must have its own X-Request-Id, but two have ${came}`;
      t.expect(!seen.has(came), message, evidence);
      seen.add(came);
    }
    t.reach(ids > 1, 'the responses have no X-Request-Id');
  }),
  defineCheck('GW-REQUEST-ID-NEW/2', ['fixture'], async (t: CheckContext) => {
    const plain = await t.gateway.call({ path: '/echo' });
    const hasId = plain.received.header('x-request-id') !== undefined;
    t.reach(hasId, 'the responses have no X-Request-Id');
    for (const [headers, statuses] of SENT) {
      for (const call of gatewayMethods) {
        for (const status of statuses) {
          const order = { status, type: 'application/json', body: '{}', headers };
          expectOwn(t, `${call.method} /respond ${status}`, await requestResponse(t, order, call));
        }
        const path = t.fixture.events({ count: 1, headers });
        expectOwn(t, `${call.method} /events`, await t.gateway.call({ ...call, path }));
      }
      await openSocket(t, { headers }, async (_, upgrade) =>
        expectOwnOfUpgrade(t, 'the 101 of a WebSocket', upgrade),
      );
    }
    const { refusal } = await refuseHandshake(t, { headers: SENT[0]?.[0] ?? [] });
    expectOwnOfUpgrade(t, 'a handshake that the service rejects', refusal);
  }),
  defineCheck('GW-REQUEST-ID/2', ['fixture', 'webSocket'], async (t) => {
    for (const offers of [[], ['conformance']]) {
      const what = `the 101 of a handshake that offers ${offers[0] ?? 'no subprotocol'}`;
      await openSocket(t, { offers }, async (_, upgrade) => expectId(t, what, upgrade));
    }
    const path = t.fixture.socket();
    const byGateway = await t.gateway.upgrade({ path, credentials: 'none' });
    const byService = await refuseHandshake(t);
    for (const [who, { refusal }] of Object.entries({ gateway: byGateway, service: byService })) {
      if (refusal) expectId(t, `the response to a handshake that the ${who} rejects`, refusal);
    }
  }),
  defineCheck('GW-REQUEST-ID/4', [], (t) =>
    expectIds(t, [
      { method: 'HEAD', path: '/a' },
      { method: 'PUT', path: '/a', body: '{}' },
      { method: 'DELETE' },
      { method: 'HEAD', credentials: 'none' },
    ]),
  ),
  defineCheck('GW-REQUEST-ID/3', [], (t) => {
    const preflight = { method: 'OPTIONS', headers: PREFLIGHT };
    return expectIds(t, [
      { method: 'OPTIONS' },
      { method: 'OPTIONS', path: '/a/b?c=d' },
      { method: 'OPTIONS', path: '/a', credentials: 'none' },
      { ...preflight, path: '/a', credentials: 'none' },
      { ...preflight, credentials: 'none' },
      { ...preflight, path: '/a' },
      { ...preflight, service: t.uniqueName(), credentials: 'none' },
    ]);
  }),
];

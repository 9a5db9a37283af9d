import type { GatewayCall } from '../../trial/gateway-tool.ts';
import { defineCheck } from '../check.ts';
import { gatewayMethods, jsonPost } from '../support/gateway-methods.ts';
import { provokeErrors } from '../support/provoke-errors.ts';

export const gwRequestId = defineCheck('GW-REQUEST-ID', ['fixture'], async (t) => {
  const { answer, events } = t.fixture;
  const paths = [
    '',
    '/a/b',
    events({ count: 1 }),
    ...[204, 304, 302, 404, 500, 503].map((status) => answer({ status })),
    answer({ type: 'text/plain', body: 'a', chunked: true }),
    answer({ type: 'image/png', size: 70_000 }),
  ];
  const calls: GatewayCall[] = gatewayMethods.flatMap((call) =>
    paths.map((path) => ({ ...call, path })),
  );
  calls.push({ ...jsonPost, path: events({ count: 1 }), headers: { Accept: 'text/event-stream' } });
  for (const call of calls) {
    const exchange = await t.gateway.call(call);
    const id = exchange.received.header('x-request-id') ?? '';
    const what = `${call.method} ${call.path || 'of the root'}`;
    t.expect(id.trim() !== '', `${what}: the answer must carry X-Request-Id`);
  }
  for (const { what, exchange } of await provokeErrors(t)) {
    const id = exchange.received.header('x-request-id') ?? '';
    t.expect(id.trim() !== '', `${what}: the error must carry X-Request-Id`, exchange);
  }
});

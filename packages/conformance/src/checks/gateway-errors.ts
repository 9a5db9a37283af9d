import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import type { Exchange } from '../http/exchange.ts';
import { cite } from '../validation/cite.ts';
import { alternate, orNothing, provokeErrors } from './gateway-calls.ts';

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

/** A proxy before the gateway may respond to an unknown host by itself, but then without a request ID. */
async function callOtherHost(t: CheckContext): Promise<readonly Exchange[]> {
  const call = { host: `${t.uniqueName()}.gateway.example`, acceptsRefusal: true };
  const exchange = await orNothing(t, t.gateway.call(call));
  const { status = 0, header } = exchange?.received ?? {};
  return exchange && status >= 400 && header?.('x-request-id') !== undefined ? [exchange] : [];
}

export const gatewayErrors: readonly Check[] = [
  defineCheck('GW-ERROR/1', [], async (t) => {
    // Without such a body, the invariants do not recognize the responses.
    for (const exchange of [...(await provokeErrors(t)), ...(await callOtherHost(t))]) {
      const { json, text } = exchange.received;
      const message = `the body must be an error with a code, not ${cite(text)}`;
      t.expect(Object(json).code !== undefined, message, exchange);
    }
  }),
  defineCheck('GW-ERROR/2', [], provokeErrors),
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
];

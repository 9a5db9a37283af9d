import {
  type Check,
  type CheckContext,
  defineCalls,
  defineCheck,
} from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { cite } from '../validation/cite.ts';
import { alternate, requestErrors } from './gateway-calls.ts';

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
];

import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { SkipError } from '../not-run.ts';
import { cite } from '../redact.ts';
import { alternate, requestErrors } from './gateway-calls.ts';

/** Makes calls to services that cannot be called, and expects a response from the gateway itself. */
async function expectErrors(
  t: CheckContext,
  calls: readonly GatewayCall[],
  status: number,
  code: string,
): Promise<void> {
  for (const call of alternate(calls)) {
    // Without `acceptsRejection`: credentials that have expired in the meantime are not the service's fault.
    const exchange = await t.gateway.call(call);
    t.expectEqual('the status', exchange.received.status, status, exchange);
    t.expectEqual('the code', Object(exchange.received.json).code, code, exchange);
  }
}

export const gatewayErrors: readonly Check[] = [
  // The invariants recognize a gateway's error by its body, so they miss some that violate these sentences.
  defineCheck('GW-ERROR/1', [], async (t) => {
    for (const exchange of await requestErrors(t)) {
      const { json, mediaType, text } = exchange.received;
      t.expectEqual('the media type of an error', mediaType, 'application/json', exchange);
      const { code, message, requestId } = Object(json);
      const isComplete = [code, message, requestId].every((value) => typeof value === 'string');
      const found = `an error must have code, message and requestId, but its body was ${cite(text)}`;
      t.expect(isComplete, found, exchange);
    }
  }),
  defineCheck('GW-ERROR/2', [], async (t) => {
    for (const exchange of await requestErrors(t)) {
      const { requestId } = Object(exchange.received.json);
      const header = exchange.received.header('x-request-id');
      if (header === undefined || requestId === undefined) continue;
      t.expectEqual('the requestId of an error', requestId, header, exchange);
    }
    if (t.record.assertions > 0) return;
    throw new SkipError('no error has both a requestId and an X-Request-Id');
  }),
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

import {
  type Check,
  type CheckContext,
  defineCheck,
  defineInvariants,
} from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { type Invariant, isOwnError } from '../invariants/invariant.ts';
import { quoteJson } from '../redact.ts';
import { alternate } from './calls.ts';
import { REJECTIONS } from './gateway-call-sets.ts';

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
    t.expectEqual('the code', Object(exchange.received.json).code, code, exchange);
  }
}

const sameId: Invariant = (call) => {
  const header = call.received.header('x-request-id');
  const { requestId } = Object(call.received.json);
  if (!isOwnError(call) || header === undefined || requestId === undefined) return undefined;
  const message = `requestId must equal X-Request-Id ${header}, not ${quoteJson(requestId)}`;
  return [[requestId === header, message]];
};

export const gatewayErrors: readonly Check[] = [
  ...defineInvariants([REJECTIONS], {
    'GW-ERROR/1': (call) => (isOwnError(call) ? call.checkSchema() : undefined),
    'GW-ERROR/2': sameId,
  }),
  defineCheck('GW-ERROR-FORBIDDEN', { needs: ['forbiddenService'] }, (t) => {
    const { forbiddenService: service = '' } = t.settings;
    return expectErrors(t, [{ service, path: '/a/b?c=d' }, { service }], 403, 'SERVICE_FORBIDDEN');
  }),
  defineCheck('GW-ERROR-NOT-FOUND', { needs: [] }, (t) => {
    const service = t.uniqueName();
    // Begins like a service that exists.
    const longer = `${t.settings.service.slice(0, 59 - service.length)}-${service}`;
    const calls = [{ service }, { service, path: '/a/b?c=d' }, { service: longer }];
    return expectErrors(t, calls, 404, 'SERVICE_NOT_FOUND');
  }),
];

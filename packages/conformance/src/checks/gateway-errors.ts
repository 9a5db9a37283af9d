import type { CheckContext } from '../context/check-context.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Check, defineCheck } from './check.ts';
import { cite, expectText, show } from './support/cite.ts';
import { gatewayMethods, provokeErrors } from './support/gateway.ts';

/** Expects a field in every error body to be a string. */
async function expectField(
  t: CheckContext,
  field: 'code' | 'message' | 'requestId',
): Promise<void> {
  let bodies = 0;
  for (const { what, exchange } of await provokeErrors(t)) {
    const { json } = exchange.received;
    if (typeof json !== 'object' || json === null) continue;
    bodies += 1;
    expectText(t, `${what}: ${field}`, (json as Record<string, unknown>)[field], exchange);
  }
  t.reach(bodies > 0, 'no error response from the gateway has a JSON object as its body');
}

/** Expects a response from the gateway itself, with this status and code. */
function expectError(
  t: CheckContext,
  { received }: Exchange,
  what: string,
  status: number,
  code: string,
): void {
  t.expectEqual(`${what}: the status`, received.status, status);
  const came = Object(received.json).code;
  t.expect(came === code, `${what}: the code must be ${code}, not ${show(came)}`);
}

export const gatewayErrors: readonly Check[] = [
  defineCheck('GW-ERROR-BODY', [], async (t) => {
    for (const { what, exchange } of await provokeErrors(t)) {
      const { mediaType, json, text } = exchange.received;
      t.expectEqual(`${what}: the content type`, mediaType, 'application/json', exchange);
      const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
      const came = cite(text);
      t.expect(isObject, `${what}: the body must be a JSON object, not ${came}`, exchange);
    }
  }),
  defineCheck('GW-ERROR-CODE', [], (t) => expectField(t, 'code')),
  defineCheck('GW-ERROR-MESSAGE', [], (t) => expectField(t, 'message')),
  defineCheck('GW-ERROR-REQUEST-ID', [], (t) => expectField(t, 'requestId')),
  defineCheck('GW-ERROR-FORBIDDEN', ['forbiddenService'], async (t) => {
    const service = t.settings.forbiddenService ?? '';
    for (const call of gatewayMethods) {
      for (const path of ['', '/a/b?c=d']) {
        const exchange = await t.gateway.call({ ...call, service, path, acceptsRefusal: true });
        // Credentials that have expired in the meantime are not the service's fault.
        if (exchange.received.status === 401) await t.gateway.call({ service: t.uniqueName() });
        const what = `${call.method} ${service}${path}`;
        expectError(t, exchange, what, 403, 'SERVICE_FORBIDDEN');
      }
    }
  }),
  defineCheck('GW-ERROR-NOT-FOUND', [], async (t) => {
    const name = t.uniqueName();
    // Begins like a service that exists.
    const longer = `${t.settings.service.slice(0, 59 - name.length)}-${name}`;
    const cases = [
      { path: '', service: name },
      { path: '/', service: longer },
      { path: '/a/b?c=d', service: name },
    ];
    for (const call of gatewayMethods) {
      for (const { path, service } of cases) {
        const exchange = await t.gateway.call({ ...call, service, path });
        const what = `a ${call.method} to the path "${path}" of a missing service`;
        expectError(t, exchange, what, 404, 'SERVICE_NOT_FOUND');
      }
    }
  }),
];

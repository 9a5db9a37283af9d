import type { CheckContext } from '../context/check-context.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Check, defineCheck } from './check.ts';
import { show } from './support/cite.ts';
import { gatewayMethods, provokeErrors } from './support/gateway.ts';

/** Checks a field in every error body. */
async function checkField(
  t: CheckContext,
  rule: 'GW-ERROR-CODE' | 'GW-ERROR-MESSAGE' | 'GW-ERROR-REQUEST-ID',
): Promise<void> {
  let bodies = 0;
  for (const { what, exchange } of await provokeErrors(t)) {
    const { json } = exchange.received;
    if (typeof json !== 'object' || json === null) continue;
    bodies += 1;
    t.claim(rule, what, exchange);
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
      t.claim('GW-ERROR-BODY', what, exchange);
    }
  }),
  defineCheck('GW-ERROR-CODE', [], (t) => checkField(t, 'GW-ERROR-CODE')),
  defineCheck('GW-ERROR-MESSAGE', [], (t) => checkField(t, 'GW-ERROR-MESSAGE')),
  defineCheck('GW-ERROR-REQUEST-ID', [], (t) => checkField(t, 'GW-ERROR-REQUEST-ID')),
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

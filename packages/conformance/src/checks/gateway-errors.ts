import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { cite } from '../validation/cite.ts';
import { gatewayMethods, provokeErrors } from './support/gateway.ts';

/** Makes calls to services that cannot be called, and expects a response from the gateway itself. */
async function expectErrors(
  t: CheckContext,
  cases: readonly { service: string; path: string }[],
  status: number,
  code: string,
): Promise<void> {
  for (const call of gatewayMethods) {
    for (const { service, path } of cases) {
      const exchange = await t.gateway.call({ ...call, service, path, acceptsRefusal: true });
      // Credentials that have expired in the meantime are not the service's fault.
      if (exchange.received.status === 401) await t.gateway.call({ service: t.uniqueName() });
      const what = `${call.method} ${service}${path}`;
      t.expectEqual(`${what}: the status`, exchange.received.status, status, exchange);
      t.expectEqual(`${what}: the code`, Object(exchange.received.json).code, code, exchange);
    }
  }
}

export const gatewayErrors: readonly Check[] = [
  defineCheck('GW-ERROR/1', [], async (t) => {
    // Without such a body, the invariants do not recognize the responses.
    for (const { what, exchange } of await provokeErrors(t)) {
      const { received } = exchange;
      const message = `${what}: the body must be an error with a code, not ${cite(received.text)}`;
      t.expect(Object(received.json).code !== undefined, message, exchange);
    }
    await t.onOneConnection(async ({ gateway }) => {
      for (const service of [t.uniqueName(), t.uniqueName()]) {
        await gateway.call({ service, credentials: 'none' });
      }
    });
  }),
  defineCheck('GW-ERROR-FORBIDDEN', ['forbiddenService'], (t) => {
    const { forbiddenService: service = '' } = t.settings;
    const cases = ['', '/a/b?c=d'].map((path) => ({ service, path }));
    return expectErrors(t, cases, 403, 'SERVICE_FORBIDDEN');
  }),
  defineCheck('GW-ERROR-NOT-FOUND', [], (t) => {
    const name = t.uniqueName();
    // Begins like a service that exists.
    const longer = `${t.settings.service.slice(0, 59 - name.length)}-${name}`;
    const cases = [
      { path: '', service: name },
      { path: '/', service: longer },
      { path: '/a/b?c=d', service: name },
    ];
    return expectErrors(t, cases, 404, 'SERVICE_NOT_FOUND');
  }),
];

import type { CheckContext } from '../context/check-context.ts';
import { type Check, defineCheck } from './check.ts';
import { cite } from './support/cite.ts';
import { gatewayMethods, provokeErrors } from './support/gateway.ts';
import { show } from './support/storage.ts';

/** Every error body must have the field, as a string. */
async function expectField(
  t: CheckContext,
  field: 'code' | 'message' | 'requestId',
): Promise<void> {
  let bodies = 0;
  for (const { what, exchange } of await provokeErrors(t)) {
    const { json } = exchange.received;
    if (typeof json !== 'object' || json === null) continue;
    bodies += 1;
    const value = (json as Record<string, unknown>)[field];
    const came = show(value);
    t.expect(
      typeof value === 'string',
      `${what}: ${field} must be a string, not ${came}`,
      exchange,
    );
  }
  t.reach(bodies > 0, 'no error of the gateway is a JSON object');
}

export const gatewayErrors: readonly Check[] = [
  defineCheck('GW-ERROR-BODY', [], async (t) => {
    for (const { what, exchange } of await provokeErrors(t)) {
      const { mediaType, json, text } = exchange.received;
      t.expect(
        mediaType === 'application/json',
        `${what}: the content type must be application/json, not ${cite(mediaType)}`,
        exchange,
      );
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
        const { received } = await t.gateway.call({ ...call, service, path, acceptsRefusal: true });
        // Credentials that have ended in between are not the fault of the service.
        if (received.status === 401) await t.gateway.call({ service: t.uniqueName() });
        const { code } = Object(received.json);
        const what = `${call.method} ${service}${path}`;
        t.expect(
          received.status === 403,
          `${what}: the status must be 403, not ${received.status}`,
        );
        t.expect(
          code === 'SERVICE_FORBIDDEN',
          `${what}: the code must be SERVICE_FORBIDDEN, not ${show(code)}`,
        );
      }
    }
  }),
  defineCheck('GW-ERROR-NOT-FOUND', [], async (t) => {
    const name = t.uniqueName();
    // One that begins like a service that exists.
    const longer = `${t.settings.service.slice(0, 59 - name.length)}-${name}`;
    const cases = [
      { path: '', service: name },
      { path: '/', service: longer },
      { path: '/a/b?c=d', service: name },
    ];
    for (const call of gatewayMethods) {
      for (const { path, service } of cases) {
        const { received } = await t.gateway.call({ ...call, service, path });
        const { code } = Object(received.json);
        const what = `${call.method} of a missing service, path "${path}"`;
        t.expect(
          received.status === 404,
          `${what}: the status must be 404, not ${received.status}`,
        );
        t.expect(
          code === 'SERVICE_NOT_FOUND',
          `${what}: the code must be SERVICE_NOT_FOUND, not ${show(code)}`,
        );
      }
    }
  }),
];

import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

export const gwErrorNotFound = defineCheck('GW-ERROR-NOT-FOUND', [], async (t) => {
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
      t.expect(received.status === 404, `${what}: the status must be 404, not ${received.status}`);
      t.expect(
        code === 'SERVICE_NOT_FOUND',
        `${what}: the code must be SERVICE_NOT_FOUND, not ${show(code)}`,
      );
    }
  }
});

import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

export const gwErrorNotFound = defineCheck('GW-ERROR-NOT-FOUND', [], async (t) => {
  for (const call of gatewayMethods) {
    for (const path of ['', '/', '/a/b?c=d']) {
      const { received } = await t.gateway.call({ ...call, service: t.uniqueName(), path });
      const { code } = Object(received.json);
      const what = `${call.method} of a missing service, path "${path}"`;
      t.expect(received.status === 404, `${what}: the status must be 404, not ${received.status}`);
      t.expect(
        code === 'SERVICE_NOT_FOUND',
        `${what}: the code must be SERVICE_NOT_FOUND, not ${code}`,
      );
    }
  }
});

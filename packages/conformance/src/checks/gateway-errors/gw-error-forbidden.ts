import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

export const gwErrorForbidden = defineCheck(
  'GW-ERROR-FORBIDDEN',
  ['forbiddenService'],
  async (t) => {
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
  },
);

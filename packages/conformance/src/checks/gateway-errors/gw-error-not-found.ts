import { defineCheck } from '../check.ts';

export const gwErrorNotFound = defineCheck('GW-ERROR-NOT-FOUND', [], async (t) => {
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? { body: '{}' } : {};
    const { received } = await t.gateway.call({ method, service: t.uniqueName(), ...body });
    const { code } = Object(received.json);
    t.expect(received.status === 404, `the status must be 404, not ${received.status}`);
    t.expect(code === 'SERVICE_NOT_FOUND', `the code must be SERVICE_NOT_FOUND, not ${code}`);
  }
});

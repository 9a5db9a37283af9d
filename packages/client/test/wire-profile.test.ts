import { toWireProfile } from '@berth/client';
import { createMock } from '@berth/mock';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, it } from 'vitest';
import { failureOf, gatewayAt } from './support/clients.ts';

const wireProfile = toWireProfile(acme);
it('distinguishes the errors of the gateway from those of a service by its own names', async () => {
  await using mock = await createMock({ wireProfile });
  const auth = { authorize: () => 'Bearer a' };
  const service = gatewayAt(mock.gatewayUrl, { wireProfile, auth }).service('hello');
  const { headers } = await service.request();
  expect(headers.get('X-Acme-Upstream-Status-Code')).toBe('200');
  const refused = failureOf(service.get('', { headers: { Prefer: 'code=503' }, retry: false }));
  expect(await refused).toMatchObject({ kind: 'gateway', code: 'SERVICE_NOT_READY' });
});

import { defaultWireProfile, type GatewayError, type UploadError } from '@berth/client';
import { assert, assertFails } from '../assert.ts';
import { serviceOf, storageOf, unique } from '../clients.ts';
import type { PlatformCase } from '../platform-case.ts';
import { SERVICES } from '../services.ts';

const once = { retry: false } as const;

/** Calls that fail. */
export const ERRORS: readonly PlatformCase[] = [
  {
    name: 'reports a refusal of the gateway',
    feature: 'errors',
    async run(deployment) {
      const missing = await assertFails(serviceOf(deployment, unique('none')).get('a'), {
        name: 'GatewayError',
        source: 'gateway',
        code: 'SERVICE_NOT_FOUND',
        status: 404,
      });
      assert((missing as GatewayError).requestId, 'no request id');
      const stranger = serviceOf(deployment, SERVICES.echo, { auth: undefined as never });
      await assertFails(stranger.get('a'), {
        name: 'GatewayError',
        source: 'gateway',
        status: 401,
      });
    },
  },
  {
    name: 'reports an unreachable server',
    feature: 'errors',
    async run(deployment) {
      const { nowhere } = deployment;
      const echo = serviceOf({ ...deployment, gateway: nowhere }, SERVICES.echo, once);
      await assertFails(echo.get('a'), { name: 'NetworkError' });
      const storage = storageOf({ ...deployment, storage: nowhere }, once);
      await assertFails(storage.upload('a.txt', 'a'), { name: 'NetworkError' });
    },
  },
  {
    name: 'reports a passed time limit',
    feature: 'errors',
    async run(deployment) {
      const slow = serviceOf(deployment, SERVICES.slow, { ...once, timeouts: { perTry: 200 } });
      await assertFails(slow.get(unique('late')), { name: 'TimeoutError', timeout: 200 });
    },
  },
  {
    name: 'reads the XML error of the upload target, with progress and without',
    feature: 'errors',
    async run(deployment) {
      // The form lacks two fields of its grant, so nothing is stored and the response is an XML `Error`
      // (D30).
      const uploadFields = { securityToken: 'x-no-token', metaFileId: 'x-no-id' };
      const storage = storageOf(deployment, {
        ...once,
        wireProfile: { ...defaultWireProfile, uploadFields },
      });
      for (const onProgress of [undefined, () => {}]) {
        const error = await assertFails(storage.upload('refused.txt', 'a', { onProgress }), {
          name: 'UploadError',
        });
        const { code, status = 0 } = error as UploadError;
        assert(code, `no code was read: ${error}`);
        assert(status >= 400 && status < 500, `status ${status}`);
      }
    },
  },
];

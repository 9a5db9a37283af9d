import { defaultWireProfile, type GatewayError, type UploadError } from '@berth/client';
import { assert, assertEqual, assertFails } from '../assert.ts';
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
    name: 'reports a refusal of the service itself',
    feature: 'errors',
    async run(deployment) {
      const echo = serviceOf(deployment, SERVICES.echo);
      const error = await assertFails(echo.post('status/409', {}), {
        name: 'GatewayError',
        source: 'service',
        status: 409,
      });
      assertEqual((error as GatewayError).body(), { status: 409 });
    },
  },
  {
    name: 'reports a response that claims to be JSON and is not',
    feature: 'errors',
    async run(deployment) {
      const echo = serviceOf(deployment, SERVICES.echo);
      await assertFails(echo.get('broken'), { name: 'ContractError' });
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
    name: 'reports a missing file',
    feature: 'errors',
    async run(deployment) {
      const fileID = `cloud://${deployment.envId}.files/${unique('missing.txt')}`;
      const missing = { name: 'StorageError', code: 'STORAGE_FILE_NONEXIST' };
      const storage = storageOf(deployment);
      await assertFails(storage.download(fileID), missing);
      await assertFails(storage.delete(fileID), missing);
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

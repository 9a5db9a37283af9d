import { tc3 } from '@berth/client';
import { assert, assertEqual } from '../assert.ts';
import { serviceOf, storageOf, unique } from '../clients.ts';
import type { PlatformCase } from '../platform-case.ts';
import { type Echo, SERVICES } from '../services.ts';

/** Signatures made with the platform's WebCrypto. */
export const SIGNATURES: readonly PlatformCase[] = [
  {
    name: 'signs as published (signature version 3)',
    feature: 'signature',
    async run() {
      const pair = { secretId: 'AKIDEXAMPLE', secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' };
      const value = await tc3({ ...pair, service: 'tcb' }).authorize({
        method: 'POST',
        url: 'https://env-abc.api.tcloudbasegateway.com/v1/cloudrun/svc-1',
        headers: { 'content-type': 'application/json' },
        body: '{"msg":"你好"}',
        now: 1_700_000_000_000,
      });
      const published = '7e623ebb6f91f1a29a4978b68cf59a9c484e76d291ca2fb0816abd663aa4e731';
      assert(value?.includes(`Signature=${published}`), `signed as ${value}`);
    },
  },
  {
    name: 'sends signed calls to both APIs',
    feature: 'signature',
    async run(deployment) {
      const echo = serviceOf(deployment, SERVICES.echo, { auth: tc3(deployment.keyPair) });
      assertEqual((await echo.post<Echo>('a', { b: 1 })).body, '{"b":1}');
      const storage = storageOf(deployment);
      const { fileID } = await storage.upload(unique('signed.txt'), 'a');
      await storage.delete(fileID);
    },
  },
];

import { tc3 } from '@berth/client';
import { assertEqual } from '../assert.ts';
import { serviceOf, storageOf, unique } from '../clients.ts';
import type { PlatformCase } from '../platform-case.ts';
import { type Echo, SERVICES } from '../services.ts';

/** Signatures made with the platform's WebCrypto. */
export const SIGNATURES: readonly PlatformCase[] = [
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

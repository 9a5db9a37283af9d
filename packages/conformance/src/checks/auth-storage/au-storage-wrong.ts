import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { reachGoodFields, readCredentials } from './storage-credentials.ts';
import { makeWrongCredentials } from './wrong-credentials.ts';

export const auStorageWrong = defineCheck(
  'AU-STORAGE-WRONG',
  ['storageCredentials'],
  async (t: Trial) => {
    const fields = await reachGoodFields(t);
    const { authorization } = t.settings.wireProfile.storageHeaders;
    const good = await readCredentials(t, authorization);
    for (const [what, credentials] of Object.entries(makeWrongCredentials(t, good))) {
      for (const operation of STORAGE_OPERATIONS) {
        const reply = await t.storage.call(operation, fields[operation], { credentials });
        t.expect(
          reply.refused,
          `${operation} with ${what}: must be refused, not accepted with ${reply.received.status}`,
        );
      }
    }
  },
);

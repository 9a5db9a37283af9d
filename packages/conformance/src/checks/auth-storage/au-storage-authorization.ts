import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { expectHeaderTaken, reachGoodFields, readCredentials } from './storage-credentials.ts';

export const auStorageAuthorization = defineCheck(
  'AU-STORAGE-AUTHORIZATION',
  ['storageCredentials'],
  async (t: Trial) => {
    const { authorization } = t.settings.wireProfile.storageHeaders;
    const credentials = await readCredentials(t, authorization);
    await expectHeaderTaken(t, authorization);
    const fields = await reachGoodFields(t);
    const rest = credentials.filter(([name]) => name.toLowerCase() !== authorization.toLowerCase());
    for (const operation of STORAGE_OPERATIONS) {
      const reply = await t.storage.call(operation, fields[operation], { credentials: rest });
      t.expect(
        reply.refused,
        `${operation} without ${authorization}: must be refused, not accepted with ${reply.received.status}`,
      );
    }
  },
);

import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
import { defineCheck } from '../check.ts';
import { reachGoodFields } from './storage-credentials.ts';

export const auStorageEnv = defineCheck('AU-STORAGE-ENV', ['storageCredentials'], async (t) => {
  const fields = await reachGoodFields(t);
  const { env } = t.settings;
  const others = [t.uniqueName(), `${env}x`, `x${env}`, `${env}-${env}`];
  for (const operation of STORAGE_OPERATIONS) {
    for (const other of others) {
      const options = { env: other, acceptsRefusal: true };
      const reply = await t.storage.call(operation, fields[operation], options);
      t.expect(
        reply.refused,
        `${operation} for the environment ${other}: must be refused, not accepted with ${reply.received.status}`,
      );
    }
  }
});

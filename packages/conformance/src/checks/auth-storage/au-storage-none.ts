import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
import { defineCheck } from '../check.ts';
import { reachGoodFields } from './storage-credentials.ts';

export const auStorageNone = defineCheck('AU-STORAGE-NONE', [], async (t) => {
  const fields = await reachGoodFields(t);
  for (const operation of STORAGE_OPERATIONS) {
    const none = { credentials: 'none' } as const;
    const reply = await t.storage.call(operation, fields[operation], none);
    t.expect(
      reply.refused,
      `${operation} without credentials: must be refused, not accepted with ${reply.received.status}`,
    );
  }
});

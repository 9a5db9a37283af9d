import { STORAGE_OPERATIONS, type StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { makeGoodFields } from '../support/good-fields.ts';
import { reachAll } from './call-good.ts';

/** Fields that no operation has, of each JSON type, and names that careless code trips over. */
const UNKNOWN: readonly Record<string, unknown>[] = [
  { unknown: 'text' },
  { unknown: 1, other: [true, null], more: { a: {} } },
  { constructor: 'text', toString: 1 },
  { 'a.b c/中': null, '': '' },
];

export const stUnknownFields = defineCheck('ST-UNKNOWN-FIELDS', [], async (t) => {
  const fields = await makeGoodFields(t);
  await reachAll(t, fields);
  for (const operation of STORAGE_OPERATIONS) {
    const good = fields[operation];
    await expectIgnored(t, operation, 'beside the fields', (unknown) => ({ ...unknown, ...good }));
    const [item] = Array.isArray(good.fileList) ? good.fileList : [];
    if (typeof item !== 'object') continue;
    await expectIgnored(t, operation, 'in an item', (unknown) => ({
      fileList: [{ ...item, ...unknown }],
    }));
  }
});

/** One finding for each place is enough. */
async function expectIgnored(
  t: Trial,
  operation: StorageOperation,
  place: string,
  add: (unknown: object) => object,
): Promise<void> {
  for (const unknown of UNKNOWN) {
    const reply = await t.storage.call(operation, add(unknown), { acceptsRefusal: true });
    const names = Object.keys(unknown).map((name) => JSON.stringify(name));
    const { status } = reply.received;
    const came = `refused with ${status} ${reply.code}`;
    const what = `${operation}, ${names.join(', ')} ${place}`;
    t.expect(!reply.refused, `${what}: must be ignored, not ${came}`);
    if (reply.refused) return;
  }
}

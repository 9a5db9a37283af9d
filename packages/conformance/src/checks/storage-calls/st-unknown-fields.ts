import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
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
    const { fileList } = fields[operation];
    const [item] = Array.isArray(fileList) ? fileList : [];
    for (const unknown of UNKNOWN) {
      const places: Record<string, object> = {
        'beside the fields': { ...unknown, ...fields[operation] },
      };
      if (typeof item === 'object') {
        places['in an item'] = { fileList: [{ ...item, ...unknown }] };
      }
      for (const [place, request] of Object.entries(places)) {
        const reply = await t.storage.call(operation, request, { acceptsRefusal: true });
        const names = Object.keys(unknown).map((name) => JSON.stringify(name));
        t.expect(
          !reply.refused,
          `${operation}, ${names.join(', ')} ${place}: must be ignored, not refused with ${reply.received.status}`,
        );
      }
    }
  }
});

import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
import { defineCheck } from '../check.ts';
import { makeGoodFields } from '../support/good-fields.ts';
import { reachAll } from './call-good.ts';

export const stGetRefused = defineCheck('ST-GET-REFUSED', [], async (t) => {
  const fields = await makeGoodFields(t);
  await reachAll(t, fields);
  for (const operation of STORAGE_OPERATIONS) {
    const plain = { method: 'GET', acceptsRefusal: true };
    const { sent, received, refused } = await t.storage.call(operation, {}, plain);
    t.expect(refused, `GET ${operation} must be refused, not accepted with ${received.status}`);
    const query = Object.entries(fields[operation])
      .map(([name, value]) => `${name}=${encodeURIComponent(toText(value))}`)
      .join('&');
    const target = `${sent.url.slice(new URL(sent.url).origin.length)}?${query}`;
    const asked = await t.storage.call(operation, {}, { ...plain, target });
    t.expect(
      asked.refused,
      `GET ${operation} with its fields in the query must be refused, not accepted with ${asked.received.status}`,
    );
  }
});

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

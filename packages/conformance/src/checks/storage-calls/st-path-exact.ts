import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
import { defineCheck } from '../check.ts';
import { makeGoodFields } from '../support/good-fields.ts';
import { reachAll } from './call-good.ts';

const ENDINGS = ['X', 'XYZ', 's', '2', '_v2', '.json'];

export const stPathExact = defineCheck('ST-PATH-EXACT', [], async (t) => {
  const fields = await makeGoodFields(t);
  await reachAll(t, fields);
  for (const operation of STORAGE_OPERATIONS) {
    for (const ending of ENDINGS) {
      const name = operation + ending;
      const reply = await t.storage.call(name, fields[operation], { acceptsRefusal: true });
      const { status } = reply.received;
      t.expect(reply.refused, `storages:${name} must be refused, not accepted with ${status}`);
    }
  }
});

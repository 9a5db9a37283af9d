import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { makeGoodFields } from '../support/good-fields.ts';
import { callGood } from './call-good.ts';

export const stPath = defineCheck('ST-PATH', [], async (t: Trial) => {
  const fields = await makeGoodFields(t);
  for (const operation of STORAGE_OPERATIONS) {
    const { reply, fate } = await callGood(t, operation, fields);
    const { status } = reply.received;
    t.expect(
      fate !== 'no operation',
      `${operation} must stand at its path, but is answered with ${status} as an unknown operation is`,
      reply,
    );
    const isElsewhere = fate === 'method' || fate === 'refused';
    t.reach(!isElsewhere, `a good call of ${operation} is refused with ${status}`);
  }
});

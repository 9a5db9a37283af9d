import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { successes } from './answers.ts';
import { judgeFlat } from './judge-flat.ts';

export const stEnvelopeSuccess = defineCheck(
  'ST-ENVELOPE-SUCCESS',
  ['storageCredentials'],
  async (t: Trial) => {
    if (t.settings.envelope === 'flat') return judgeFlat(t, successes(t));
    let judged = 0;
    for await (const { what, operation, reply } of successes(t)) {
      const value = reply.envelope?.statusCode;
      // That it is there, and a number, is ST-ENVELOPE-STATUS-CODE.
      if (operation === 'batchCopyFile' || typeof value !== 'number') continue;
      judged += 1;
      t.expect(value === 200, `${what}: statusCode must be 200, not ${value}`, reply);
    }
    t.reach(judged > 0, 'no success had a statusCode');
  },
);

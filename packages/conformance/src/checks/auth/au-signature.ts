import { defineCheck } from '../check.ts';
import { assertClock } from '../support/assert-clock.ts';
import { expectLetThrough } from '../support/expect-admission.ts';
import { toCalls } from './marked-calls.ts';

export const auSignature = defineCheck('AU-SIGNATURE', ['fixture', 'signature'], async (t) => {
  await assertClock(t);
  await expectLetThrough(t, toCalls('signature', t.uniqueName()));
});

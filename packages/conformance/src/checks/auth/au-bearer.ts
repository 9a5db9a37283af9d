import { defineCheck } from '../check.ts';
import { expectLetThrough } from '../support/expect-admission.ts';
import { toCalls } from './marked-calls.ts';

export const auBearer = defineCheck('AU-BEARER', ['fixture', 'bearer'], async (t) => {
  await expectLetThrough(t, toCalls('bearer', t.uniqueName()));
});

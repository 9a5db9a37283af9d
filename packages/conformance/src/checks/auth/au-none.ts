import { defineCheck } from '../check.ts';
import { expectRefused } from '../support/expect-admission.ts';
import { toCalls, toCallsWith } from './marked-calls.ts';

export const auNone = defineCheck('AU-NONE', ['fixture'], async (t) => {
  const mark = t.uniqueName();
  await expectRefused(t, mark, {
    ...toCalls('none', mark),
    ...toCallsWith({ 'an empty Authorization': '' }, mark),
  });
});

import { defineCheck } from '../check.ts';
import { expectRefused } from '../support/expect-admission.ts';
import { toCalls } from './marked-calls.ts';

export const auBearerEnv = defineCheck('AU-BEARER-ENV', ['fixture', 'otherEnvToken'], async (t) => {
  const mark = t.uniqueName();
  const other = { Authorization: `Bearer ${t.settings.otherEnvToken}` };
  const calls = toCalls(other, mark);
  const named = Object.entries(calls).map(([what, call]) => [
    `${what} with a token of another environment`,
    call,
  ]);
  await expectRefused(t, mark, Object.fromEntries(named));
});

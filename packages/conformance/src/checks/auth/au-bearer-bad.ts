import { defineCheck } from '../check.ts';
import { expectRefused } from '../support/expect-admission.ts';
import { forgeTokens } from './forge-tokens.ts';
import { toCallsWith } from './marked-calls.ts';

const MALFORMED = {
  'no token after Bearer': '',
  'a token of one letter': 'x',
  'a token of three parts that are no JSON': 'a.b.c',
  'the token undefined': 'undefined',
  'the token null': 'null',
  'a token of two words': 'made up',
  'a token of dots': '..',
  'a token of 1,000 letters': 'x'.repeat(1000),
};

export const auBearerBad = defineCheck('AU-BEARER-BAD', ['fixture'], async (t) => {
  const { gatewayToken, expiredToken } = t.settings;
  if (gatewayToken === undefined) t.note('no --gateway-token: no forged token was tried');
  if (expiredToken === undefined) t.note('no --expired-token: no expired token was tried');
  const tokens = {
    ...MALFORMED,
    ...(gatewayToken === undefined ? {} : forgeTokens(gatewayToken)),
    ...(expiredToken === undefined ? {} : { 'an expired token': expiredToken }),
  };
  const values = Object.entries(tokens).map(([what, token]) => [what, `Bearer ${token}`.trimEnd()]);
  const mark = t.uniqueName();
  await expectRefused(t, mark, toCallsWith(Object.fromEntries(values), mark));
});

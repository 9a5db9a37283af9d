import { defineCheck } from '../check.ts';
import { jsonPost } from '../support/gateway-methods.ts';
import { expectAttachment, expectNone } from './expect-disposition.ts';

const TEXTS = [
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'text/plain; charset="utf-8"; format=flowed',
  'text/plain ; charset=gb18030',
  'application/x-www-form-urlencoded; charset=utf-8',
  'application/json; profile="image/png"',
];

/** Parameters that name a text type make none of another. */
const OTHERS = [
  'image/png; note=text/plain',
  'application/octet-stream; name="application/json"',
  'multipart/related; boundary=a; type="text/plain"',
];

export const gwC2Parameters = defineCheck('GW-C2-PARAMETERS', ['fixture'], async (t) => {
  for (const type of TEXTS) await expectNone(t, { type, body: '{}' }, jsonPost);
  for (const type of OTHERS) await expectAttachment(t, { type, body: '{}' }, jsonPost);
});

import type { StorageReply } from '../../trial/read-reply.ts';
import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
import { defineCheck } from '../check.ts';
import { makeGoodFields } from '../support/good-fields.ts';
import { reachAll } from './call-good.ts';

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"; a=b',
  'Application/JSON',
];

export const stRequestJson = defineCheck('ST-REQUEST-JSON', [], async (t) => {
  const fields = await makeGoodFields(t);
  await reachAll(t, fields);
  const expectTaken = (reply: StorageReply, what: string) => {
    const { status } = reply.received;
    t.expect(!reply.refused, `${what} must be accepted, not refused with ${status} ${reply.code}`);
  };
  for (const operation of STORAGE_OPERATIONS) {
    const options = { acceptsRefusal: true };
    for (const type of TYPES) {
      const headers = { 'Content-Type': type };
      const reply = await t.storage.call(operation, fields[operation], { ...options, headers });
      expectTaken(reply, `${operation}, a body of type ${type}`);
    }
    for (const [spelling, body] of Object.entries(spell(t.storage.body(fields[operation])))) {
      const reply = await t.storage.call(operation, {}, { ...options, body });
      expectTaken(reply, `${operation}, JSON ${spelling}`);
    }
  }
});

/** Other texts of the same JSON value (RFC 8259). */
function spell(json: string): Record<string, string> {
  return {
    'with line breaks and spaces': ` \t\r\n${JSON.stringify(JSON.parse(json), null, 2)}\n`,
    'with escaped slashes': json.replaceAll('/', '\\/'),
    'with escaped letters': json
      .replaceAll('missing', '\\u006dissing')
      .replaceAll('path', 'p\\u0061th'),
  };
}

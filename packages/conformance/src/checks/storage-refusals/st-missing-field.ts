import { constantFrom } from 'fast-check';
import { STORAGE_OPERATIONS, type StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { lackingRequest } from '../support/arbitraries.ts';
import { forAll } from '../support/for-all.ts';
import { readRequestSchema } from '../support/request-schema.ts';
import { sampleRequest } from '../support/sample-request.ts';
import { callWrongly, expectRefusal } from './expect-refusal.ts';

export const stMissingField = defineCheck('ST-MISSING-FIELD', [], async (t) => {
  await Promise.all(STORAGE_OPERATIONS.map((operation) => sendTable(t, operation)));
  const faulty = constantFrom(...STORAGE_OPERATIONS).chain((operation) =>
    lackingRequest(operation).map((request) => ({ operation, ...request })),
  );
  await forAll(t, faulty, async ({ operation, fields, fault }, expect) => {
    const reply = await callWrongly(t, operation, t.storage.body(fields));
    expectRefusal(expect, reply, `${operation}, ${fault}`);
  });
});

async function sendTable(t: Trial, operation: StorageOperation): Promise<void> {
  const [required = ''] = readRequestSchema(operation).required;
  const others = required === 'path' ? sampleRequest(t, 'batchDelete') : { path: 'a.txt' };
  const inherited = JSON.parse(`{"__proto__":${JSON.stringify(sampleRequest(t, operation))}}`);
  const bodies = {
    'an empty object': '{}',
    'an empty object in the form that is accepted': t.storage.body({}),
    'an empty object as data': '{"data":{}}',
    'the field of another operation': t.storage.body(others),
    'a field that nobody knows': t.storage.body({ unknown: 1 }),
    'the fields inside __proto__': t.storage.body(inherited),
  };
  for (const [what, body] of Object.entries(bodies)) {
    const reply = await callWrongly(t, operation, body);
    expectRefusal(t.expect, reply, `${operation}, ${required} is missing (${what})`);
  }
}

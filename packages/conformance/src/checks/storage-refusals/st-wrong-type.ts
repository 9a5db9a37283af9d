import { constantFrom } from 'fast-check';
import { STORAGE_OPERATIONS, type StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { isWrongType, spellType, wrongTypeRequest } from '../support/arbitraries.ts';
import { forAll } from '../support/for-all.ts';
import { listRequestPlaces, replaceAt, spellPlace } from '../support/request-places.ts';
import { JSON_TYPES, readRequestSchema } from '../support/request-schema.ts';
import { sampleRequest } from '../support/sample-request.ts';
import { expectLargeRefused } from './expect-large-refused.ts';
import { callWrongly, expectRefusal } from './expect-refusal.ts';
import { toLaxValue } from './lax-values.ts';

/** Deep enough for a parser or a validator that calls itself. */
const DEPTH = 10_000;

export const stWrongType = defineCheck('ST-WRONG-TYPE', [], async (t) => {
  await Promise.all(STORAGE_OPERATIONS.map((operation) => sendTable(t, operation)));
  await Promise.all(STORAGE_OPERATIONS.map((operation) => sendNested(t, operation)));
  await expectLargeRefused(t, 'batchDelete');
  const faulty = constantFrom(...STORAGE_OPERATIONS).chain((operation) =>
    wrongTypeRequest(t, operation).map((request) => ({ operation, ...request })),
  );
  await forAll(t, faulty, async ({ operation, fields, fault }, expect) => {
    const reply = await callWrongly(t, operation, t.storage.body(fields));
    expectRefusal(expect, reply, `${operation}, ${fault}`);
  });
});

/** Every place with every wrong type; of a list the second item, as one that looks at the first misses it. */
async function sendTable(t: Trial, operation: StorageOperation): Promise<void> {
  const request = sampleRequest(t, operation);
  const text = t.storage.path('sample.txt');
  const places = listRequestPlaces(readRequestSchema(operation), request);
  for (const place of places.filter(({ path }) => !path.includes(0))) {
    for (const type of JSON_TYPES.filter((one) => isWrongType(place, one))) {
      const fields = replaceAt(request, place.path, toLaxValue(type, place.type, text));
      const fault = `${operation}, ${spellPlace(place.path)} is ${spellType(type)}`;
      const isBody = place.path.length === 0;
      // No object at all is wrong in both forms of a request.
      const bodies = [t.storage.body(fields), ...(isBody ? [JSON.stringify(fields)] : [])];
      for (const body of new Set(bodies)) {
        expectRefusal(t.expect, await callWrongly(t, operation, body), fault);
      }
    }
  }
}

/** Lists so deep that careless code ends in a 5xx. */
async function sendNested(t: Trial, operation: StorageOperation): Promise<void> {
  const [field = ''] = readRequestSchema(operation).required;
  const deep = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
  const body = t.storage.body({ [field]: 'DEEP' }).replace('"DEEP"', deep);
  const nested = await callWrongly(t, operation, body);
  expectRefusal(t.expect, nested, `${operation}, ${field} is an array nested ${DEPTH} deep`);
  const whole = await callWrongly(t, operation, deep);
  expectRefusal(t.expect, whole, `${operation}, the body is an array nested ${DEPTH} deep`);
}

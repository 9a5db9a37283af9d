import { expect, test } from 'vitest';
import { FaultRules, type FaultSubject } from './fault.ts';

const CALL: FaultSubject = { surface: 'gateway', operationId: 'cloudrun-get', service: 'hello' };
const DELETE: FaultSubject = { surface: 'storage', operationId: 'batchDelete', service: undefined };

test.each([
  [undefined, 2],
  ['gateway', 1],
  ['cloudrun-get', 1],
  ['service:hello', 1],
  ['service:other', 0],
  ['batchDelete', 1],
  ['upload', 0],
])('applies a rule that matches %s to %d of two calls', (match, count) => {
  const rules = new FaultRules();
  rules.put({ name: 'a', ...(match !== undefined && { match }), fault: { truncate: 0 } });
  expect(rules.take(CALL).length + rules.take(DELETE).length).toBe(count);
});

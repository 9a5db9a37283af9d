import { expect, test } from 'vitest';
import { transactions } from '../contract/operations.ts';
import { toReceived } from '../http/exchange.ts';
import { checkBody } from './check-response.ts';

const find = (operationId: string, contentType: string) =>
  transactions.find(
    (t) => t.operationId === operationId && t.contentType === contentType,
  ) as (typeof transactions)[0];

const check = (operationId: string, contentType: string, body: string) =>
  checkBody(find(operationId, contentType), toReceived(200, [], Buffer.from(body)));

test('all findings are reported, not only the first', () => {
  expect(check('batchDelete', 'application/json', '{}')).toHaveLength(2);
});

test('a body that is not JSON', () => {
  expect(check('batchDelete', 'application/json', '<html>')).toEqual([
    {
      message: 'the body must be JSON',
      where: expect.stringMatching(/application~1json\/schema$/),
    },
  ]);
});

test('fields that the contract does not define are allowed', () => {
  const body = '{"statusCode":200,"body":{"extra":1},"extra":2}';
  expect(check('batchDelete', 'application/json', body)).toEqual([]);
});

import { expect, test } from 'vitest';
import { transactions } from '../transaction.ts';
import { checkBody } from './check-body.ts';

const find = (operationId: string, contentType: string) =>
  transactions.find(
    (t) => t.operationId === operationId && t.contentType === contentType,
  ) as (typeof transactions)[0];

const check = (operationId: string, contentType: string, body: string) =>
  checkBody(find(operationId, contentType), {
    status: 200,
    headers: {},
    body,
    bodyEncoding: 'utf-8',
  });

test('a finding names the field and the place in the contract', () => {
  const body = '{"statusCode":200,"body":{"data":{"fileList":[{"fileID":1,"code":"x"}]}}}';
  expect(check('batchDelete', 'application/json', body)).toEqual([
    {
      message: 'body.data.fileList.0.fileID must be string',
      where: expect.stringMatching(/^storage\.v2 #\/components\/schemas\/\w+\/type$/),
    },
  ]);
});

test('all findings are told, not only the first', () => {
  expect(check('batchDelete', 'application/json', '{}')).toHaveLength(2);
});

test('a body that is no JSON', () => {
  expect(check('batchDelete', 'application/json', '<html>')).toEqual([
    {
      message: 'the body must be JSON',
      where: expect.stringMatching(/application~1json\/schema$/),
    },
  ]);
});

test('fields that the contract does not name are allowed', () => {
  const body = '{"statusCode":200,"body":{"extra":1},"extra":2}';
  expect(check('batchDelete', 'application/json', body)).toEqual([]);
});

test('text is a string', () => {
  expect(check('cloudrun-get', 'text/plain', 'anything')).toEqual([]);
});

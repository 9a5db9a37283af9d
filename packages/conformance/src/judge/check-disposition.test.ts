import { expect, test } from 'vitest';
import { transactions } from '../transaction.ts';
import { checkDisposition } from './check-disposition.ts';

const find = (method: string) =>
  transactions.find((t) => t.api === 'gateway' && t.method === method) as (typeof transactions)[0];

test.each([
  ['get', 'application/json', 'attachment', true],
  ['get', 'application/json', 'attachment; filename=a.txt', true],
  ['get', 'application/json', undefined, false],
  ['get', 'application/json', 'inline', false],
  ['get', 'application/json', 'attachment, inline', false],
  ['get', 'application/json', 'form-data, attachment', true],
  ['get', 'application/json', 'attachment; filename="a, inline \\".txt"', true],
  ['get', 'application/json', 'attachment-x', false],
  ['get', 'text/event-stream', undefined, true],
  ['post', 'application/json; charset=utf-8', undefined, true],
  ['post', 'text/plain', 'attachment', false],
  ['post', 'text/html', undefined, false],
  ['post', 'application/problem+json', 'attachment', true],
  ['post', undefined, undefined, true],
])('%s answered with %s and Content-Disposition %s', (method, type, disposition, sound) => {
  const headers = {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
  };
  const answer = { status: 200, headers, body: '', bodyEncoding: 'utf-8' as const };
  expect(checkDisposition(find(method), answer).length === 0).toBe(sound);
});

import { expect, test } from 'vitest';
import { type KeyParts, toKey } from './create-replay.ts';

const key = (body: string, more: Partial<KeyParts> = {}) =>
  toKey({
    method: 'POST',
    target: '/a?x=1',
    contentType: 'application/json',
    body: Buffer.from(body),
    ...more,
  });

test('ignores the order of members and white space in JSON, but not the order of items', () => {
  expect(key('{ "a": {"b":1,"c":2}, "d": 1 }')).toBe(key('{"d":1,"a":{"c":2,"b":1}}'));
  expect(key('[1,2]')).not.toBe(key('[2,1]'));
});

test('ignores the boundary of a form', () => {
  const form = (boundary: string, value = 'v') =>
    key(`--${boundary}\r\n\r\n${value}\r\n--${boundary}--`, {
      contentType: `multipart/form-data; boundary=${boundary}`,
    });
  expect(form('one')).toBe(form('two'));
  expect(form('one')).not.toBe(form('two', 'w'));
});

test('includes method, path and query, but not host and session', () => {
  expect(key('', { method: 'GET' })).not.toBe(key(''));
  expect(key('', { target: '/a?x=2' })).not.toBe(key(''));
  expect(key('', { target: 'http://b/a?x=1' })).toBe(key(''));
  expect(key('', { target: '/?sign=a&session=b' })).toBe(key('', { target: '/?sign=a' }));
  expect(key('', { target: '/?session=b' })).not.toBe(key('', { target: '/' }));
});

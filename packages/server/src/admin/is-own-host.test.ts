import { expect, test } from 'vitest';
import { isOwnHost } from './is-own-host.ts';

test.each([
  '127.0.0.1:4021',
  'localhost',
  'LocalHost:1',
  '10.0.0.7:4021',
  '[::1]:4021',
  'berth.internal',
])('%s is meant', (host) => {
  expect(isOwnHost(host, ['Berth.Internal'])).toBe(true);
});

test.each([
  undefined,
  '',
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'a@b@',
  '[::1',
])('%s is not', (host) => {
  expect(isOwnHost(host, ['berth.internal'])).toBe(false);
});

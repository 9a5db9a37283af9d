import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { isOwnHost, toPublicUrl } from './urls.ts';

function urlOf(headers: Record<string, string>, trustProxy = false, encrypted = false): string {
  const socket = { encrypted, localAddress: '10.0.0.5', localPort: 4020 };
  return toPublicUrl(trustProxy)({ headers, socket } as unknown as IncomingMessage);
}

test.each([
  ['127.0.0.1:4020', 'http://127.0.0.1:4020'],
  ['localhost:4020', 'http://localhost:4020'],
  ['dev.localhost', 'http://dev.localhost'],
  ['[::1]:4020', 'http://[::1]:4020'],
])('the host %s is this machine', (host, url) => {
  expect(urlOf({ host })).toBe(url);
});

test.each([
  'evil.example',
  '127.0.0.1.evil.example',
  'a@127.0.0.1.evil.example',
  '',
  '10.0.0.9',
  'localhost/../x@evil.example',
])('the host %j is not trusted', (host) => {
  expect(urlOf({ host })).not.toMatch(/evil|10\.0\.0\.9/);
});

test('X-Forwarded-* headers count only if they come from a trusted proxy, and the nearest value wins', () => {
  const headers = {
    host: '127.0.0.1:4020',
    'x-forwarded-proto': 'http, https',
    'x-forwarded-host': 'evil.example, files.example.com',
  };
  expect(urlOf(headers, true)).toBe('https://files.example.com');
  expect(urlOf(headers)).toBe('http://127.0.0.1:4020');
  expect(urlOf({ ...headers, 'x-forwarded-proto': 'javascript' }, true)).toBe(
    'http://127.0.0.1:4020',
  );
});

test('with TLS the scheme is https', () => {
  expect(urlOf({ host: 'evil.example' }, false, true)).toBe('https://10.0.0.5:4020');
});

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

import { expect, test } from 'vitest';
import { firstLabel, hostOf, isLoopback } from './host.ts';

test.each([
  ['Dev.Example:80', 'dev.example'],
  ['localhost', 'localhost'],
  ['[::1]:4010', '::1'],
  ['', undefined],
  ['a b', undefined],
  ['a/b', undefined],
  ['a:b', undefined],
  ['a:65536', undefined],
  ['[1:2]', undefined],
  ['user@host', undefined],
])('the host of "%s" is %s', (authority, host) => {
  expect(hostOf(authority)).toBe(host);
});

test.each(['localhost', '127.0.0.1', '127.255.0.9', '::1'])('%s is loopback', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(['10.0.0.1', '0.0.0.0', '::2', 'localhost.example', '127.0.0.1.example'])(
  '%s is not',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);

test('the first label', () => {
  expect(firstLabel('dev.gateway.example')).toBe('dev');
  expect(firstLabel('dev')).toBe('dev');
});

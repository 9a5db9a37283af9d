import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { hostOf, isLoopback } from './headers.ts';

const asked = (url: string, ...hosts: string[]) =>
  ({
    url,
    headers: { host: hosts[0] },
    rawHeaders: hosts.flatMap((host) => ['Host', host]),
  }) as unknown as IncomingMessage;

test.each([
  ['Dev.Gateway.example:8080', 'dev.gateway.example'],
  ['127.0.0.1:1', '127.0.0.1'],
  ['[0:0::1]:8080', '[::1]'],
  ['a b', undefined],
  ['a:65536', undefined],
  ['user@host', undefined],
  ['', undefined],
])('the host of "%s" is %s', (host, expected) => {
  expect(hostOf(asked('/', host))).toBe(expected);
});

test('two hosts count as none', () => {
  expect(hostOf(asked('/', 'dev.a', 'prod.a'))).toBeUndefined();
  expect(hostOf(asked('/'))).toBeUndefined();
});

test('the authority of an absolute target takes precedence', () => {
  expect(hostOf(asked('http://dev.a/x', 'prod.a'))).toBe('dev.a');
});

test.each([
  ['localhost', true],
  ['127.9.9.9', true],
  ['[::1]', true],
  ['[::ffff:7f00:1]', true],
  ['LocalHost', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['127.1', false],
  ['127.0.0.1.example', false],
  ['0.0.0.0', false],
  ['', false],
  ['127.evil.example', false],
  ['[::2]', false],
  ['128.0.0.1', false],
  ['localhost.example', false],
])('%s is this machine: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

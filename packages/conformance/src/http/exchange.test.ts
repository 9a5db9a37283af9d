import { expect, test } from 'vitest';
import { toTarget } from './exchange.ts';

test.each([
  ['http://a.example', '/'],
  ['http://a.example?x=1', '/?x=1'],
  ['http://a.example/a//b/%2F/../c?x=%20&y', '/a//b/%2F/../c?x=%20&y'],
  ['http://a.example/the file/中é.txt?as=a b', '/the%20file/%E4%B8%AD%C3%A9.txt?as=a%20b'],
  ['http://a.example/a?b#c', '/a?b'],
])('%s', (url, target) => {
  expect(toTarget(url)).toBe(target);
});

test('a URL of 100,000 special characters and line breaks is handled quickly', () => {
  const started = process.cpuUsage();
  expect(toTarget(`http://a.example/a${'#'.repeat(100_000)}\n`)).toBe('/a');
  expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
});

import { expect, test } from 'vitest';
import { idsOf, mustsOf, runSuite } from './support/run-suite.ts';
import { startFronted } from './targets/start-second.ts';

const response = (status: string, type: string, body: string) =>
  [`HTTP/1.1 ${status}`, `Content-Type: ${type}`, `Content-Length: ${body.length}`, '', body].join(
    '\r\n',
  );

const HTML = response('200 OK', 'text/html', '<!doctype html><title>Hi</title>');
const FAULT = response('500 Oh', 'application/json', '{"error":"Oh."}');

test.each([
  ['HTML', 'ST-RESPONSE-JSON', HTML, ['dredd']],
  ['500', 'ST-META-CALL', FAULT, []],
])('%s everywhere: MUSTs fail, and no check breaks', async (_, rule, text, engines) => {
  await using target = await startFronted({ decide: () => (socket) => void socket.end(text) });
  const only = ['GW-', 'ST-', 'UP-', ...engines];
  const ran = await runSuite({ ...target.options, timeout: 10_000, only });
  expect(ran.exitCode).toBe(1);
  expect(mustsOf(ran, 'error')).toEqual([]);
  const failed = idsOf(ran, 'fail');
  expect(failed).toContain('GW-ERROR-NOT-FOUND');
  expect(failed).toContain(rule);
  expect(failed.length).toBeGreaterThan(10);
  const driven = ran.report?.results.filter(({ engine }) => engine === 'dredd') ?? [];
  expect(driven.map(({ outcome }) => outcome)).not.toContain('pass');
});

test.each([
  ['an empty 200', response('200 OK', 'application/json', ''), []],
  ['a JSON list', response('200 OK', 'application/json', '[null]'), ['respect']],
  ['a header that is none', 'HTTP/1.1 200 OK\r\nX-Odd: \u0001\u0002\r\n\r\n', []],
  ['a status of its own', response('999 Odd', 'text/html', '{}'), ['respect']],
])('%s everywhere: no check breaks', async (_, text, engines) => {
  await using target = await startFronted({ decide: () => (socket) => void socket.end(text) });
  const rules = ['GW-ERROR', 'GW-C', 'GW-WS', 'ST-META', 'ST-DELETE', 'ST-COPY', 'UP-'];
  const only = [...rules, ...engines];
  const ran = await runSuite({ ...target.options, timeout: 2000, only });
  const errors = mustsOf(ran, 'error');
  expect(errors.filter((one) => one.includes('bug in the suite'))).toEqual([]);
  expect(idsOf(ran, 'pass')).toEqual([]);
  expect([1, 2, 3]).toContain(ran.exitCode);
});

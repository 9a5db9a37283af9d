import { expect, test } from 'vitest';
import { parseFault, parseFaultFlag, toFaultRule } from './parse-fault.ts';

test.each([
  ['latency=200', { latency: 200 }],
  ['latency=1.5s', { latency: 1_500 }],
  ['latency=100..300', { latency: { min: 100, max: 300 } }],
  ['latency=200ms~50', { latency: { mean: 200, deviation: 50 } }],
  ['code=SERVICE_TIMEOUT', { code: 'SERVICE_TIMEOUT' }],
  ['reset', { reset: true }],
  ['reset=10', { reset: { after: 10 } }],
  ['truncate=0', { truncate: 0 }],
  ['bytesPerSecond=1024', { bytesPerSecond: 1024 }],
  ['callsPerSecond=0.5', { callsPerSecond: 0.5 }],
  ['expiredToken', { expiredToken: true }],
  [' latency = 5 , reset ', { latency: 5, reset: true }],
])('parses %j', (text, fault) => {
  expect(parseFault(text)).toEqual(fault);
});

test.each([
  ['', 'The fault must be a comma-separated list'],
  ['latency=', 'latency must be a number of milliseconds'],
  ['latency=300..100', 'latency must be'],
  ['latency=1..2..3', 'latency must be'],
  ['code=SERVICE_TIMEOUTS', 'Do you mean SERVICE_TIMEOUT?'],
  ['code', 'code must be'],
  ['reset=x', 'reset must be'],
  ['truncate=1.5', 'truncate must be an integer'],
  ['bytesPerSecond=0', 'bytesPerSecond must be'],
  ['callsPerSecond=0', 'callsPerSecond must be'],
  ['expiredToken=no', 'expiredToken must be'],
  ['latencie=1', 'latencie is not a field: do you mean latency?'],
  ['__proto__=1', '__proto__ is not a field'],
  ['reset,reset', 'reset appears twice'],
  ['=5', 'The fault must be a comma-separated list'],
])('rejects %j by name', (text, message) => {
  expect(() => parseFault(text)).toThrow(message);
});

test.each([
  ['latency=5', { fault: { latency: 5 } }],
  ['storage:reset', { match: 'storage', fault: { reset: true } }],
  [
    'batchDelete:code=SYS_ERR,times=2,share=0.5',
    { match: 'batchDelete', times: 2, share: 0.5, fault: { code: 'SYS_ERR' } },
  ],
  ['service:hello:reset', { match: 'service:hello', fault: { reset: true } }],
])('parses the flag %j', (flag, rule) => {
  expect(parseFaultFlag('fault-1', flag)).toEqual({ name: 'fault-1', ...rule });
});

test.each([
  ['storages:reset', 'match must be an operationId'],
  ['batchDelet:reset', 'Do you mean batchDelete?'],
  ['service::reset', 'match must be'],
  ['storage:code=SERVICE_TIMEOUT', 'fault.code must be an error code of storage: INVALID_PARAM'],
  ['uploadFile:code=SYS_ERR', 'fault.code must be an error code of uploadFile: AccessDenied'],
  ['times=0,reset', 'times must be a positive integer'],
  ['share=2,reset', 'share must be a number from 0 to 1'],
  ['times=2', 'fault must contain at least one of latency, code'],
])('rejects the flag %j by name', (flag, message) => {
  expect(() => parseFaultFlag('fault-1', flag)).toThrow(message);
});

test.each([
  [null, 'The body must be a rule'],
  [{}, 'fault must be an object'],
  [{ fault: {} }, 'fault must contain at least one of'],
  [{ fault: { latency: '200' } }, 'fault.latency must be'],
  [{ fault: { latency: { min: 1, max: 2, mean: 3 } } }, 'fault.latency must be'],
  [{ fault: { reset: { after: -1 } } }, 'fault.reset must be'],
  [{ fault: 'latency=x' }, 'fault.latency must be'],
  [{ fault: 'reset', time: 1 }, 'time is not a field: do you mean times?'],
  [{ fault: 'reset', match: 5 }, 'match must be'],
  [{ fault: 'reset', name: 'b' }, 'name must be a, the name in the path'],
])('rejects the rule %j by name', (rule, message) => {
  expect(() => toFaultRule('a', rule)).toThrow(message);
});

test('accepts the compact form in a rule', () => {
  expect(toFaultRule('a b', { name: 'a b', match: 'link', fault: 'truncate=1' })).toEqual({
    name: 'a b',
    match: 'link',
    fault: { truncate: 1 },
  });
  expect(() => toFaultRule('a\n', { fault: 'reset' })).toThrow(
    'name must have 1 to 100 characters',
  );
});

test.each([
  `latency=1${' '.repeat(50_000)}x`,
  `${' '.repeat(50_000)}=x`,
  `a${' '.repeat(50_000)}b`,
  `reset=${'1'.repeat(50_000)}x`,
])('rejects a hostile text quickly', (text) => {
  const start = process.cpuUsage();
  expect(() => parseFault(text)).toThrow('The fault must have at most 1,000 characters.');
  expect(() => parseFaultFlag('a', `storage:${text}`)).toThrow('must have at most 1,000');
  expect(process.cpuUsage(start).user).toBeLessThan(500_000);
});

import { expect, test } from 'vitest';
import { parseFault, parseFaultFlag, toFaultRule } from './parse-fault.ts';

test.each([
  ['latency=200', { latency: 200 }],
  ['latency=1.5s', { latency: 1_500 }],
  ['code=SERVICE_TIMEOUT', { code: 'SERVICE_TIMEOUT' }],
  ['reset', { reset: true }],
  ['truncate=0', { truncate: 0 }],
  [' latency = 5 , reset ', { latency: 5, reset: true }],
])('parses %j', (text, fault) => {
  expect(parseFault(text)).toEqual(fault);
});

test.each([
  ['', 'The fault must be a comma-separated list'],
  ['latency=', 'latency must be a number of milliseconds'],
  ['code=SERVICE_TIMEOUTS', 'Do you mean SERVICE_TIMEOUT?'],
  ['code', 'code must be'],
  ['reset=x', 'reset must be'],
  ['truncate=1.5', 'truncate must be an integer'],
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
    'batchDelete:code=SYS_ERR,times=2',
    { match: 'batchDelete', times: 2, fault: { code: 'SYS_ERR' } },
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
  ['times=2', 'fault must contain at least one of latency, code'],
])('rejects the flag %j by name', (flag, message) => {
  expect(() => parseFaultFlag('fault-1', flag)).toThrow(message);
});

test.each([
  [null, 'The body must be a rule'],
  [{}, 'fault must be an object'],
  [{ fault: {} }, 'fault must contain at least one of'],
  [{ fault: { latency: '200' } }, 'fault.latency must be'],
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

test.each([`latency=1${' '.repeat(50_000)}x`, `reset=${'1'.repeat(50_000)}x`])(
  'rejects a long text',
  (text) => {
    expect(() => parseFault(text)).toThrow('The fault must have at most 1,000 characters.');
  },
);

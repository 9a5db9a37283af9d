import { expect, test } from 'vitest';
import { parseFault, parseFaultFlag, toFaultRule } from './parse-fault.ts';

test.each([
  ['', 'The fault must be a comma-separated list'],
  ['=5', 'The fault must be a comma-separated list'],
  ['latency=', 'latency must be a number of milliseconds'],
  ['code=SERVICE_TIMEOUTS', 'Do you mean SERVICE_TIMEOUT?'],
  ['reset=x', 'reset must be'],
  ['truncate=1.5', 'truncate must be an integer'],
  ['latencie=1', 'latencie is not a field: do you mean latency?'],
  ['__proto__=1', '__proto__ is not a field'],
  ['reset,reset', 'reset appears twice'],
  [`latency=1${' '.repeat(50_000)}x`, 'The fault must have at most 1,000 characters.'],
])('rejects %.40j by name', (text, message) => {
  expect(() => parseFault(text)).toThrow(message);
});

test.each([
  ['batchDelet:reset', 'Do you mean batchDelete?'],
  ['service::reset', 'match must be'],
  ['uploadFile:code=SYS_ERR', 'fault.code must be an error code of uploadFile: AccessDenied'],
  ['times=0,reset', 'times must be a positive integer'],
  ['times=2', 'fault must contain at least one of latency, code'],
])('rejects the flag %j by name', (flag, message) => {
  expect(() => parseFaultFlag('fault-1', flag)).toThrow(message);
});

test.each([
  [null, 'The body must be a rule'],
  [{}, 'fault must be an object'],
  [{ fault: { latency: '200' } }, 'fault.latency must be'],
  [{ fault: 'reset', time: 1 }, 'time is not a field: do you mean times?'],
  [{ fault: 'reset', name: 'b' }, 'name must be a, the name in the path'],
])('rejects the rule %j by name', (rule, message) => {
  expect(() => toFaultRule('a', rule)).toThrow(message);
});

import { expect, test } from 'vitest';
import { createProgram, readOptions } from '../src/cli/program.ts';
import { runWithin } from './support/run.ts';

test.each([
  ['gatewayHost', 'a.example', 'a.example'],
  ['timeout', '3', 3],
  ['storageHeader', 'A: 1\n B: 2\n', ['A: 1', 'B: 2']],
  ['readOnly', 'true', true],
])('%s can be set by its flag and by its variable', (name, text, value) => {
  const variable = `BERTH_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  expect(readOptions({ [variable]: text })).toMatchObject({ [name]: value });
  const flag = variable.replace('BERTH_', '--').replaceAll('_', '-').toLowerCase();
  const args = value === true ? [flag] : [flag, text];
  const program = createProgram().parse(args, { from: 'user' });
  expect(readOptions({ [variable]: 'overridden' }, program)).toMatchObject({ [name]: value });
});

test('variables turn flags off, separate lists by commas where that is possible, and set nothing if empty', () => {
  const env = {
    BERTH_READ_ONLY: 'false',
    BERTH_ONLY: 'GW, ST',
    BERTH_REPORT: 'json=a,b.json,html=c',
    BERTH_ENV: '',
  };
  expect(readOptions(env)).toMatchObject({
    readOnly: false,
    only: ['GW', 'ST'],
    report: ['json=a,b.json', 'html=c'],
    env: 'dev',
  });
});

test.each([
  [{ BERTH_GATEWAY_URL: 'ftp://a' }, [], 'BERTH_GATEWAY_URL must be an http or https URL'],
  [{ BERTH_GATEWAY_URL: 'http://a' }, ['--gateway-url', 'x'], '--gateway-url must be an http'],
  [{ BERTH_BUDGET: 'long' }, [], 'BERTH_BUDGET must be an integer from 1 to 86400.'],
  [{ BERTH_READ_ONLY: 'yes' }, [], 'BERTH_READ_ONLY must be true or false.'],
  [{}, ['--storage-url', 'http://a', '--gateway-host', ''], '--gateway-host must not be empty.'],
])('an invalid option is named as it was set: %j %j', async (env, args, message) => {
  const { code, output } = await runWithin({ env }, ...args);
  expect(code).toBe(2);
  expect(output).toContain(`error: ${message}`);
});

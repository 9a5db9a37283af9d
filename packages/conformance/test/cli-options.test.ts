import { Command } from 'commander';
import { expect, test } from 'vitest';
import { listOptions, readOptions } from '../src/cli/options.ts';
import { runWithin } from './support/run.ts';

test.each([
  ['gatewayHost', ['a.example'], 'a.example'],
  ['timeout', ['3'], 3],
  [
    'storageHeader',
    ['A: 1\n B: 2\n'],
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  ['readOnly', [], true],
])('%s can be set by its flag and by its variable', (name, args, value) => {
  const variable = `BERTH_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  expect(readOptions({ [variable]: args[0] ?? 'true' })).toEqual({ [name]: value });
  const flag = variable.replace('BERTH_', '--').replaceAll('_', '-').toLowerCase();
  const command = new Command();
  for (const option of listOptions()) command.addOption(option);
  command.parse([flag, ...args], { from: 'user' });
  expect(readOptions({ [variable]: 'overridden' }, command.opts())).toEqual({ [name]: value });
});

test('variables turn flags off, separate lists by commas where that is possible, and set nothing if empty', () => {
  const env = {
    BERTH_READ_ONLY: 'false',
    BERTH_ONLY: 'GW, ST',
    BERTH_REPORT: 'json=a,b.json,html=c',
    BERTH_ENV: '',
  };
  expect(readOptions(env)).toEqual({
    readOnly: false,
    only: ['GW', 'ST'],
    report: [
      { kind: 'json', file: 'a,b.json' },
      { kind: 'html', file: 'c' },
    ],
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

import { expect, test } from 'vitest';
import { OPTION_NAMES, OPTIONS, toVariable } from '../src/cli/options.ts';
import { parseArguments } from '../src/cli/parse-arguments.ts';
import { runWithin } from './support/run.ts';

/** A value that is good for each option, as text. */
const SAMPLES = Object.fromEntries(
  OPTION_NAMES.map((name) => {
    const { kind, choices } = OPTIONS[name];
    return [name, choices?.[0] ?? { flag: 'true', whole: '3', list: 'GW-C1', text: '/a' }[kind]];
  }),
);

test('the command line takes precedence over variables', () => {
  const env = { BERTH_ENV: 'variable', BERTH_SERVICE: 'variable' };
  const parsed = parseArguments(['--env', 'flag'], env, () => {});
  expect(parsed).toMatchObject({ given: { env: 'flag', service: 'variable' } });
});

test('each option has a variable, which turns flags off, holds lists and is ignored if empty', () => {
  const read = (env: Record<string, string>) => parseArguments([], env, () => {});
  for (const name of OPTION_NAMES) {
    const text = SAMPLES[name] as string;
    const value = { flag: true, whole: 3, list: ['GW-C1'], text }[OPTIONS[name].kind];
    const variable = toVariable(name);
    const parsed = read({ [variable]: text });
    expect(parsed).toMatchObject({ given: { [name]: value }, labels: { [name]: variable } });
  }
  const parsed = read({
    ...{ BERTH_STORAGE_HEADER: 'A: 1\nB: 2\n', BERTH_ONLY: 'GW, ST', BERTH_READ_ONLY: 'false' },
    ...{ BERTH_REPORT: 'json=a,b.json,html=c', BERTH_ENV: '' },
  });
  expect(parsed?.given).toEqual({
    ...{ storageHeader: ['A: 1', 'B: 2'], only: ['GW', 'ST'], readOnly: false },
    report: ['json=a,b.json', 'html=c'],
  });
});

test('an invalid option is named the way it was set', async () => {
  const shown = async (env: Record<string, string>, ...args: string[]) =>
    (await runWithin({ env }, ...args)).output;
  const sentence = 'must be an http or https URL.';
  expect(await shown({ BERTH_GATEWAY_URL: 'ftp://a', BERTH_STORAGE_URL: 'http://a' })).toContain(
    `: BERTH_GATEWAY_URL ${sentence}`,
  );
  expect(await shown({ BERTH_GATEWAY_URL: 'http://a' }, '--gateway-url', 'x')).toContain(
    `: --gateway-url ${sentence}`,
  );
  expect(await shown({ BERTH_BUDGET: 'long' })).toContain(
    'BERTH_BUDGET must be a whole number of seconds from 1 to 86400.',
  );
});

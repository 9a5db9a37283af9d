import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { OPTION_NAMES, OPTIONS, toVariable } from '../src/cli/options.ts';
import { parseArguments } from '../src/cli/parse-arguments.ts';
import { run, runWithin } from './support/run.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const SETTINGS = OPTION_NAMES.filter((name) => !OPTIONS[name].isCommand);
/** A value that is good for each option, as text. */
const SAMPLES = Object.fromEntries(
  OPTION_NAMES.map((name) => {
    const { kind, choices } = OPTIONS[name];
    return [name, choices?.[0] ?? { flag: 'true', whole: '3', list: 'GW-C1', text: '/a' }[kind]];
  }),
);

test('the command line takes precedence over variables, and variables over the file', async () => {
  await using folder = await makeTemporaryFolder();
  const config = join(folder.path, 'c.json');
  await writeFile(config, JSON.stringify({ env: 'file', service: 'file', prefix: 'file' }));
  const env = { BERTH_CONFIG: config, BERTH_ENV: 'variable', BERTH_SERVICE: 'variable' };
  const parsed = await parseArguments(['--env', 'flag'], env, () => {});
  expect(parsed).toMatchObject({ given: { env: 'flag', service: 'variable', prefix: 'file' } });
});

test('each option has a variable, which turns flags off, holds lists and is ignored if empty', async () => {
  const read = async (env: Record<string, string>) => parseArguments([], env, () => {});
  for (const name of OPTION_NAMES.filter((each) => each !== 'config')) {
    const text = SAMPLES[name] as string;
    const value = { flag: true, whole: 3, list: ['GW-C1'], text }[OPTIONS[name].kind];
    const variable = toVariable(name);
    const parsed = await read({ [variable]: text });
    expect(parsed).toMatchObject({ given: { [name]: value }, labels: { [name]: variable } });
  }
  const parsed = await read({
    ...{ BERTH_STORAGE_HEADER: 'A: 1\nB: 2\n', BERTH_ONLY: 'GW, ST', BERTH_READ_ONLY: 'false' },
    ...{ BERTH_REPORT: 'json=a,b.json,html=c', BERTH_PREFIX: '' },
  });
  expect(parsed?.given).toEqual({
    ...{ storageHeader: ['A: 1', 'B: 2'], only: ['GW', 'ST'], readOnly: false },
    report: ['json=a,b.json', 'html=c'],
  });
});

test('the file has a schema that allows every setting', async () => {
  await using folder = await makeTemporaryFolder();
  const config = join(folder.path, 'c.json');
  const content = Object.fromEntries(
    SETTINGS.map((name) => {
      const text = SAMPLES[name];
      return [name, { flag: true, whole: 3, list: [text], text }[OPTIONS[name].kind]];
    }),
  );
  await writeFile(config, JSON.stringify({ $schema: 'x', ...content }));
  const parsed = await parseArguments(['--config', config], {}, () => {});
  expect(parsed).toMatchObject({ given: content });

  const schema = await import('@berth/conformance/berth-conformance.config.schema.json', {
    with: { type: 'json' },
  });
  const validate = new Ajv2020({ strict: false }).compile(schema.default);
  expect(validate(content), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ gatewayUri: 'x' })).toBe(false);
});

test('paths in the file are relative to its folder', async () => {
  await using folder = await makeTemporaryFolder();
  const config = join(folder.path, 'c.json');
  await writeFile(config, JSON.stringify({ ca: 'ca.pem', report: ['html=out/r.html'] }));
  const parsed = await parseArguments(['--config', config], {}, () => {});
  expect(parsed).toMatchObject({
    given: { ca: join(folder.path, 'ca.pem'), report: [`html=${join(folder.path, 'out/r.html')}`] },
  });
});

test.each([
  ['{ "gatewayUri": "x" }', 'unknown option gatewayUri; did you mean gatewayUrl?'],
  ['{ "timeout": "soon" }', 'timeout in '],
  ['{ "timeout": 0 }', 'must be a whole number of milliseconds from 1 to 3600000.'],
  ['{ "readOnly": "yes" }', 'must be true or false.'],
  ['{ "list": true }', 'unknown option list'],
  ['[]', 'must contain a JSON object of options.'],
  ['{ "gatewayToken": "secret-token", }', 'is not valid JSON: '],
])('a bad file %s', async (content, sentence) => {
  await using folder = await makeTemporaryFolder();
  const config = join(folder.path, 'c.json');
  await writeFile(config, content);
  const { code, lines } = await run('--config', config);
  expect(code).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(sentence);
  expect(lines[0]).not.toContain('secret-token');
});

test('an invalid option is named the way it was set', async () => {
  await using folder = await makeTemporaryFolder();
  const config = join(folder.path, 'c.json');
  await writeFile(config, JSON.stringify({ gatewayUrl: 'nonsense', storageUrl: 'http://a:b@c' }));
  const shown = async (env: Record<string, string>, ...args: string[]) =>
    (await runWithin({ env }, '--config', config, ...args)).output;
  const sentence = 'must be an http or https URL.';
  expect(await shown({})).toContain(`: gatewayUrl in ${config} ${sentence}`);
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

test('every option in the table of the README exists', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const { output } = await run('--help');
  const known = new Set(output.match(/--[a-z][a-z0-9-]+/g));
  const rows = readme.match(/^\| `--[^|]+/gm)?.join() ?? '';
  const shown = rows.match(/--[a-z][a-z0-9-]+/g) ?? [];
  expect(shown.length).toBeGreaterThan(20);
  expect(shown.filter((flag) => !known.has(flag))).toEqual([]);
});

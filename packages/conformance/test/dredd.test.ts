import { execFile } from 'node:child_process';
import { cp, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { createHooks } from '../src/engines/dredd-handler.ts';
import type { DreddTransaction } from '../src/engines/dredd-transaction.ts';
import type { Result } from '../src/index.ts';
import { toSettings } from '../src/options.ts';
import { Run } from '../src/run/run.ts';
import { changeJson, gatewayError, setBody } from './mutants/hooks/gateway.ts';
import { COPY, DELETE, success } from './mutants/hooks/storage.ts';
import type { Hooks, TakeOver } from './proxy/messages.ts';
import { drip, OK, sendEndlessly } from './proxy/take-over.ts';
import { runOn } from './run-suite.ts';
import { startMutated } from './targets/start-mutated.ts';
import { startFronted } from './targets/start-second.ts';

/** Independent faults, each in another response: the transaction, its finding, and the hooks. */
const FAULTS: [id: string, finding: string, Hooks][] = [
  [
    'storage batchDelete 200 application/json',
    'statusCode must be number',
    success({ statusCode: 'oops' }, DELETE),
  ],
  [
    'storage batchCopyFile 200 application/json',
    'the response must be the documented 200, not 200 SYS_ERR',
    success({ body: { code: 'SYS_ERR', message: 'No.' } }, COPY),
  ],
  [
    'gateway cloudrun-get 404 application/json',
    'requestId must equal X-Request-Id',
    gatewayError({ method: 'GET', status: 404 }, changeJson({ requestId: 'other' })),
  ],
  [
    'gateway cloudrun-post 404 application/json',
    "must have required property 'requestId'",
    gatewayError({ method: 'POST', status: 404 }, setBody('{"code":"NO_SUCH","message":"x"}')),
  ],
];

let results: Result[];
const ended: object[] = [];

beforeAll(async () => {
  const mutated = await startMutated();
  const response: Hooks['response'] = async (...message) => {
    for (const [, , hooks] of FAULTS) await hooks.response?.(...message);
  };
  mutated.use({ create: () => ({ response }) });
  const onCheck = (check: object) => ended.push(check);
  ({ results } = await runOn(mutated, { only: ['dredd'], onCheck }));
  await mutated.close();
});

test.each(FAULTS)('%s fails', (id, finding) => {
  const { outcome, findings = [] } = results.find((result) => result.id === id) ?? {};
  expect(outcome).toBe('fail');
  expect(findings.map(({ message }) => message)).toContainEqual(expect.stringContaining(finding));
});

test('other transactions pass, and findings show the place in the contract', () => {
  // Progress has no findings, whose credentials are not redacted yet.
  expect(ended).toContainEqual({ caseId: FAULTS[0]?.[0], outcome: 'fail' });
  expect(results.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(10);
  const result = results.find(({ id }) => id === FAULTS[0]?.[0]);
  expect(result?.rules).toContain('ST-RESPONSE');
  expect(result?.findings[0]).toMatchObject({
    request: { url: expect.stringMatching(/storages:batchDelete$/) },
    response: { body: expect.stringContaining('oops') },
    where: expect.stringMatching(/^storage\.v2 #\/components\/schemas\/\w+\/type$/),
    example: expect.stringMatching(/^\{"statusCode":200,"body":.*"fileList":\[/),
  });
});

const flood = sendEndlessly(`${OK}\r\n`, ' '.repeat(2 ** 20));

test.each<[string, TakeOver, timeout: number, reason: RegExp]>([
  ['hold up', drip, 2, /storages:batchDelete: no response within 2000 ms$/],
  ['fill the memory of', flood, 60, /the response exceeds \d+ bytes$/],
])('a response that never ends does not %s Dredd', async (_, takeOver, timeout, reason) => {
  await using target = await startFronted({
    request: ({ operation }) => (operation === DELETE ? takeOver : undefined),
  });
  const { results: ended } = await runOn(target, { timeout, only: ['dredd'] });
  const { error = [], pass = [] } = Object.groupBy(ended, ({ outcome }) => outcome);
  const matching = { id: expect.stringContaining(DELETE), reason: expect.stringMatching(reason) };
  expect(error).toMatchObject([matching, matching]);
  expect(pass.length).toBeGreaterThan(10);
});

test.each([
  ['no temporary file can be written', 'TMPDIR', 'missing', /ENOENT/],
  ['Dredd cannot start', 'NODE_OPTIONS', '--require=preload.cjs', /request this response: /],
])('if %s, only the transactions end with an error', async (_, variable, value, reason) => {
  await using target = await startFronted();
  const { gatewayToken } = target.options;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  // What is shown, 2,000 characters, begins within the credential.
  const output = JSON.stringify(gatewayToken.padEnd(gatewayToken.length + 1985, 'a'));
  const preload = `if (process.env.BERTH_DREDD_PARENT) process.exit(console.error(${output}) ?? 1);`;
  await writeFile(join(folder.path, 'preload.cjs'), preload);
  vi.stubEnv(variable, value.replace(/missing|preload/, join(folder.path, '$&')));
  const { results: ended } = await runOn(target, { only: ['dredd', 'GW-STATUS'] });
  vi.unstubAllEnvs();
  expect(ended.find(({ id }) => id === 'GW-STATUS')?.outcome).toBe('pass');
  const reasons = ended.flatMap(({ outcome, reason }) => (outcome === 'error' ? reason : []));
  expect(reasons.length).toBeGreaterThan(10);
  expect(new Set(reasons)).toEqual(new Set([expect.stringMatching(reason)]));
  expect(reasons.join()).not.toContain(gatewayToken.slice(-12));
});

test('an error that Dredd reports shows no credential', async () => {
  const env = 'a-secret-name';
  const access = { storageUrl: 'http://127.0.0.1:1', env, storageHeaders: { 'X-Key': env } };
  const ended: object[] = [];
  const run = new Run(toSettings(access), new AbortController().signal);
  const handle = createHooks(run, (result) => ended.push(result));
  const dredd = {
    origin: { actionName: 'getUploadMetaData' },
    request: { method: 'POST', uri: '', headers: {}, body: '{}' },
    expected: { statusCode: '400', headers: { 'Content-Type': 'application/json' } },
  } as Partial<DreddTransaction> as DreddTransaction;
  await handle('beforeEach', dredd);
  await handle('afterEach', dredd);
  expect(dredd.fail).toMatch(/\/envs\/\[redacted: X_KEY\]\/.*ECONNREFUSED/);
  // An example that cannot be adapted is the result, too.
  expect(ended).toMatchObject([{ outcome: 'error' }]);
  const origin = { actionName: 'batchDelete' };
  const expected = { ...dredd.expected, statusCode: '200' };
  await handle('beforeEach', {
    ...dredd,
    origin,
    expected,
    request: { ...dredd.request, body: '{' },
  });
  expect(ended).toMatchObject([{}, { outcome: 'error', reason: expect.stringContaining('JSON') }]);
});

/**
 * Runs Dredd as its users do: with the example's configuration for another address, and these variables. The package is a
 * copy that cannot resolve Dredd, as with `npx dredd`.
 */
async function runDredd(endpoint: string, env: Record<string, string | undefined>) {
  const folder = join(import.meta.dirname, '..');
  const example = await readFile(join(folder, '../../examples/dredd.yml'), 'utf8');
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  for (const name of ['package.json', 'src', 'fixture', 'node_modules']) {
    const filter = (source: string) => source !== join(folder, 'node_modules/dredd');
    await cp(join(folder, name), join(temporary.path, name), { recursive: true, filter });
  }
  const hooks = join(temporary.path, 'src/engines/dredd-hooks.cts');
  const config = join(temporary.path, 'dredd.yml');
  await writeFile(
    config,
    example
      .replace('http://127.0.0.1:4010', endpoint)
      .replace('node_modules/@berth/conformance/dist/engines/dredd-hooks.cjs', hooks),
  );
  const dredd = join(createRequire(import.meta.url).resolve('dredd/package.json'), '../bin/dredd');
  const args = ['--conditions=berth-source', dredd, '--config', config, '--no-color'];
  return await new Promise<{ code: number; output: string }>((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ...env } };
    execFile(process.execPath, args, options, (error, output) =>
      resolve({ code: Number(error?.code ?? 0), output }),
    );
  });
}

test('Dredd alone passes on a correct deployment, and fails without credentials', async () => {
  await using target = await startMutated();
  const probes: string[] = [];
  target.use({
    create: () => ({
      request({ isHandshake, isUpload, target: path }) {
        if (isHandshake || isUpload) probes.push(path);
      },
    }),
  });
  const { options } = target;
  const { gatewayUrl, gatewayToken, gatewayHost, tc3SecretId, tc3SecretKey } = options;
  const credentials = {
    BERTH_GATEWAY_HOST: gatewayHost,
    BERTH_GATEWAY_TOKEN: gatewayToken,
    BERTH_TC3_SECRET_ID: tc3SecretId,
    BERTH_TC3_SECRET_KEY: tc3SecretKey,
  };
  const right = await runDredd(gatewayUrl, credentials);
  expect(right.output).toMatch(/complete: 2\d passing, 0 failing, 0 errors/);
  expect(right.code).toBe(0);
  // No check runs that would need to know whether these work.
  expect(probes).toEqual([]);
  const invalid = { BERTH_GATEWAY_HOST: gatewayHost, BERTH_GATEWAY_TOKEN: 'wrong' };
  const wrong = await runDredd(gatewayUrl, invalid);
  const reason = /rejects the credentials provided .*; see BERTH_GATEWAY_TOKEN or BERTH_TC3/;
  expect(wrong.output).toMatch(reason);
  expect(wrong.code).toBe(1);
});

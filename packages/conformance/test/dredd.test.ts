import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createConformance, type Result } from '../src/index.ts';
import {
  changeJson,
  gatewayError,
  removeHeader,
  serviceResponse,
} from './mutants/support/gateway.ts';
import { success } from './mutants/support/storage.ts';
import type { Hooks } from './proxy/messages.ts';
import { startMutated } from './targets/start-mutated.ts';
import { startReference } from './targets/start-reference.ts';
import { startFronted } from './targets/start-second.ts';

/** Independent faults, each in another response: the transaction, its finding, and the hooks. */
const FAULTS: [id: string, finding: string, Hooks][] = [
  [
    'storage batchDelete 200 application/json',
    'statusCode must be number',
    success({ statusCode: 'oops' }, 'batchDelete'),
  ],
  [
    'storage getUploadMetaData 200 application/json',
    "the body must have required property 'body'",
    success({ body: undefined }, 'getUploadMetaData'),
  ],
  [
    'storage batchCopyFile 200 application/json',
    'a valid call must be accepted, but the response was 200 SYS_ERR',
    success({ body: { code: 'SYS_ERR', message: 'No.' } }, 'batchCopyFile'),
  ],
  [
    'gateway cloudrun-post 200 application/json',
    'must have an X-Request-Id',
    serviceResponse({ method: 'POST', path: /abc/ }, removeHeader('X-Request-Id')),
  ],
  [
    'gateway cloudrun-get 404 application/json',
    'requestId must equal X-Request-Id',
    gatewayError({ method: 'GET', status: 404 }, changeJson({ requestId: 'other' })),
  ],
  [
    'gateway cloudrun-post 404 application/json',
    'the code must be SERVICE_NOT_FOUND, not GONE_FISHING',
    gatewayError({ method: 'POST', status: 404 }, changeJson({ code: 'GONE_FISHING' })),
  ],
];

let results: Result[];

beforeAll(async () => {
  const mutated = await startMutated();
  mutated.use({
    create: () => ({
      async response(response, request) {
        for (const [, , hooks] of FAULTS) await hooks.response?.(response, request);
      },
    }),
  });
  ({ results } = await createConformance({ ...mutated.options, only: ['dredd'] }).run());
  await mutated.close();
});

test.each(FAULTS)('%s fails', (id, finding) => {
  const { outcome, findings = [] } = results.find((result) => result.id === id) ?? {};
  expect(outcome).toBe('fail');
  expect(findings.map(({ message }) => message)).toContainEqual(expect.stringContaining(finding));
});

test('other transactions pass, and findings show the place in the contract', () => {
  const others = results.filter(({ outcome }) => outcome === 'pass');
  expect(others.length).toBeGreaterThan(10);
  const result = results.find(({ id }) => id === FAULTS[0]?.[0]);
  const [finding] = result?.findings ?? [];
  expect(finding?.request?.url).toMatch(/storages:batchDelete$/);
  expect(finding?.response?.body).toContain('oops');
  expect(finding?.where).toMatch(/^storage\.v2 #\/components\/schemas\/\w+\/type$/);
  expect(result?.rules).toContain('ST-RESPONSE');
});

test('a response that never ends does not hold up Dredd', async () => {
  const drip = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n');
    const timer = setInterval(() => socket.write(' '), 20);
    socket.once('close', () => clearInterval(timer));
  };
  await using target = await startFronted({
    decide: (_, head) => (/^user-agent: dredd/im.test(head) ? drip : 'pass'),
  });
  const options = { ...target.options, timeout: 500, only: ['dredd'] };
  const report = await createConformance(options).run();
  const errors = report.results.filter(({ outcome }) => outcome === 'error');
  expect(errors.length).toBeGreaterThan(10);
  for (const { reason } of errors) expect(reason).toMatch(/did not end within 1500 ms/);
});

const PACKAGE = join(import.meta.dirname, '..');
const DREDD = join(
  dirname(createRequire(import.meta.url).resolve('dredd/package.json')),
  'bin/dredd',
);

/** Runs Dredd as its users do: with the example's configuration for another address, and these variables. */
async function runDredd(endpoint: string, env: Readonly<Record<string, string>>) {
  const example = await readFile(join(PACKAGE, '../../examples/dredd.yml'), 'utf8');
  const folder = await mkdtemp(join(tmpdir(), 'berth-dredd-'));
  const config = join(folder, 'dredd.yml');
  const hooks = join(PACKAGE, 'src/dredd/dredd-hooks.cts');
  const changed = example
    .replace('http://127.0.0.1:4010', endpoint)
    .replace('node_modules/@berth/conformance/dist/dredd/dredd-hooks.cjs', hooks);
  await writeFile(config, changed);
  const args = ['--conditions=berth-source', DREDD, '--config', config, '--no-color'];
  const options = { cwd: PACKAGE, env: { ...process.env, ...env } };
  const ended = await new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, args, options, (error, output) =>
      resolve({ code: Number(error?.code ?? 0), output }),
    );
  });
  await rm(folder, { recursive: true });
  return ended;
}

test('Dredd alone passes on a correct deployment, and fails without credentials', async () => {
  const { url, options, close } = await startReference();
  const { gatewayToken = '', gatewayHost = '', tc3 } = options;
  const host = { BERTH_GATEWAY_HOST: gatewayHost };
  const right = await runDredd(url, {
    ...host,
    BERTH_GATEWAY_TOKEN: gatewayToken,
    BERTH_TC3_SECRET_ID: tc3?.secretId ?? '',
    BERTH_TC3_SECRET_KEY: tc3?.secretKey ?? '',
  });
  expect(right.output).toMatch(/complete: 2\d passing, 0 failing, 0 errors/);
  expect(right.code).toBe(0);
  const wrong = await runDredd(url, { ...host, BERTH_GATEWAY_TOKEN: 'wrong' });
  expect(wrong.output).toContain('rejected');
  expect(wrong.code).toBe(1);
  await close();
});

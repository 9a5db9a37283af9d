import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createMock } from '@berth/mock';
import { afterAll, expect, test } from 'vitest';
import { testOn } from '../../scripts/testing/engines.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import {
  commandOf,
  copyExample,
  readCommands,
  removeCopies,
  replaceAddresses,
  runIn,
  toPattern,
} from './run-example.ts';

const MOCK = 'http://127.0.0.1:4010';

afterAll(removeCopies);

test('the guide of authentication: a hosted service signs the storage calls of a page', async () => {
  const port = await freePort();
  const services = { signer: `http://127.0.0.1:${port}` };
  await using mock = await createMock({ credentials: 'strict', services });
  const { id, secret, token } = await mock.credentials();
  const folder = await copyExample('credentials', { [MOCK]: mock.url, '9000': String(port) });
  const service = spawn(process.execPath, ['--conditions=berth-source', 'service.mts'], {
    cwd: folder,
    env: { ...process.env, BERTH_TC3_SECRET_ID: id, BERTH_TC3_SECRET_KEY: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(service.stdout, 'data');
    const printed = await runIn(folder, [process.execPath, 'page.mts'], { TOKEN: token });
    expect(printed).toBe('cloud://dev.files/a.txt\n');
  } finally {
    service.kill();
  }
});

testOn('curl')('the guide of other languages: its calls, and an upload and download', async () => {
  await using mock = await createMock();
  const addresses = { [MOCK]: mock.url };
  const [call] = await readCommands('docs/guides/other-languages.md', 'curl');
  await runIn('.', ['bash', '-c', replaceAddresses(`${call?.command} --fail`, addresses)]);
  const folder = await copyExample('curl', addresses);
  expect(await runIn(folder, ['sh', '-e', 'files.sh'])).toBe('Hello, Ada.');
});

const SIGNERS = [
  ['python', 'python3', 'call.py'],
  ['go', 'go', 'run', 'call.go', 'tc3.go'],
] as const;

for (const [engine, program, ...args] of SIGNERS) {
  testOn(engine)(`the guide of other languages: signed calls in ${engine}`, async () => {
    await using mock = await createMock({ credentials: 'strict' });
    const folder = await copyExample(engine, { [MOCK]: mock.url });
    const variables = { GO111MODULE: 'off', PYTHONDONTWRITEBYTECODE: '1' };
    const printed = await runIn(folder, [program, ...args], variables);
    const [shown] = await readCommands('docs/guides/other-languages.md', program);
    expect(printed.trim()).toMatch(toPattern(shown?.output ?? ''));
  });
}

test('the guide of the mock: its calls get the responses that it shows, and its test passes', async () => {
  const addresses = { [MOCK]: '' };
  await using mock = await createMock({ services: `${import.meta.dirname}/../services.ts` });
  addresses[MOCK] = mock.url;
  const commands = await readCommands('docs/guides/mock.md', 'curl');
  expect(commands).toHaveLength(9);
  for (const { command, output } of commands) {
    const printed = await runIn('.', ['bash', '-c', replaceAddresses(`${command} -s`, addresses)]);
    expect(printed).toMatch(toPattern(output));
  }
  const shop = await copyExample('shop', addresses);
  expect(await runIn(shop, ['vitest', 'run', '--root', shop])).toContain('2 passed');
});

test('the guide of a service with a document: mock, client, handlers and server', async () => {
  const orders = `${import.meta.dirname}/../orders/orders.openapi.yaml`;
  await using mock = await createMock({ services: { orders } });
  const addresses = { [MOCK]: mock.url, 'http://127.0.0.1:9000': '', '4020': '0' };
  for (const { command, output } of await readCommands(
    'docs/guides/service-contracts.md',
    'curl',
  )) {
    const printed = await runIn('.', ['bash', '-c', replaceAddresses(`${command} -s`, addresses)]);
    expect(printed).toMatch(toPattern(output));
  }

  const folder = await copyExample('orders', { [MOCK]: mock.url, '9000': '0' });
  const document = 'orders.openapi.yaml';
  await runIn(folder, ['openapi-typescript', document, '-o', 'orders.ts']);
  await runStubs(folder, document, '--output', 'src/generated');
  const options = { extends: '../../tsconfig.json', include: ['.'], exclude: [] };
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(options));
  await runIn(folder, ['tsc', '--noEmit', '-p', folder]);
  expect(await runIn(folder, [process.execPath, 'client.ts'])).toBe('Anchor\n');
  expect(await runIn(folder, [process.execPath, 'queries.ts'])).toBe('Anchor\n');
});

test('the README of the stubs: handlers of a document, and a server', async () => {
  const folder = await copyExample('stubs', { '8080': '0' });
  const document = '../../orders/orders.openapi.yaml';
  await runStubs(folder, document, '--output', 'src/generated', '--handlers', 'src/handlers');
  const options = ['--conditions=berth-source', 'src/server.ts'];
  const server = spawn(process.execPath, options, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(server.stdout), 'line');
  expect(line).toContain('listening');
  server.kill();
  await once(server, 'exit');
});

test('the README of the client: each command works, in order', async () => {
  await using mock = await createMock();
  const folder = await copyExample('shop', {});
  await mkdir(`${folder}/site`);
  await writeFile(`${folder}/site/index.html`, 'Hello');
  const commands = await readCommands('packages/client/README.md', 'npx berth ');
  expect(commands.length).toBeGreaterThan(4);
  const cli = `node '${commandOf('client/src/cli.ts')}'`;
  for (const { command } of commands) {
    await runIn(folder, ['bash', '-c', command.replace('npx berth', cli)], {
      BERTH_ENV: 'dev',
      BERTH_STORAGE_URL: mock.url,
      BERTH_GATEWAY_URL: mock.url,
      BERTH_GATEWAY_TOKEN: 'any',
      BERTH_TC3_SECRET_ID: 'any',
      BERTH_TC3_SECRET_KEY: 'any',
    });
  }
});

/** Runs the command `berth-stubs` in a folder. */
function runStubs(folder: string, ...args: string[]): Promise<string> {
  return runIn(folder, [process.execPath, commandOf('server-stubs/generator/cli.ts'), ...args]);
}

import { mkdir, writeFile } from 'node:fs/promises';
import { createMock } from '@berth/mock';
import { expect, test } from 'vitest';
import { testOn } from '../../scripts/testing/engines.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import {
  commandOf,
  copyExample,
  readCommands,
  replaceAddresses,
  runIn,
  startIn,
  toPattern,
} from './run-example.ts';

const MOCK = 'http://127.0.0.1:4010';
const EXAMPLES = `${import.meta.dirname}/..`;

test('the guide of authentication: a hosted service signs the storage calls of a page', async () => {
  const port = await freePort();
  const services = { signer: `http://127.0.0.1:${port}` };
  await using mock = await createMock({ credentials: 'strict', services });
  const { id, secret, token } = await mock.credentials();
  const folder = await copyExample('credentials', { [MOCK]: mock.url, '9000': `${port}` });
  const pair = { BERTH_TC3_SECRET_ID: id, BERTH_TC3_SECRET_KEY: secret };
  await startIn(folder, 'service.mts', pair);
  const printed = await runIn(folder, [process.execPath, 'page.mts'], { TOKEN: token });
  expect(printed).toBe('cloud://dev.files/a.txt\n');
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

/** Makes the calls of a page, and compares each response with the one that the page shows. */
async function checkCalls(page: string, count: number, mock: string): Promise<void> {
  const calls = await readCommands(page, 'curl');
  expect(calls).toHaveLength(count);
  for (const { command, output } of calls) {
    const call = replaceAddresses(`${command} -s`, { [MOCK]: mock });
    expect(await runIn('.', ['bash', '-c', call])).toMatch(toPattern(output));
  }
}

test('the guide of the mock: its calls get the responses that it shows, and its test passes', async () => {
  await using mock = await createMock({ services: `${EXAMPLES}/shop/services.ts` });
  await checkCalls('docs/guides/mock.md', 9, mock.url);
  const shop = await copyExample('shop', { [MOCK]: mock.url });
  expect(await runIn(shop, ['vitest', 'run', '--root', shop])).toContain('2 passed');
});

test('the README of the mock: its services start', async () => {
  await using mock = await createMock({ services: `${EXAMPLES}/services.ts` });
  const url = `${mock.gatewayUrl}/v1/cloudrun/basket/news`;
  const response = await fetch(url, { headers: { authorization: 'Bearer dev' } });
  expect(await response.text()).toContain('data: {"item":"Rope"}');
});

test('the guide of a service with a document: mock, client, handlers and server', async () => {
  const document = 'orders.openapi.yaml';
  const services = { orders: `${EXAMPLES}/orders/${document}` };
  await using mock = await createMock({ services });
  await checkCalls('docs/guides/service-contracts.md', 2, mock.url);

  const folder = await copyExample('orders', { [MOCK]: mock.url, '9000': '0' });
  await runIn(folder, ['openapi-typescript', document, '-o', 'orders.ts']);
  await runStubs(folder, document, '--output', 'src/generated');
  const options = { extends: '../../tsconfig.json', include: ['.'], exclude: [] };
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(options));
  await runIn(folder, ['tsc', '--noEmit', '-p', folder]);
  for (const file of ['client.ts', 'queries.ts']) {
    expect(await runIn(folder, [process.execPath, file])).toBe('Anchor\n');
  }
});

test('the README of the stubs: handlers of a document, and a server', async () => {
  const folder = await copyExample('stubs', { '8080': '0' });
  const document = '../../orders/orders.openapi.yaml';
  await runStubs(folder, document, '--output', 'src/generated', '--handlers', 'src/handlers');
  expect(await startIn(folder, 'src/server.ts')).toContain('listening');
});

test('the README of the client: each command works, in order', async () => {
  await using mock = await createMock();
  const folder = await copyExample('shop');
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

import { createServer } from 'node:http';
import { createMock, type Mock } from '@berth/mock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../packages/server/src/config/config.ts';
import { listen } from '../../scripts/testing/listen.ts';
import { copyExample, runIn } from './run-example.ts';

const HELLO = "{ message: 'Hello from the hosted service.' }\n";

/** What each program prints. */
const PROGRAMS = {
  'start.mts': `${HELLO}Hello.\n`,
  'hello.mts': HELLO,
  'raw-calls.ts': HELLO,
  'session.ts': '',
  'create-mock.ts': '',
  'bearer.ts': `a new token\n${HELLO}${HELLO}`,
  'key-pairs.ts': `${HELLO}cloud://dev.files/a.txt\n`,
  'errors.ts': 'SERVICE_CHARGE_OVERDUE false\n',
  'retries.ts': HELLO,
  'streams.ts': 'one\ntwo\nhello\n6\n',
  'wire-profile.ts': 'in other words\n',
  'conformance.ts': '',
  'spec.mjs': '2.0.0\n',
};

let mock: Mock;

beforeAll(async () => {
  mock = await createMock();
});
afterAll(() => mock.close());

async function runProgram(file: string): Promise<string> {
  const folder = await copyExample(file, { 'http://127.0.0.1:4010': mock.url });
  return runIn(folder, [process.execPath, file]);
}

test.each(Object.entries(PROGRAMS))('%s prints what it should', async (file, expected) => {
  expect(await runProgram(file)).toBe(expected);
});

test('uploads.ts uploads, downloads and deletes', async () => {
  const lines = (await runProgram('uploads.ts')).trim().split('\n');
  expect(lines.filter((line) => !/^\d+ \d+$/.test(line))).toEqual([
    '<h1>May</h1>',
    'May',
    '5000000',
    'deleted',
    expect.stringContaining('STORAGE_FILE_NONEXIST'),
  ]);
});

// The conformance suite runs on it in `packages/conformance/test/sound.test.ts`.
test('express/server.ts says in one sentence that its port is in use', async () => {
  await using other = await listen(createServer());
  const folder = await copyExample('express');
  const run = runIn(folder, [process.execPath, 'server.ts'], { PORT: `${other.port}` });
  const place = `address already in use :::${other.port}`;
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: `Cannot listen on port ${other.port}: listen EADDRINUSE: ${place}\n`,
  });
});

test('server/in-code.ts prints its address', async () => {
  const folder = await copyExample('server');
  const printed = await runIn(folder, [process.execPath, 'in-code.ts']);
  expect(printed).toMatch(/^http:\S+$/m);
});

test.each(['berth.yaml', 'production.yaml'])('server/%s is a valid configuration', async (name) => {
  const folder = await copyExample('server');
  const secret = 'a secret of 32 characters, or more';
  for (const variable of ['CI_SECRET', 'LINK_KEY_NEW', 'REDIS_PASSWORD']) {
    process.env[variable] = secret;
  }
  process.env.LINK_KEY_OLD = `${secret}!`;
  await runIn(folder, ['sh', '-c', 'head -c 32 /dev/urandom | base64 > link.key']);
  await expect(loadConfig(`${folder}/${name}`)).resolves.toHaveProperty('environments.dev');
});

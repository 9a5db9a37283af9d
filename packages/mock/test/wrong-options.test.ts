import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { finish, spawnCli, untilReady } from './helpers/cli.ts';

const dir = await mkdtemp(join(tmpdir(), 'berth-wrong-'));
const none = join(dir, 'none');
const file = join(dir, 'file.yaml');
const recordings = join(dir, 'recordings');
await writeFile(file, '');
await mkdir(join(recordings, '0001.json'), { recursive: true });
afterAll(() => rm(dir, { recursive: true }));

const NOWHERE = 'http://127.0.0.1:1';

test.each([
  [['--services', none], `${none}: The services cannot be read: there is no such file or folder.`],
  [['--contract', none], `${none}: The contract cannot be read: there is no such file or folder.`],
  [['--contract', dir], `${dir}: The contract cannot be read: it is a folder.`],
  [['--wire-profile', none], `${none} is no wire profile: there is no such file or folder.`],
  [['--wire-profile', dir], `${dir} is no wire profile: it is a folder.`],
  [['--replay', none], `The folder ${none} cannot be read: there is no such file or folder.`],
  [['--replay', file], `The folder ${file} cannot be read: there is a file in place of a folder.`],
  [['--replay', recordings], `${join(recordings, '0001.json')} cannot be read: it is a folder.`],
  [['--proxy', 'ftp://a'], 'error: --proxy must be an address such as https://dev.example.com.'],
  [
    ['--proxy', NOWHERE, '--proxy-storage', `${NOWHERE}?a`],
    'error: --proxy-storage must have no query and no fragment.',
  ],
  [
    ['--proxy-gateway', NOWHERE, '--replay', recordings],
    'error: --replay needs no deployment: leave out --proxy-gateway.',
  ],
  [
    ['--wait', '--host', 'localhost'],
    'error: --wait serves nothing: leave out --port, --host. Behind --wait goes the address of the mock: --wait http://127.0.0.1:4010.',
  ],
])('%j is one sentence that says how to mend it, and exit 2', async (args, sentence) => {
  expect(await finish(spawnCli('--port', '0', ...args))).toEqual({
    code: 2,
    stdout: '',
    stderr: `${sentence}\n`,
  });
});

test.each(['--services', '--dir', '--record', '--replay', '--contract', '--wire-profile'])(
  '%s with an empty text, such as a variable that is not set, is refused',
  async (option) => {
    const { code, stderr } = await finish(spawnCli('--port', '0', option, ''));
    expect(code).toBe(2);
    expect(stderr).toContain(`${option} <`);
    expect(stderr).toContain("argument '' is invalid. It must not be empty.");
  },
);

test('--wait takes more seconds than a timer can count', async () => {
  await using mock = await createMock();
  const waiting = spawnCli('--wait', mock.url, '--timeout', '99999999999');
  expect(await finish(waiting)).toMatchObject({ code: 0, stderr: '' });
});

describe('options that do nothing where a deployment answers', () => {
  test.each([
    [['--services', 'hello', '--auth', 'off'], 'Without effect --auth, --services'],
    [[], undefined],
  ])('%j', async (args, line) => {
    const child = spawnCli('--port', '0', '--proxy', NOWHERE, ...args);
    const printed = await untilReady(child);
    child.kill('SIGKILL');
    expect(/^Without effect.*$/m.exec(printed)?.[0]).toBe(line);
  });
});

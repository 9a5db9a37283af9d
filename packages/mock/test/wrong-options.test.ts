import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { finish, spawnCli } from './helpers/cli.ts';

const dir = await mkdtemp(join(tmpdir(), 'berth-wrong-'));
const none = join(dir, 'none');
const file = join(dir, 'file.yaml');
const recordings = join(dir, 'recordings');
await writeFile(file, '');
await mkdir(join(recordings, '0001.json'), { recursive: true });
afterAll(() => rm(dir, { recursive: true }));

test.each([
  [['--services', none], `${none}: The services cannot be read: there is no such file or folder.`],
  [['--contract', none], `${none}: The contract cannot be read: there is no such file or folder.`],
  [['--contract', dir], `${dir}: The contract cannot be read: it is a folder.`],
  [['--wire-profile', none], `${none} is no wire profile: there is no such file or folder.`],
  [['--wire-profile', dir], `${dir} is no wire profile: it is a folder.`],
  [['--replay', none], `The folder ${none} cannot be read: there is no such file or folder.`],
  [['--replay', file], `The folder ${file} cannot be read: there is a file in place of a folder.`],
  [['--replay', recordings], `${join(recordings, '0001.json')} cannot be read: it is a folder.`],
])('%j is one sentence that says how to mend it, and exit 2', async (args, sentence) => {
  expect(await finish(spawnCli('--port', '0', ...args))).toEqual({
    code: 2,
    stdout: '',
    stderr: `${sentence}\n`,
  });
});

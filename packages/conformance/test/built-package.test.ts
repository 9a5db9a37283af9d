import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startSoundServer } from './support/sound-server.ts';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

test('the built command runs under plain node, and says nothing but its results', async () => {
  await using server = await startSoundServer();
  const urls = ['--gateway-url', server.url, '--storage-url', server.url];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [cli, ...urls]);
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^24 pass, 0 fail, 0 error, 19 skip: /);
});

import { describe, expect, test } from 'vitest';
import { createMock } from '../../src/index.ts';
import { storage } from '../helpers/calls.ts';
import { finish, spawnCli, untilReady } from '../helpers/cli.ts';
import { startDeployment } from './start-deployment.ts';

async function runThrough(proxy: string, ...args: string[]) {
  const child = spawnCli('--port', '0', '--proxy', proxy, ...args);
  const finished = finish(child);
  const printed = await untilReady(child);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] as string;
  await storage({ url }, 'batchDelete', { fileList: ['cloud://dev.files/a'] }).catch(() => {});
  child.kill('SIGTERM');
  return finished;
}

describe('the command line in front of a deployment', () => {
  test('ends with 0 where nothing breaks the contract', async () => {
    await using real = await createMock();
    const { code, stdout, stderr } = await runThrough(real.url, '--fail-on-violations');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('1 calls passed: 0 requests and 0 answers break the contract.');
  });

  test('tells each breach, counts, and ends with 1 for CI alone', async () => {
    await using wrong = await startDeployment((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    });
    const strict = await runThrough(wrong.url, '--fail-on-violations');
    expect(strict.code).toBe(1);
    expect(strict.stdout).toMatch(/^answer {3}POST \/api\/v2\/.*batchDelete 200: body must/m);
    expect(strict.stdout).toContain('0 requests and 1 answers break the contract.');
    expect((await runThrough(wrong.url)).code).toBe(0);
  });
});

test.each([
  ['--proxy-gateway and --proxy-storage', ['--proxy-gateway', 'http://127.0.0.1:1']],
  ['--proxy must be an address', ['--proxy', 'nothing']],
  ['--record needs --proxy', ['--record', 'x']],
  ['--replay needs no deployment', ['--replay', 'x', '--proxy', 'http://127.0.0.1:1']],
  ['cannot be read', ['--replay', '/nonexistent-folder']],
])('%s', async (words, args) => {
  const { code, stderr } = await finish(spawnCli('--port', '0', ...args));
  expect([code, stderr.trim().split('\n').length]).toEqual([2, 1]);
  expect(stderr).toContain(words);
});

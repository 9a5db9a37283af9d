import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { cliForTests } from './run-cli.ts';

const { start, session } = cliForTests();

it.each(['SIGINT', 'SIGTERM'] as const)('stops uploads on %s, and says so once', async (signal) => {
  const root = await newFolder({ a: 'A', b: 'B' });
  session().faults.put('slow', 'upload:latency=600000');
  const { child, result } = start(['cp', root, 'remote:/']);
  const uploads = () =>
    session()
      .requests()
      .filter(({ surface }) => surface === 'upload');
  await vi.waitUntil(() => uploads().length === 2, { timeout: 300_000 });
  child.kill(signal);
  expect(await result).toEqual({ code: 1, stdout: '', stderr: 'berth: Stopped.\n' });
});

it('ends without an error when its reader does', async () => {
  const { child, result } = start(['call', 'echo', 'body', '-d', 'A'.repeat(100_000)]);
  await once(child.stdout ?? child, 'data');
  child.stdout?.destroy();
  expect(await result).toMatchObject({ code: 0 });
});

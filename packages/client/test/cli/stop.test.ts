import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { cliForTests, newFolder, outputOf } from './run-cli.ts';

const { start, session } = cliForTests();

it.each(['SIGINT', 'SIGTERM'] as const)('stops uploads on %s, and says so once', async (signal) => {
  const root = await newFolder({ a: 'A', b: 'B' });
  session().faults.put('slow', 'upload:latency=600000');
  const child = start(['cp', root, 'remote:/']);
  const result = outputOf(child);
  const countUploads = () =>
    session()
      .requests()
      .filter(({ surface }) => surface === 'upload').length;
  await vi.waitUntil(() => countUploads() === 2, { timeout: 300_000 });
  child.kill(signal);
  expect(await result).toEqual({ code: 1, stdout: '', stderr: 'berth: Stopped.\n' });
});

it('ends without an error when its reader does', async () => {
  const child = start(['call', 'echo', 'body', '-d', 'A'.repeat(100_000)]);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
});

import { once } from 'node:events';
import { text } from 'node:stream/consumers';
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

it('stops while it reads stdin', async () => {
  const child = start(['call', 'hello', '-d', '-']);
  const result = outputOf(child);
  // The pipe has room again once something is read.
  child.stdin.write('A'.repeat(1_000_000));
  await once(child.stdin, 'drain');
  child.kill('SIGINT');
  expect(await result).toEqual({ code: 1, stdout: '', stderr: 'berth: Stopped.\n' });
});

it('ends without an error when its reader does', async () => {
  session().files.put('big', 'A'.repeat(10_000_000));
  const child = start(['cp', 'remote:/big', '-']);
  const stderr = text(child.stderr);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect([...(await once(child, 'close')), await stderr]).toEqual([0, null, '']);
});

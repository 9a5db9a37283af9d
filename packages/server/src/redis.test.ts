import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../scripts/testing/engines.ts';
import { startRedis } from '../test/processes/support/start-redis.ts';
import { connectRedis } from './redis.ts';

async function connect() {
  const { port, url } = await startRedis();
  const redis = await connectRedis({ url, prefix: 'berth:' });
  onTestFinished(redis.close);
  return { port, redis };
}

describeOn('redis', 'a connection', () => {
  test('takes no reply for late that arrived while this process was busy', async () => {
    const { redis } = await connect();
    const revoked = redis.isRevoked('grant', 'a');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    expect(await revoked).toBe(false);
  });

  test('starts a new window for a quota whose length changes', async () => {
    const { redis } = await connect();
    await redis.countCall('dev', { calls: 1, seconds: 3_600 });
    expect(await redis.countCall('dev', { calls: 1, seconds: 3_600 })).toBeGreaterThan(60);
    expect(await redis.countCall('dev', { calls: 1, seconds: 60 })).toBeUndefined();
  });

  test('connects again after a failover, because the address may lead to a new primary', async () => {
    const { port, redis } = await connect();
    const admin = new Redis(port);
    onTestFinished(() => admin.disconnect());
    const countConnections = async () => /s_received:(\d+)/.exec(await admin.info('stats'))?.[1];
    const before = await countConnections();
    await admin.replicaof('127.0.0.1', 9);
    await expect(redis.revoke('grant', 'a', 60)).rejects.toThrow('is not available');
    await expect.poll(countConnections, { timeout: 20_000 }).not.toBe(before);
  });

  test('a lock is lost if Redis restarts without it', async () => {
    const { port, url, kill } = await startRedis();
    const [first, second] = [
      await connectRedis({ url, prefix: '' }),
      await connectRedis({ url, prefix: '' }),
    ];
    onTestFinished(() => void [first, second].map(({ close }) => close()));
    await first.withLocks(['a'], async (lock) => {
      lock?.assertHeld();
      await kill();
      await startRedis([], port);
      const lockAgain = () => second.withLocks(['a'], async () => true).catch(() => false);
      await expect.poll(lockAgain, { timeout: 20_000 }).toBe(true);
      expect(() => lock?.assertHeld()).toThrow('The lock of the file was lost.');
    });
  });

  test('releases locks even if a command has just timed out', async () => {
    const { port, redis } = await connect();
    const admin = new Redis(port);
    onTestFinished(() => admin.disconnect());
    await redis.withLocks(['held'], async () => {
      await admin.client('PAUSE', 60_000, 'WRITE');
      const acquired = redis.withLocks(['acquired'], async () => {});
      await expect(acquired).rejects.toThrow('is not available');
      await admin.client('UNPAUSE');
    });
    const countLocks = () => admin.exists('berth:lock:held', 'berth:lock:acquired');
    await expect.poll(countLocks, { timeout: 20_000 }).toBe(0);
  });
});

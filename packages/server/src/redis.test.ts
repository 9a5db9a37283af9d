import { connect as connectSocket, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../scripts/testing/engines.ts';
import { startListening } from '../test/server/support/hosted-service.ts';
import { startRedis } from '../test/shared/support/start-redis.ts';
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

  test('connects to the new primary after a failover', async () => {
    const [primary, next] = [await startRedis(), await startRedis()];
    let { port } = primary;
    // Like the host name of a primary: a connection stays with the server that it was opened to.
    const name = createServer((socket) => {
      const server = connectSocket(port);
      for (const each of [socket, server]) each.on('error', () => {});
      socket.pipe(server).pipe(socket);
    });
    const url = (await startListening(name)).replace('http', 'redis');
    const redis = await connectRedis({ url, prefix: 'berth:' });
    onTestFinished(redis.close);
    const admin = new Redis(primary.port);
    onTestFinished(() => admin.disconnect());
    await admin.replicaof('127.0.0.1', next.port);
    port = next.port;
    const revoke = () => redis.revoke('grant', 'a', 60).then(() => 'revoked', String);
    expect(await revoke()).toContain('is not available');
    await expect.poll(revoke, { timeout: 20_000 }).toBe('revoked');
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

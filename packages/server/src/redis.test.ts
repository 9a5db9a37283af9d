import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../scripts/testing/engines.ts';
import { startRedis } from '../test/shared/support/start-redis.ts';
import { connectRedis } from './redis.ts';

describeOn('redis', 'a connection', () => {
  test('takes no reply for late that arrived while this process was busy', async () => {
    const { port } = await startRedis();
    const redis = await connectRedis({ url: `redis://127.0.0.1:${port}`, prefix: 'berth:' });
    onTestFinished(redis.close);
    const revoked = redis.isRevoked(['grant', 'a']);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    expect(await revoked).toBe(false);
  });
});

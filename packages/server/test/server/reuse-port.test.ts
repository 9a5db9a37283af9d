import { expect, test } from 'vitest';
import { startServer } from './support/start-server.ts';

test('several servers share a port with listen.reusePort, and none without', async (context) => {
  const first = await startServer({ listen: { reusePort: true } }).catch((error) => {
    // As Node reports it on Windows and macOS.
    if (error.code === 'ENOTSUP') context.skip('this platform cannot share a port');
    throw error;
  });
  const listen = { port: Number(new URL(first.url).port), reusePort: true };
  const second = await startServer({ listen });
  const hasCalls = async ({ metrics }: typeof first) => /^berth_calls_total/m.test(await metrics());
  // The kernel chooses a server for each connection.
  const call = () => fetch(first.url, { headers: { connection: 'close' } });
  await expect
    .poll(async () => {
      expect((await call()).status).toBe(404);
      return [await hasCalls(first), await hasCalls(second)];
    })
    .toEqual([true, true]);
  await expect(startServer({ listen: { ...listen, reusePort: false } })).rejects.toThrow(
    'EADDRINUSE',
  );
});

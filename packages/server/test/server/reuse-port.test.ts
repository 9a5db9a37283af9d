import { expect, test } from 'vitest';
import { startServer } from './support/start-server.ts';

test('several servers share a port with listen.reusePort, and none without', async (context) => {
  const first = await startServer({ listen: { reusePort: true } }).catch((error) => {
    // As Node reports it on Windows and macOS.
    if (error.code === 'ENOTSUP') context.skip('this platform cannot share a port');
    throw error;
  });
  const start = (reusePort: boolean) => startServer({ listen: { port: first.port, reusePort } });
  expect((await start(true)).port).toBe(first.port);
  await expect(start(false)).rejects.toThrow('EADDRINUSE');
});

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createConformance, type Report } from '@berth/conformance';
import { expect, test } from 'vitest';
import { startReference } from '../src/start-reference.ts';

/** What did not pass, with all that is needed to fix it. */
function listBad({ results }: Report) {
  return results
    .filter(({ outcome }) => outcome !== 'pass')
    .map(({ id, outcome, reason, findings }) => ({
      id,
      outcome,
      reason,
      findings: findings.map(({ message }) => message),
    }));
}

/** Added to each call, in milliseconds. */
const DELAY = Number(process.env.BERTH_DELAY ?? 250);

// `npm run conformance` checks reference server and mock without a delay.
test(`the reference server with ${DELAY} ms of delay per call passes`, async () => {
  const target = await startDelayed(DELAY);
  try {
    const report = await createConformance({ ...target.options, seed: 1 }).run();
    expect(listBad(report)).toEqual([]);
    expect(report.exitCode).toBe(0);
    expect(report.leftovers).toEqual([]);
  } finally {
    await target.close();
  }
});

/** The reference server behind a proxy that delays each new connection; each call opens one. */
async function startDelayed(delay: number) {
  let target = new URL('http://127.0.0.1');
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  };
  const front = createServer(async (socket) => {
    keep(socket);
    await wait(delay);
    const server = connect(Number(target.port), target.hostname);
    keep(server);
    socket.pipe(server).pipe(socket);
    socket.once('close', () => server.destroy());
    server.once('close', () => socket.destroySoon());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const reference = await startReference({ publicUrl: url });
  target = new URL(reference.url);
  return {
    options: { ...reference.options, gatewayUrl: url, storageUrl: url },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => front.close(resolve));
      await reference.close();
    },
  };
}

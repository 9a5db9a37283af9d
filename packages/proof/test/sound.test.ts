import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createConformance, type Report } from '@berth/conformance';
import { startStopwatch } from '@berth/runtimes/stopwatch';
import { expect, test } from 'vitest';
import measured from '../../conformance/src/run/costs.json' with { type: 'json' };
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
test(`the reference server with ${DELAY} ms of delay per call is checked within 120 s`, async () => {
  const target = await startDelayed(DELAY);
  try {
    const time = startStopwatch();
    const report = await createConformance({ ...target.options, seed: 1 }).run();
    const took = time();
    expect(listBad(report)).toEqual([]);
    expect(report.exitCode).toBe(0);
    expect(report.leftovers).toEqual([]);
    expectPlanned(report);
    // With 8 checks in parallel, 250 ms of delay took 125 s.
    expect(took).toBeLessThan(120_000);
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

/** Rules that send fewer requests to a slow target. */
const BY_TIME = ['ST-SEQUENCE'];

/** `--dry-run` shows what a run sends. */
function expectPlanned({ results }: Report) {
  const sum = (rows: readonly { id: string; requests: number }[]) =>
    rows.reduce((total, { id, requests }) => (BY_TIME.includes(id) ? total : total + requests), 0);
  const sent = sum(results);
  const planned = sum(Object.entries(measured.costs).map(([id, cost]) => ({ id, ...cost })));
  expect(Object.keys(measured.costs).toSorted()).toEqual(results.map(({ id }) => id).toSorted());
  // The number of polls varies. If this fails, run `npm run costs`.
  expect(Math.abs(planned / sent - 1)).toBeLessThan(0.1);
}

import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '@berth/runtimes/free-port';
import { compare, type Figure, type Goal, type Row, type Suite } from '../compare.ts';
import { type Call, compareCpuRates, load, type Target } from '../load.ts';
import {
  commandOf,
  residentKilobytes,
  SERVER_CORE,
  startProcess,
  stopProcess,
  waitFor,
} from '../processes.ts';

const PRISM = commandOf('@stoplight/prism-cli');
const DOCUMENT = fileURLToPath(import.meta.resolve('@berth/spec/storage.v2.json'));
const OURS = commandOf('@berth/mock');
const SUITE = 'mock';
const LOAD_SECONDS = 3;
const MOST_MILLISECONDS = 300;

const EXAMPLE = besidePrism('storage POST, validated, static example, requests/CPU s', '>= 8');
const FILES = besidePrism('storage POST, validated, stateful files, requests/CPU s', '>= 8');
const START = besidePrism('start to first response, ms', '<= 1');
const START_BOUND = { ...START, peerName: `limit of ${MOST_MILLISECONDS} ms` };
const MEMORY = besidePrism('memory after load, MB', '<= 1');

type Start = () => Promise<Target>;

/**
 * Sends the same storage POST to two mocks, which both validate it. As in the `stubs` suite, counts requests
 * per second of CPU time, so that other load on the machine affects neither side.
 */
export const mockSuite: Suite = {
  name: SUITE,
  description: 'The mock against prism-cli: validated storage POST, first response, memory',
  figures: [EXAMPLE, FILES, START, START_BOUND, MEMORY],
  run: async (runs) => [
    await compareThroughput(EXAMPLE, startStatic, runs),
    await compareThroughput(FILES, startOurs, runs),
    await compareStart(runs),
    await limitStart(runs),
    await compareMemory(runs),
  ],
};

function besidePrism(measure: string, goal: Goal): Figure {
  return { suite: SUITE, measure, peerName: 'prism-cli', goal };
}

async function compareThroughput(figure: Figure, start: Start, runs: number): Promise<Row> {
  const [ours, peer] = [await start(), await startPeer()];
  try {
    return await compareCpuRates(figure, runs, ours, peer);
  } finally {
    await Promise.all([stopProcess(ours.child), stopProcess(peer.child)]);
  }
}

function compareStart(runs: number): Promise<Row> {
  return compare(
    START,
    runs,
    () => timeStart(startOurs),
    () => timeStart(startPeer),
  );
}

/** Represents the limit in milliseconds as a peer that always meets it. */
function limitStart(runs: number): Promise<Row> {
  return compare(
    START_BOUND,
    runs,
    () => timeStart(startOurs),
    async () => MOST_MILLISECONDS,
  );
}

async function timeStart(start: Start): Promise<number> {
  const begin = performance.now();
  const { child } = await start();
  const time = performance.now() - begin;
  await stopProcess(child);
  return time;
}

/** Compares the resident memory of new processes after the same load. */
function compareMemory(runs: number): Promise<Row> {
  return compare(
    MEMORY,
    runs,
    () => weigh(startOurs),
    () => weigh(startPeer),
  );
}

async function weigh(start: Start): Promise<number> {
  const { child, call } = await start();
  try {
    await load(call, LOAD_SECONDS);
    return (residentKilobytes(child.pid ?? 0) ?? Number.NaN) / 1000;
  } finally {
    await stopProcess(child);
  }
}

/** Starts the mock with its defaults, which act on uploaded files. */
async function startOurs(...options: readonly string[]): Promise<Target> {
  const port = await freePort();
  return ready(startProcess([OURS, '--port', String(port), ...options], SERVER_CORE), port);
}

/** Starts the mock in static mode, which returns the contract's examples, like the peer. */
const startStatic: Start = () => startOurs('--mode', 'static');

async function startPeer(): Promise<Target> {
  const port = await freePort();
  const args = [PRISM, 'mock', DOCUMENT, '--port', String(port), '--verboseLevel', 'silent'];
  return ready(startProcess(args, SERVER_CORE), port);
}

async function ready(child: ChildProcess, port: number): Promise<Target> {
  child.stdout?.resume();
  const call: Call = {
    url: `http://127.0.0.1:${port}/api/v2/envs/dev/storages:batchDelete`,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-svc-authorization': '1.0 TC3-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c',
      'x-svc-timestamp': '1700000000',
    },
    body: JSON.stringify({ fileList: ['cloud://dev.files/reports/summary.txt'] }),
  };
  const { url, ...init } = call;
  await waitFor(url, init);
  return { child, call };
}

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/testing/free-port.ts';
import {
  compare,
  compareToLimit,
  type Figure,
  type Goal,
  type Row,
  type Suite,
  toLimit,
} from '../compare.ts';
import { type Call, compareCpuRates, load, type Target } from '../load.ts';
import {
  commandOf,
  readMemory,
  SERVER_CORE,
  startNode,
  stopProcess,
  waitFor,
} from '../processes.ts';

const PRISM = commandOf('@stoplight/prism-cli');
const DOCUMENT = fileURLToPath(import.meta.resolve('@berth/spec/storage.v2.json'));
const ORDERS = join(import.meta.dirname, 'orders.json');
const OURS = commandOf('@berth/mock');
const SUITE = 'mock';
const MEMORY_CALLS = 200_000;

const FILES = besidePrism('storage POST, validated, stateful files, requests/CPU s', '>= 3');
const OWN = besidePrism('POST of another document, validated, example, requests/CPU s', '>= 1.5');
const START = toLimit(SUITE, 'start to first response, ms', '500 ms');
const START_PRISM = toLimit(SUITE, 'start to first response by Prism, ms', '1500 ms');
const MEMORY = besidePrism('memory after 200,000 calls, MB', '<= 1');

type Start = () => Promise<Target>;

/**
 * Sends the same storage POST to two mocks, which both validate it. Neither prints the calls. As in the
 * `stubs` suite, counts requests per second of CPU time, so that other load on the machine affects neither
 * side.
 */
export const mockSuite: Suite = {
  name: SUITE,
  description: 'The mock against prism-cli: validated storage POST, first response, memory',
  run: async (runs) => [
    await compareThroughput(FILES, startOurs, startPeer, runs),
    await compareOwnDocument(runs),
    await compareToLimit(START, runs, () => timeStart(DELETE)),
    await compareToLimit(START_PRISM, runs, () => timeStart(HELLO)),
    // New processes, after the same calls.
    await compare(MEMORY, runs, weigh(startOurs), weigh(startPeer)),
  ],
};

function besidePrism(measure: string, goal: Goal): Figure {
  return { suite: SUITE, measure, peerName: 'prism-cli', goal };
}

async function compareThroughput(
  figure: Figure,
  start: Start,
  startOther: Start,
  runs: number,
): Promise<Row> {
  const [ours, peer] = [await start(), await startOther()];
  try {
    return await compareCpuRates(figure, runs, ours, peer);
  } finally {
    await Promise.all([stopProcess(ours.child), stopProcess(peer.child)]);
  }
}

/** Serves a document of a user, with parameters and a body to validate. */
async function compareOwnDocument(runs: number): Promise<Row> {
  return compareThroughput(
    OWN,
    () => startOn(ORDER, (port) => [OURS, ORDERS, '--port', port, '--log', 'quiet']),
    () => startOn(ORDER, (port) => [PRISM, 'mock', ORDERS, '--port', port, ...SILENT]),
    runs,
  );
}

async function timeStart(call: Call): Promise<number> {
  const begin = performance.now();
  const { child } = await startOurs(call);
  const time = performance.now() - begin;
  await stopProcess(child);
  return time;
}

const weigh = (start: Start) => async (): Promise<number> => {
  const { child, call } = await start();
  try {
    await load(call, { amount: MEMORY_CALLS });
    return (readMemory(child.pid ?? 0) ?? Number.NaN) / 1000;
  } finally {
    await stopProcess(child);
  }
};

/** Starts the mock with its defaults, which act on uploaded files. */
function startOurs(call = DELETE): Promise<Target> {
  return startOn(call, (port) => [OURS, '--port', port, '--log', 'quiet']);
}

function startPeer(): Promise<Target> {
  return startOn(DELETE, (port) => [PRISM, 'mock', DOCUMENT, '--port', port, ...SILENT]);
}

async function startOn(call: Call, toArgs: (port: string) => readonly string[]): Promise<Target> {
  const port = String(await freePort());
  const child = startNode(toArgs(port), SERVER_CORE);
  child.stdout.resume();
  const url = `http://127.0.0.1:${port}${call.url}`;
  const { url: _, ...init } = call;
  await waitFor(url, init);
  return { child, call: { ...call, url } };
}

const SILENT = ['--verboseLevel', 'silent'];

const DELETE: Call = {
  url: '/api/v2/envs/dev/storages:batchDelete',
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'x-svc-authorization': '1.0 TC3-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c',
    'x-svc-timestamp': '1700000000',
  },
  body: JSON.stringify({ fileList: ['cloud://dev.files/reports/summary.txt'] }),
};

const HELLO: Call = {
  url: '/v1/cloudrun/hello',
  method: 'GET',
  headers: { authorization: 'Bearer any' },
};

const ORDER: Call = {
  url: '/customers/42/orders?notify=true',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ items: [{ name: 'Anchor', count: 2 }], note: 'Leave it at the pier.' }),
};

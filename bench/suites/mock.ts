import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/testing/free-port.ts';
import { compare, compareWithLimit, type Figure, type Row, type Suite } from '../compare.ts';
import { type Call, compareCpuRates, load, type Target, toDelete } from '../load.ts';
import { commandOf, readMemory, SERVER_CORE, start, stop } from '../processes.ts';

const DOCUMENT = fileURLToPath(import.meta.resolve('@berth/spec/storage.v2.json'));
const ORDERS = join(import.meta.dirname, 'orders.json');
const OURS = [commandOf('@berth/mock'), '--log', 'quiet'];
const PRISM = [commandOf('@stoplight/prism-cli'), 'mock', '--verboseLevel', 'silent'];
const MEMORY_CALLS = 200_000;

const toDeletion = (baseUrl: string) =>
  toDelete(baseUrl, ['cloud://dev.files/reports/summary.txt']);
const toHello = (baseUrl: string): Call => ({
  url: `${baseUrl}/v1/cloudrun/hello`,
  method: 'GET',
  headers: { authorization: 'Bearer any' },
});
const toOrder = (baseUrl: string): Call => ({
  url: `${baseUrl}/customers/42/orders?notify=true`,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ items: [{ name: 'Anchor', count: 2 }], note: 'Leave it at the pier.' }),
});

/** Starts a mock, and waits for its response to a call. */
type Start = () => Promise<Target>;

const ours = startOn(toDeletion, OURS);
const prism = startOn(toDeletion, [...PRISM, DOCUMENT]);

/** Sends the same calls to two mocks, which both validate them. Neither prints the calls. */
export const mockSuite: Suite = {
  name: 'mock',
  description: 'The mock against prism-cli: validated storage POST, first response, memory',
  run: async (runs) => [
    await compareRates(
      toFigure('storage POST, validated, stateful files, requests/CPU s', '>= 3'),
      runs,
      ours,
      prism,
    ),
    await compareRates(
      toFigure('POST of another document, validated, example, requests/CPU s', '>= 1.5'),
      runs,
      startOn(toOrder, [...OURS, ORDERS]),
      startOn(toOrder, [...PRISM, ORDERS]),
    ),
    await compareWithLimit('start to first response, ms', runs, timeStart(ours), 500),
    await compareWithLimit(
      'start to first response by Prism, ms',
      runs,
      timeStart(startOn(toHello, OURS)),
      1_500,
    ),
    // New processes, after the same calls.
    await compare(
      toFigure(`memory after ${MEMORY_CALLS} calls, MB`, '<= 1'),
      runs,
      () => weigh(ours),
      () => weigh(prism),
    ),
  ],
};

function toFigure(measure: string, goal: Figure['goal']): Figure {
  return { measure, goal, peerName: 'prism-cli' };
}

async function compareRates(figure: Figure, runs: number, ...starts: Start[]): Promise<Row> {
  const [our, their] = (await Promise.all(starts.map((each) => each()))) as [Target, Target];
  const row = await compareCpuRates(figure, runs, our, their);
  await stop(our.child, their.child);
  return row;
}

/** Returns a function that measures the milliseconds until the first response. */
function timeStart(begin: Start) {
  return async () => {
    const before = performance.now();
    const { child } = await begin();
    const milliseconds = performance.now() - before;
    await stop(child);
    return milliseconds;
  };
}

async function weigh(begin: Start): Promise<number> {
  const { child, call } = await begin();
  await load(call, { amount: MEMORY_CALLS });
  const megabytes = readMemory(child.pid ?? 0);
  await stop(child);
  return megabytes;
}

function startOn(toCall: (baseUrl: string) => Call, command: readonly string[]): Start {
  return async () => {
    const port = await freePort();
    const child = start(process.execPath, [...command, '--port', `${port}`], SERVER_CORE);
    child.stdout.resume();
    const call = toCall(`http://127.0.0.1:${port}`);
    while (child.exitCode === null) {
      const response = await fetch(call.url, call).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.ok) return { child, call };
      if (response) throw new Error(`${call.url} returned ${response.status}.`);
      // Polling without a pause would compete with the server for CPU time.
      await setTimeout(1);
    }
    throw new Error(`${command.join(' ')} exited with code ${child.exitCode}.`);
  };
}

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startCorrectServer } from './support/correct-server.ts';
import { run, runWithin } from './support/run.ts';

const ONLY = ['--gateway-token', 'secret-token', '--only', 'GW-ERROR-NOT-FOUND'];

/** Starts `monitor`, and returns functions that wait for the next run and read the metrics. */
async function startMonitor(...args: string[]) {
  const ends = new AbortController();
  const waiting: ((line: string) => void)[] = [];
  const lineWith = (part: string) =>
    new Promise<string>((resolve) => {
      waiting.push((line) => line.includes(part) && resolve(line));
    });
  const onLine = (line: string) => {
    for (const see of waiting) see(line);
  };
  const listening = lineWith('Metrics are at ');
  const firstRun = lineWith(' seed ');
  const listen = ['--every', '1s', '--listen', '127.0.0.1:0'];
  const running = runWithin({ signal: ends.signal, onLine }, 'monitor', ...listen, ...args);
  const [, url = ''] = /(http\S+)$/.exec(await listening) ?? [];
  return {
    url,
    firstRun,
    lineWith,
    metrics: async () => (await fetch(url)).text(),
    async stop() {
      ends.abort();
      return running;
    },
  };
}

test('serves the metrics that alerts and dashboard use, and notices when the target goes away', async () => {
  await using folder = await startCorrectServer();
  const monitor = await startMonitor('--gateway-url', folder.url, ...ONLY);
  await monitor.firstRun;
  const up = await monitor.metrics();
  expect(up).toMatch(/^berth_conformance_up 1$/m);
  expect(up).toContain(
    'berth_conformance_check{check="GW-ERROR-NOT-FOUND",engine="rules",level="must",outcome="pass",known="false"} 1',
  );
  expect(up).toMatch(/^berth_conformance_runs_total\{exit_code="0"\} [1-9]/m);
  const read = (name: string) =>
    readFile(new URL(`../monitoring/${name}`, import.meta.url), 'utf8');
  const { groups } = parse(await read('alerts.yaml'));
  const { panels } = JSON.parse(await read('dashboard.json'));
  const used = JSON.stringify([groups, panels]).match(/berth_conformance_\w+/g) ?? [];
  expect(new Set(used).difference(new Set(up.match(/(?<=^# TYPE )\S+/gm)))).toEqual(new Set());
  const unreachable = monitor.lineWith('--gateway-url: the gateway at ');
  await folder[Symbol.asyncDispose]();
  await unreachable;
  const down = await monitor.metrics();
  expect(down).toMatch(/^berth_conformance_up 0$/m);
  expect(down).not.toContain('berth_conformance_check{');
  const { code, output } = await monitor.stop();
  expect(code).toBe(0);
  expect(output).not.toContain('secret-token');
  await expect(fetch(monitor.url)).rejects.toThrow();
});

test.each([
  [['--every', '0s'], '--every must be a time such as 30s, 5m or 1h, and at most 24h.'],
  [['--every', '60'], '--every must be a time'],
  [['--every', '25h'], '--every must be a time'],
  [['--listen', '9464'], '--listen must be host:port'],
  [['--listen', '127.0.0.1:70000'], '--listen must be host:port'],
  [['--listen', '203.0.113.9:9464'], 'cannot listen there (EADDRNOTAVAIL)'],
  [['--report', 'json=a'], 'Unknown option --report'],
  [['--timeout', '0'], '--timeout must be a whole number'],
])('refuses %j', async (args, message) => {
  const { code, output } = await run('monitor', '--gateway-url', 'http://a.example', ...args);
  expect(code).toBe(2);
  expect(output).toContain(message);
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Counter, Gauge, Registry } from 'prom-client';
import { createConformance } from '../create-conformance.ts';
import { toLines, toSummaryLine } from '../report/to-lines.ts';
import type { Report } from '../report/to-report.ts';
import { StartError } from '../result.ts';
import type { Given } from './options.ts';
import type { Output } from './terminal.ts';
import { toOptions } from './to-options.ts';

/**
 * Runs the checks that store nothing again and again until the signal aborts, and serves their results as
 * Prometheus metrics at `/metrics`. Prints each run, and the evidence of checks that have begun to fail.
 *
 * @param describe returns the message of an error without credentials
 * @throws StartError if an option is invalid or the port is taken. A target that does not respond is only
 *   reported as a metric
 */
export async function monitor(
  given: Given,
  { every = '', listen = '' }: Record<string, string>,
  describe: (error: Error) => string,
  { out, error, paint }: Output,
  signal: AbortSignal,
): Promise<number> {
  const interval = toMilliseconds(every);
  const options = { ...(await toOptions(given)), readOnly: true, signal };
  // Reports an invalid option before anything listens.
  createConformance(options);
  const metrics = createMetrics();
  const server = await serve(metrics.registry, listen);
  const { address, port } = server.address() as AddressInfo;
  out(`Metrics are at http://${address.includes(':') ? `[${address}]` : address}:${port}/metrics`);
  let failing = new Set<string>();
  try {
    while (!signal.aborted) {
      const next = Date.now() + interval;
      try {
        const report = await createConformance(options).run();
        if (signal.aborted) break;
        metrics.set(report);
        const failed = report.results.filter(({ outcome }) => outcome === 'fail');
        for (const result of failed.filter(({ id }) => !failing.has(id))) {
          for (const line of toLines(result, paint)) out(line);
        }
        failing = new Set(failed.map(({ id }) => id));
        out(`${report.startedAt} ${toSummaryLine(report)}`);
      } catch (reason) {
        if (!(reason instanceof StartError)) throw reason;
        metrics.setDown();
        error(`${new Date().toISOString()} ${describe(reason)}`);
      }
      await wait(Math.max(0, next - Date.now()), undefined, { signal }).catch(() => {});
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return 0;
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** A day. Node's timers fire immediately if their delay is longer than 24 days. */
const LONGEST_INTERVAL = 86_400_000;

function toMilliseconds(every: string): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,3})([smh])$/.exec(every) ?? [];
  const interval = Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (interval <= LONGEST_INTERVAL) return interval;
  throw new StartError('--every must be a time such as 30s, 5m or 1h, and at most 24h.');
}

async function serve(registry: Registry, listen: string): Promise<Server> {
  const [, host, port] = /^(.*):(\d{1,5})$/.exec(listen) ?? [];
  if (Number(port ?? Number.NaN) > 65_535 || port === undefined) {
    throw new StartError('--listen must be host:port, such as 127.0.0.1:9464.');
  }
  const server = createServer(async ({ method, url }, response) => {
    const isKnown = url?.split('?')[0] === '/metrics';
    if (!isKnown || (method !== 'GET' && method !== 'HEAD')) {
      response.writeHead(isKnown ? 405 : 404, isKnown ? { allow: 'GET, HEAD' } : {}).end();
      return;
    }
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  });
  server.listen(Number(port), host?.replace(/^\[(.*)\]$/, '$1') || undefined);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`--listen ${listen}: cannot listen there (${code}).`);
  }
  return server;
}

/** Creates the metrics. `monitoring/` has alerts and a dashboard that use them. */
function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <const Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ) => new Gauge({ name: `berth_conformance_${name}`, help, labelNames, registers });
  const up = gauge('up', '1 if the last run could start, otherwise 0.');
  const outcomes = gauge(
    'check',
    'Outcome of each check in the last run, as a label. The value is always 1.',
    [...(['check', 'engine', 'level', 'outcome', 'known'] as const)],
  );
  const seconds = gauge('check_duration_seconds', 'Duration of each check in the last run.', [
    'check',
  ]);
  const duration = gauge('run_duration_seconds', 'Duration of the last run.');
  const last = gauge('last_run_timestamp_seconds', 'When the last run began.');
  const runs = new Counter({
    name: 'berth_conformance_runs_total',
    help: 'Runs since the monitor started, by exit code; 2 means that the run could not start.',
    labelNames: ['exit_code'],
    registers,
  });
  return {
    registry,
    set({ results, baseline, startedAt, durationMs, exitCode }: Report) {
      up.set(1);
      outcomes.reset();
      seconds.reset();
      for (const { id: check, engine, level, outcome, durationMs: own } of results) {
        if (outcome === 'disabled') continue;
        const known = String(baseline.known.includes(check));
        outcomes.set({ check, engine, level, outcome, known }, 1);
        seconds.set({ check }, own / 1000);
      }
      duration.set(durationMs / 1000);
      last.set(Date.parse(startedAt) / 1000);
      runs.inc({ exit_code: exitCode });
    },
    setDown() {
      up.set(0);
      outcomes.reset();
      seconds.reset();
      runs.inc({ exit_code: 2 });
    },
  };
}

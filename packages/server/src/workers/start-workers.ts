import cluster, { type Worker } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import { createAdmin } from '../admin/create-admin.ts';
import type { Config } from '../config/config.ts';
import { findRestarts } from '../config/find-restarts.ts';
import { type LoggedServer, listenAdmin, stopAdmin, toAdminUrl } from '../create-logged-server.ts';
import type { ServerLog } from '../log/create-log.ts';
import { secretsOf } from '../log/secrets-of.ts';
import { askWorker } from './ask-worker.ts';
import type { Ask } from './messages.ts';

/** A worker that dies at once must not be started in a tight loop. */
const FIRST_DELAY = 100;
const LONGEST_DELAY = 10_000;
/** A worker that has lived so long did not die of its start. */
const HEALTHY_MILLISECONDS = 30_000;

/**
 * Makes a server of several processes on one port, with one admin server for all of them. A worker that
 * dies is replaced.
 */
export async function startWorkers(
  initial: Config,
  { log, update }: ServerLog,
  count: number,
): Promise<LoggedServer> {
  let config = initial;
  let url = '';
  let isClosing = false;
  let delay = FIRST_DELAY;
  const serving = new Set<Worker>();
  const askAll = (ask: Ask) => Promise.all([...serving].map((worker) => askWorker(worker, ask)));

  async function start(): Promise<void> {
    const worker = cluster.fork();
    const born = performance.now();
    worker.on('error', (error) => log.warn({ worker: worker.id, err: error }, 'worker failed'));
    const died = new Promise<void>((resolve) => {
      worker.once('exit', (code, signal) => {
        const wasServing = serving.delete(worker);
        if (!isClosing && wasServing) {
          log.error({ worker: worker.id, code, signal }, 'a worker died and is replaced');
          if (performance.now() - born > HEALTHY_MILLISECONDS) delay = FIRST_DELAY;
          void replace();
        }
        resolve();
      });
    });
    try {
      url = (await askWorker(worker, { ask: 'start', config, workers: count })) as string;
      if (worker.isDead()) throw new Error(`Worker ${worker.id} is gone.`);
      serving.add(worker);
      log.info({ worker: worker.id, workerPid: worker.process.pid }, 'worker started');
    } catch (error) {
      worker.kill('SIGKILL');
      await died;
      throw error;
    }
  }

  async function replace(): Promise<void> {
    while (!isClosing) {
      await wait(delay, undefined, { ref: false });
      delay = Math.min(delay * 2, LONGEST_DELAY);
      if (isClosing) return;
      try {
        await start();
        return;
      } catch (error) {
        log.error({ err: error }, 'a worker could not be started');
      }
    }
  }

  const admin = createAdmin({
    hosts: config.admin.hosts,
    async unreadiness() {
      if (isClosing) return ['draining'];
      if (serving.size === 0) return ['no worker is listening'];
      const answers = (await askAll({ ask: 'unreadiness' })) as string[][];
      return [...new Set(answers.flat())];
    },
    async metrics() {
      const registry = AggregatorRegistry.aggregate((await askAll({ ask: 'metrics' })) as object[]);
      return { type: registry.contentType, text: await registry.metrics() };
    },
  });

  async function stop(): Promise<void> {
    isClosing = true;
    await Promise.allSettled([...serving].map((worker) => askWorker(worker, { ask: 'close' })));
    for (const worker of serving) worker.kill('SIGKILL');
    await stopAdmin(admin);
  }

  return {
    get url() {
      return url;
    },
    get adminUrl() {
      return toAdminUrl(config, admin);
    },
    async listen() {
      await listenAdmin(config, admin);
      try {
        // The first one takes the port, which all then share.
        await start();
        await Promise.all(Array.from({ length: count - 1 }, start));
      } catch (error) {
        await stop();
        throw error;
      }
    },
    async take(next) {
      await askAll({ ask: 'reload', config: next });
      const { config: taken, restarts } = findRestarts(config, next);
      config = taken;
      update(config.log.level, secretsOf(config));
      return restarts;
    },
    close: stop,
  };
}

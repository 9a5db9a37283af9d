import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createAdmin } from './admin.ts';
import { createApplication } from './application.ts';
import type { BlobStore } from './store/blob-store.ts';
import { createObserver } from './calls.ts';
import { type Config, findRestarts, secretsOf } from './config/config.ts';
import { createDispatch, drain } from './dispatch.ts';
import { createHttpServer } from './http.ts';
import type { Log, ServerLog } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createState } from './state.ts';
import { prepareTls } from './tls.ts';
import { toUrl } from './urls.ts';

const SWEEP_INTERVAL_MILLISECONDS = 10 * 60_000;

/** A store that takes longer to respond is not ready for uploads. */
const STORE_CHECK_MILLISECONDS = 3_000;

export async function createCore(initial: Config, serverLog: ServerLog) {
  const { log, update: updateLog } = serverLog;
  let config = initial;
  let phase: 'new' | 'listening' | 'draining' = 'new';
  const observer = createObserver({
    log,
    metrics: () => metrics,
    logCalls: () => config.log.calls,
    environments: () => config.environments,
  });
  const dispatch = createDispatch(() => application, observer);
  const server = await createHttpServer(config.listen, dispatch);
  const state = await createState(initial, { log, metrics: () => metrics });
  const { gateway, blobs } = state;
  const metrics: Metrics = createMetrics({
    connections: () => connections.size,
    activeCalls: () => observer.active,
    outstanding: () =>
      gateway.stats().endpoints.reduce((sum, { outstanding }) => sum + outstanding, 0),
  });
  const admin =
    initial.admin === false
      ? undefined
      : createAdmin({
          hosts: initial.admin.hosts,
          unreadiness: async () => {
            if (phase === 'listening') return { gateway: [], storage: await findStoreFault(blobs) };
            const reasons = [phase === 'new' ? 'not listening yet' : 'draining'];
            return { gateway: reasons, storage: reasons };
          },
          registry: metrics.registry,
        });
  const parts = { state, observer, log };
  let application = createApplication(config, parts);
  let stopSweeping = () => {};
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    const wasListening = phase === 'listening';
    phase = 'draining';
    dispatch.drain();
    if (wasListening) {
      const { shutdownDelaySeconds: delay, shutdownSeconds: seconds } = config.listen;
      if (delay > 0) {
        log.info({ seconds: delay }, 'not ready; still accepting calls');
        await wait(delay * 1000);
      }
      log.info({ calls: observer.active, seconds }, 'draining');
      const cut = await drain(server, {
        seconds,
        observer,
        closeUnused() {
          for (const socket of connections) if (!dispatch.hasServed(socket)) socket.destroy();
        },
        endWebSockets: () => gateway.close(),
      });
      if (cut > 0)
        log.warn({ calls: cut }, 'aborted calls that did not finish before the shutdown deadline');
    }
    stopSweeping();
    await state.close();
    // Last, so that `/readyz` reports that the server is draining.
    await stopAdmin();
  }

  async function stopAdmin(): Promise<void> {
    if (!admin?.listening) return;
    const closed = once(admin, 'close');
    admin.close();
    admin.closeAllConnections();
    await closed;
  }

  return {
    get url() {
      const { port } = server.address() as AddressInfo;
      return toUrl(config.listen.tls === undefined ? 'http' : 'https', config.listen.host, port);
    },
    get adminUrl() {
      const { admin: settings } = config;
      if (admin === undefined || settings === false) return undefined;
      return toUrl('http', settings.host, (admin.address() as AddressInfo).port);
    },
    async listen(): Promise<void> {
      const { host, port, reusePort } = config.listen;
      if (admin !== undefined && config.admin !== false) {
        await once(admin.listen(config.admin.port, config.admin.host), 'listening');
      }
      try {
        await once(server.listen({ host, port, reusePort }), 'listening');
      } catch (error) {
        await state.close();
        await stopAdmin();
        throw error;
      }
      phase = 'listening';
      stopSweeping = keepSwept(blobs, log);
    },
    async reload(given: Config): Promise<readonly string[]> {
      const { config: next, restarts } = findRestarts(config, given);
      // Before anything changes, because it may fail.
      const renewTls = next.listen.tls && (await prepareTls(server, next.listen.tls));
      await state.update(next);
      renewTls?.();
      config = next;
      application = createApplication(next, parts);
      updateLog(next.log.level, secretsOf(next));
      return restarts;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function keepSwept(blobs: BlobStore, log: Log): () => void {
  const sweep = async () => {
    try {
      const removed = await blobs.sweep();
      if (removed > 0) log.info({ removed }, 'removed leftovers of failed uploads');
    } catch (error) {
      log.warn({ err: error }, 'cannot remove files left over from failed uploads');
    }
  };
  const timer = setInterval(sweep, SWEEP_INTERVAL_MILLISECONDS).unref();
  void sweep();
  return () => clearInterval(timer);
}

async function findStoreFault(blobs: BlobStore): Promise<string[]> {
  const abort = new AbortController();
  const { signal } = abort;
  const check = blobs.check().then(
    () => [],
    (error: Error) => [`blob store: ${error.message}`],
  );
  const late = wait(STORE_CHECK_MILLISECONDS, ['blob store: no response'], { signal, ref: false });
  try {
    return await Promise.race([check, late]);
  } finally {
    late.catch(() => {});
    abort.abort();
  }
}

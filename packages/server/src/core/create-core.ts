import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { Unreadiness } from '../admin/create-admin.ts';
import type { Config } from '../config/config.ts';
import { findRestarts } from '../config/find-restarts.ts';
import { createApplication } from '../http/create-application.ts';
import { createHttpServer } from '../http/create-http-server.ts';
import { createDispatch } from '../http/dispatch.ts';
import { drain } from '../http/drain.ts';
import { keepTls } from '../http/keep-tls.ts';
import { toUrl } from '../http/to-url.ts';
import type { ServerLog } from '../log/create-log.ts';
import { secretsOf } from '../log/secrets-of.ts';
import { createMetrics, type Metrics } from '../observe/create-metrics.ts';
import { createObserver } from '../observe/create-observer.ts';
import { createTracing } from '../observe/create-tracing.ts';
import { createServices } from '../services/create-services.ts';
import { keepSwept } from '../services/keep-swept.ts';
import { findUnreadiness } from './find-unreadiness.ts';

/** A server without its admin part. */
export interface Core {
  readonly metrics: Metrics;
  /** Address of callers; throws before `listen`. */
  readonly url: string;
  listen(): Promise<void>;
  unreadiness(): Promise<Unreadiness>;
  /** Settings that have changed and need a restart. Rejects, and changes nothing, for a bad one. */
  reload(next: Config): Promise<readonly string[]>;
  /** Ends gracefully, once; calls that outlive `listen.shutdownSeconds` are cut. */
  close(): Promise<void>;
}

/** Puts all parts of a server together. */
export async function createCore(initial: Config, serverLog: ServerLog): Promise<Core> {
  const { log, update: updateLog } = serverLog;
  let config = initial;
  let state: 'new' | 'listening' | 'draining' = 'new';
  const observer = createObserver({
    log,
    metrics: () => metrics,
    logCalls: () => config.log.calls,
  });
  const tracing = await createTracing();
  const dispatch = createDispatch(() => application, observer, tracing);
  const server = await createHttpServer(config.listen, dispatch);
  const services = await createServices(config, { log, metrics: () => metrics });
  const { gateway, blobs } = services;
  const metrics: Metrics = createMetrics({
    connections: () => connections.size,
    activeCalls: () => observer.active,
    eventStreams: () => observer.streams,
    webSockets: () => gateway.stats().webSockets,
    droppedLines: () => serverLog.dropped,
    outstanding: () =>
      gateway.stats().endpoints.reduce((sum, { outstanding }) => sum + outstanding, 0),
  });
  const parts = { services, observer, metrics: () => metrics, log, tracing };
  let application = createApplication(config, parts);
  const stops: (() => unknown)[] = [];
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    const wasListening = state === 'listening';
    state = 'draining';
    await Promise.all(stops.map((stop) => stop()));
    dispatch.drain();
    if (wasListening) {
      const seconds = config.listen.shutdownSeconds;
      log.info({ calls: observer.active, seconds }, 'draining');
      const cut = await drain(server, {
        seconds,
        observer,
        closeUnused() {
          for (const socket of connections) if (!dispatch.hasServed(socket)) socket.destroy();
        },
        endWebSockets: () => gateway.close(),
      });
      if (cut > 0) log.warn({ calls: cut }, 'cut calls that outlived the shutdown');
    }
    await services.close();
  }

  return {
    metrics,
    get url() {
      const { port } = server.address() as AddressInfo;
      return toUrl(config.listen.tls === undefined ? 'http' : 'https', config.listen.host, port);
    },
    async listen() {
      const { host, port, tls, reusePort } = config.listen;
      server.listen({ host, port, reusePort });
      try {
        await once(server, 'listening');
      } catch (error) {
        await services.close();
        throw error;
      }
      state = 'listening';
      stops.push(keepSwept(blobs, log));
      if (tls !== undefined) {
        const watch = await keepTls(server, tls, log);
        stops.push(() => watch.close());
      }
    },
    unreadiness: () => findUnreadiness(state, blobs),
    async reload(given) {
      const { config: next, restarts } = findRestarts(config, given);
      await services.update(next);
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

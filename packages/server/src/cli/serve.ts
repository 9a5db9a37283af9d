import { on, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { resolve } from 'node:path';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { portOf } from '../http/http.ts';
import { flushLog } from '../observe/log.ts';
import { createServer } from '../server.ts';
import {
  describeDevelopment,
  openDevelopmentKeys,
  toDevelopmentConfig,
  toTerminalLine,
} from './development.ts';

/** Runs a server until SIGINT or SIGTERM. A second signal ends the process immediately. */
export async function serveConfig(file: string): Promise<void> {
  // Listen now: during startup, a SIGHUP must not end the process, and a SIGTERM must, which Node as PID 1 ignores.
  const hangupSignals = on(process, 'SIGHUP');
  const shutdown = exitOnSignal();
  const server = await createServer(file, { logTo: process.stdout });
  const { log } = server;
  process.on('uncaughtExceptionMonitor', (error) => log.fatal({ err: error }, 'failed'));
  let isStopping = false;
  const reload = async () => {
    try {
      const restarts = await server.reload(file);
      if (isStopping) log.warn('not reloading the configuration, because the server is stopping');
      else log.info('reloaded the configuration');
      if (restarts.length > 0) log.warn({ settings: restarts }, 'these changes need a restart');
    } catch (error) {
      log.error({ err: error }, 'cannot use the new configuration; keeping the old one');
    }
  };
  shutdown.stop = async (signal) => {
    isStopping = true;
    log.info({ signal }, 'shutting down');
    await server.close();
    log.info('stopped');
    await flushLog();
  };
  await server.listen();
  for await (const _ of hangupSignals) void reload();
}

/**
 * Runs a development server until SIGINT or SIGTERM, with the environment `dev`, keys from the folder, and the service
 * `hello` on loopback. Prints how to call it.
 */
export async function serveDevelopment(port: number, folder: string): Promise<void> {
  const shutdown = exitOnSignal();
  const data = resolve(folder);
  const keys = await openDevelopmentKeys(data);
  // Before the store finds out that another development server uses it: a second one needs another port, too.
  const probe = createHttpServer();
  await once(probe.listen(port, '127.0.0.1'), 'listening');
  await once(probe.close(), 'close');
  const input = toDevelopmentConfig(port, data, keys, await startHelloService());
  const logTo = { write: (line: string) => void process.stdout.write(toTerminalLine(line)) };
  const server = await createServer(input, { logTo });
  await server.listen();
  shutdown.stop = async () => {
    process.stdout.write('Finishing calls in progress; press Ctrl-C again to stop immediately.\n');
    await server.close();
  };
  process.stdout.write(await describeDevelopment(server.url, data, keys));
}

/** Terminals, npm and process managers often send a signal twice: to the group, and to the process. */
const DUPLICATE_MILLISECONDS = 500;

/** Exits on the first SIGINT or SIGTERM, after `stop`. A later one exits at once, unless it is a duplicate. */
function exitOnSignal() {
  const shutdown = { stop: async (_signal: string): Promise<void> => {} };
  let since: number | undefined;
  const onSignal = (signal: string) => {
    if (since === undefined) {
      since = performance.now();
      void shutdown.stop(signal).then(() => process.exit(0));
    } else if (performance.now() - since > DUPLICATE_MILLISECONDS) {
      process.exit(1);
    }
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return shutdown;
}

/** The contract's example, which the `hello` of the mock returns too. */
const GREETING = JSON.stringify(gateway.components.examples.Greeting.value);

/** Starts the demo service `hello` on a free loopback port, until the process ends, and returns its URL. */
async function startHelloService(): Promise<string> {
  const server = createHttpServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(GREETING);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return `http://127.0.0.1:${portOf(server)}`;
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { toUpgradeOptions } from '@berth/server-stubs';
import { createApp } from './app.ts';
import { MockRequest, MockResponse } from './call.ts';
import { type Context, createContext } from './context.ts';
import type { FaultRules } from './faults/fault-rules.ts';
import { toOrigin } from './host.ts';
import { type LoggedRequest, toLoggedRequest } from './log/request-log.ts';
import { type MockOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { openServedApi } from './served-api.ts';
import { createServices } from './services/create-services.ts';
import type { SessionClock } from './sessions/session.ts';
import type { SessionFiles } from './sessions/session-files.ts';
import { KEY_PAIR, type MockCredentials } from './surfaces/auth.ts';

/** A running mock. */
export interface Mock {
  /** URL of the mock, without a trailing slash: `http://127.0.0.1:4010`. */
  readonly url: string;
  /** Base URL of the gateway; `{base_url}` in the contract. */
  readonly gatewayUrl: string;
  /** Base URL of the storage API; `{storage_api_url}` in the contract. */
  readonly storageUrl: string;
  /** Port that the mock listens on. */
  readonly port: number;
  /** Credentials that `credentials: 'strict'` accepts. */
  credentials(): Promise<MockCredentials>;
  /**
   * Returns a session, to inspect or change what calls can change: files, clock, faults and log. A call
   * selects its session with the `X-Mock-Session` header.
   *
   * @param id default: the session of all calls without the header
   */
  session(id?: string): MockSession;
  /** Stops the mock: closes open connections and discards files in memory. Safe to call more than once. */
  close(): Promise<void>;
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A session of a mock, for tests in the same process. The control API under `/__mock` offers the same
 * operations. Throws a TypeError that names the field if a value is invalid.
 *
 * @example
 * await using mock = await createMock();
 * const session = mock.session();
 * session.files.put('reports/a.txt', 'Hello.');
 * session.faults.put('slow', 'latency=200,times=1');
 * // … calls …
 * expect(session.requests()).toMatchObject([{ operationId: 'batchDelete', status: 200 }]);
 */
export interface MockSession {
  /** Session name; empty for the default session. */
  readonly id: string;
  /** Resets the session: removes files and calls; restores the initial faults and the real time. */
  reset(): void;
  /** Returns the latest calls, oldest first. */
  requests(): readonly LoggedRequest[];
  readonly faults: Pick<FaultRules, 'list' | 'put' | 'delete'>;
  readonly clock: SessionClock;
  readonly files: SessionFiles;
}

/**
 * Starts a mock of the complete API on one port: gateway (v1), storage API (v2), upload target and download links.
 *
 * @throws TypeError for an invalid option, fault or wire profile; an Error whose `name` is `ServicesError` or
 *   `InvalidDocumentError`, and whose message says where the problem is and how to fix it, for an invalid services
 *   file or document; a `node:net` error if it cannot listen
 * @example
 * await using mock = await createMock();
 * await fetch(`${mock.gatewayUrl}/v1/cloudrun/hello`, { headers: { authorization: 'Bearer dev' } });
 */
export async function createMock(options: MockOptions = {}): Promise<Mock> {
  const { mock } = await startMock(resolveOptions(options));
  return mock;
}

/** Starts a mock, and returns what the command line also needs. */
export async function startMock(options: ResolvedOptions) {
  const services = await createServices(options);
  const api = await openServedApi(options, services);
  const context = createContext(options, api);
  const app = createApp(context);
  const upgradeOptions = toUpgradeOptions(app.shouldUpgrade, MockRequest);
  const server = createServer({ ...upgradeOptions, ServerResponse: MockResponse });
  server.on('request', app.request).on('upgrade', app.upgrade);
  // Node does not count connections that have switched protocols.
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
    return closing;
  };
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = toOrigin(options.host, port);
  const mock: Mock = {
    url,
    gatewayUrl: url,
    storageUrl: url,
    port,
    async credentials() {
      const { mintToken } = await import('./surfaces/strict-auth.ts');
      return { ...KEY_PAIR, token: await mintToken(options.env, mock.session().clock.now()) };
    },
    session: (id = '') => createMockSession(context, id),
    close,
    [Symbol.asyncDispose]: close,
  };
  return { mock, context };
}

function createMockSession(context: Context, id: string): MockSession {
  const { sessions, log, options } = context;
  // A session that was dropped starts over.
  const session = () => sessions.get(id);
  return {
    id,
    reset: () => session().reset(),
    requests: () => log.list(sessions.read(id)).map((call) => toLoggedRequest(call, options)),
    get faults() {
      return session().faults;
    },
    get clock() {
      return session().clock;
    },
    get files() {
      return session().files;
    },
  };
}

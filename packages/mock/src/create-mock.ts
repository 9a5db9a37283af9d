import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createApp } from './app.ts';
import type { Context } from './context.ts';
import type { FileEvents } from './files.ts';
import { originOf, toUrlHost } from './host.ts';
import { type CallRecord, RecordedRequest, RequestLog, toJsonLine, toLine } from './log.ts';
import { createMockSession, type MockSession } from './mock-session.ts';
import { type MockOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { createServices } from './services/create-services.ts';
import { Sessions } from './session.ts';
import { type Auth, createPresentAuth, KEY_PAIR, type MockCredentials } from './surfaces/auth.ts';
import { createContract, serveDocument } from './surfaces/contract.ts';
import { openDocument, serveStandalone, toRouter } from './surfaces/document.ts';
import { createMockGateway } from './surfaces/gateway.ts';
import { LOGGING } from './surfaces/router-options.ts';
import { createMockStorage, createMockUpload } from './surfaces/storage.ts';
import { FieldError } from './user-input.ts';

/** A running mock. */
export interface Mock {
  /** URL of the mock, without a trailing slash: `http://127.0.0.1:4010`. */
  readonly url: string;
  /** Base URL of the gateway; `{base_url}` in the contract. */
  readonly gatewayUrl: string;
  /** Base URL of the storage API; `{storage_api_url}` in the contract. */
  readonly storageUrl: string;
  /** URL of the upload target. */
  readonly uploadUrl: string;
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
 * Starts a mock of the complete API on one port: the gateway (v1), the storage API (v2), the upload target
 * and the download links.
 *
 * @throws TypeError or RangeError for an invalid option; a `node:net` error if it cannot listen
 * @example
 * await using mock = await createMock();
 * await fetch(`${mock.gatewayUrl}/v1/cloudrun/hello`, { headers: { authorization: 'Bearer dev' } });
 */
export async function createMock(options: MockOptions = {}): Promise<Mock> {
  const { mock } = await startMock(resolveOptions(options));
  return mock;
}

/**
 * Starts a mock, and returns what the command line also needs.
 *
 * @param events called when files change. Default: problems are emitted as warnings
 */
export async function startMock(options: ResolvedOptions, events: FileEvents = WARN) {
  const context = await createContext(options, events);
  const app = createApp(context, {
    gateway: createMockGateway(context),
    storage: createMockStorage(context),
    upload: createMockUpload(context),
  });
  const server = createServer({
    IncomingMessage: RecordedRequest,
    shouldUpgradeCallback: app.shouldUpgrade,
  });
  server.on('request', app.request).on('upgrade', app.upgrade);
  const sockets = trackSockets(server);
  const stop = Promise.withResolvers<void>();
  let isClosed = false;
  const close = () => {
    if (isClosed) return stop.promise;
    isClosed = true;
    context.services.close();
    server.close(() => stop.resolve());
    for (const socket of sockets) socket.destroy();
    return stop.promise;
  };
  server.listen(options.port, options.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    context.services.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const url = `http://${toUrlHost(options.host)}:${port}`;
  const mock: Mock = {
    url,
    gatewayUrl: url,
    storageUrl: url,
    uploadUrl: `${url}/`,
    port,
    async credentials() {
      const { mintToken } = await import('./surfaces/strict-auth.ts');
      return { ...KEY_PAIR, token: await mintToken(options.env) };
    },
    session: (id = '') => createMockSession(context, id),
    close,
    [Symbol.asyncDispose]: close,
  };
  return { mock, context };
}

async function createContext(options: ResolvedOptions, events: FileEvents): Promise<Context> {
  const auth = await createAuth(options);
  const opened =
    options.document === undefined
      ? undefined
      : await openDocument(
          options.document,
          (loaded) => serveDocument(loaded, options, auth),
          events,
        );
  const isDraft = opened?.current.surface !== undefined;
  if (opened !== undefined && !isDraft) assertStandalone(options);
  const log = new RequestLog();
  return {
    options,
    auth,
    contract: createContract(isDraft ? opened : undefined, options, auth),
    document: isDraft ? undefined : opened,
    onCall: createPrinter(options),
    log,
    sessions: new Sessions({
      ...options,
      storage: {
        // A caller without a valid Host gets an error, so that the port of its links does not matter.
        publicUrl: (request) =>
          originOf(request) ?? `http://${toUrlHost(options.host)}:${options.port}`,
        wireProfile: options.wireProfile,
        onError: (error) => process.emitWarning(error as Error),
      },
      onDrop: (session) => log.clear(session),
    }),
    services: await createServices(options.services, {
      ...events,
      openDocument: async (source) =>
        toRouter(
          await openDocument(source, (loaded) => serveStandalone(loaded, options, LOGGING), events),
        ),
      wireProfile: options.wireProfile,
    }),
  };
}

/** @throws FieldError if an option has no effect on a mock that serves only another document */
function assertStandalone({ document, services, credentials }: ResolvedOptions): void {
  if (services === undefined && credentials === 'present') return;
  const option = services === undefined ? 'credentials' : 'services';
  const rest = `has no effect together with ${document}, which the mock serves alone and without credentials: remove one of them.`;
  throw new FieldError(option, rest);
}

const WARN: FileEvents = { onProblem: (message) => process.emitWarning(message, 'BerthWarning') };

/** Returns a function that prints each call once, when its response is complete. */
function createPrinter({ log, wireProfile }: ResolvedOptions): (record: CallRecord) => void {
  if (log === 'quiet') return () => {};
  const toText = log === 'json' ? (record: CallRecord) => toJsonLine(record, wireProfile) : toLine;
  let lines = '';
  return (record) => {
    // Each write blocks and takes longer than a call, so the lines of one turn of the event loop are joined.
    if (lines === '') {
      setImmediate(() => {
        process.stdout.write(lines);
        lines = '';
      });
    }
    lines += `${toText(record)}\n`;
  };
}

/** Node does not count connections that have switched protocols. */
function trackSockets(server: NodeJS.EventEmitter): ReadonlySet<Duplex> {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Verification is loaded only if needed. */
async function createAuth({ credentials, env, wireProfile }: ResolvedOptions): Promise<Auth> {
  if (credentials === 'present') return createPresentAuth(wireProfile);
  const { createStrictAuth } = await import('./surfaces/strict-auth.ts');
  return createStrictAuth(env, wireProfile);
}

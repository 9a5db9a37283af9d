import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { toProfileDocument } from '@berth/spec/profile-documents';
import type { WireProfile } from '@berth/spec/wire-profile';
import type { Context } from './context.ts';
import { documents } from './contract/contract.ts';
import type { Oracle } from './contract/oracle/create-oracle.ts';
import { createApplication } from './create-application.ts';
import { type MockOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { createServices, type ServicesEvents } from './services/create-services.ts';
import { describeServiceFault } from './services/services.ts';
import { type LoggedRequest, LogRoom } from './session/request-log.ts';
import { createSession, type SessionParts, Sessions } from './session/session.ts';
import { type Auth, createPresentAuth } from './surfaces/auth/auth.ts';
import { createHttpServer } from './surfaces/http-server.ts';
import { originOf } from './util/host.ts';

interface ServeEvents extends ServicesEvents {
  /** Called for each call when it begins, and again when its response is complete. */
  onCall?(call: LoggedRequest): void;
}

/** A running mock, with the internals that the CLI needs for its examples. */
export type Served = Awaited<ReturnType<typeof serve>>;

/**
 * Starts one server for both documents, the upload target and the links.
 *
 * @param events called for each call, and when service files change; by default, errors in the files are
 * emitted as warnings
 */
export async function serve(given: MockOptions, events: ServeEvents = { onFault: warn }) {
  const options = resolveOptions(given);
  const { wireProfile: profile, dynamic, seed } = options;
  const standard = { dynamic, seed };
  let oracle: Promise<Oracle> | undefined;
  let url = '';
  const parts: SessionParts = {
    secret: randomBytes(32),
    faults: options.faults,
    room: { left: options.maxStoreBytes },
    logRoom: new LogRoom(),
    onCall: events.onCall,
    env: options.env,
    storage: {
      publicUrl: (request) => context.originOf(request),
      wireProfile: () => profile,
      onError: (error) => process.emitWarning(error as Error),
    },
  };
  const context: Context = {
    options,
    get url() {
      return url;
    },
    profile,
    sessions: new Sessions((id) => createSession(id, parts)),
    services: await createServices({
      source: options.document ?? options.services,
      builtIn: options.document === undefined,
      documents: {
        isRoot: options.document !== undefined,
        standard,
      },
      wireProfile: profile,
      ...events,
    }),
    standard,
    oracle() {
      oracle ??= loadOracle(profile);
      return oracle;
    },
    originOf: (request) => originOf(request) ?? url,
  };
  const application = createApplication(context, await createAuth(options));
  const server = createHttpServer(application, profile);
  const sockets = trackSockets(server);
  server.listen(options.port, options.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    context.services.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  url = `http://${toUrlHost(options.host)}:${port}`;
  return {
    url,
    port,
    context,
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      context.services.close();
      await closed;
    },
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

function warn(fault: Parameters<typeof describeServiceFault>[0]): void {
  process.emitWarning(describeServiceFault(fault), 'BerthWarning');
}

/** Prism takes half a second to load, so it is loaded by the first call that needs it. */
async function loadOracle(profile: WireProfile): Promise<Oracle> {
  const { createOracle } = await import('./contract/oracle/create-oracle.ts');
  return createOracle(toProfileDocument(documents, profile));
}

/** Formats a host for a URL. An address that means all interfaces becomes the loopback address. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Real verification is loaded only if needed. */
async function createAuth({ auth, env, wireProfile }: ResolvedOptions): Promise<Auth> {
  if (auth === 'present') return createPresentAuth(wireProfile);
  const { createStrictAuth } = await import('./surfaces/auth/strict-auth.ts');
  return createStrictAuth(env, wireProfile);
}

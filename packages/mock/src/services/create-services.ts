import { createServer, type IncomingMessage } from 'node:http';
import { dirname, resolve } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import type { WireProfile } from '@berth/spec/wire-profile';
import { type FileEvents, type Live, toConstant, whenFresh } from '../files.ts';
import { type RecordedRequest, recordOf } from '../log.ts';
import type { ServedDocument } from '../surfaces/document.ts';
import { isObject } from '../user-input.ts';
import { echo } from './echo.ts';
import { createHandlerService, type HandlerOptions } from './handler-service.ts';
import {
  findNameProblem,
  type HostedServices,
  type RunningService,
  type ServiceHandler,
  ServicesError,
} from './service.ts';
import { openServicesFile } from './services-file.ts';
import { createUrlService } from './url-service.ts';

/** The hosted services: those of the user, and `echo`. */
export interface Services {
  /** Returns a service; undefined if it does not exist. After a change of the services file, a promise. */
  find(name: string): RunningService | undefined | Promise<RunningService | undefined>;
  names(): readonly string[];
  close(): void;
}

/** Opens a document: the path of a file, which is live, or a parsed document. */
type OpenDocument = (source: string | object) => Promise<Live<ServedDocument>>;

export interface ServicesOptions extends FileEvents {
  readonly openDocument: OpenDocument;
  readonly wireProfile: WireProfile;
}

interface ServiceContext extends HandlerOptions {
  readonly openDocument: OpenDocument;
  /** Folder of the services file, to which the paths of documents are relative. */
  readonly folder: string;
}

/**
 * Creates the hosted services. After a change of the services file, its new services respond from the next call on;
 * if the file is invalid, its last valid services do.
 *
 * @param source path of a services file, or services by name. Default: none
 * @throws ServicesError if a service is invalid
 */
export async function createServices(
  source: string | HostedServices | undefined,
  { openDocument, wireProfile, onReload, onProblem = () => {} }: ServicesOptions,
): Promise<Services> {
  const context: ServiceContext = {
    openDocument,
    onProblem,
    upstreamStatus: wireProfile.gatewayHeaders.upstreamStatus,
    folder: typeof source === 'string' ? dirname(resolve(source)) : process.cwd(),
  };
  const startNamed = (definitions: HostedServices) => startAll(definitions, context);
  const { services, close } =
    typeof source === 'string'
      ? await openServicesFile(source, startNamed, { onReload, onProblem })
      : { services: toConstant(await startNamed(source ?? {})), close() {} };
  return {
    find: (name) =>
      services.refresh()?.then(() => services.current.get(name)) ?? services.current.get(name),
    names: () => [...services.current.keys()],
    close,
  };
}

async function startAll(
  definitions: HostedServices,
  context: ServiceContext,
): Promise<ReadonlyMap<string, RunningService>> {
  const running = new Map([['echo', createHandlerService('echo', echo, context)]]);
  for (const [name, definition] of Object.entries(definitions)) {
    const problem = findNameProblem(name);
    if (problem !== undefined) throw new ServicesError(`services: ${name} ${problem}`);
    running.set(name, await start(name, definition, context));
  }
  return running;
}

async function start(
  name: string,
  definition: unknown,
  context: ServiceContext,
): Promise<RunningService> {
  const { openDocument, folder } = context;
  if (isCode(definition)) return createHandlerService(name, definition, context);
  try {
    const address = definition instanceof URL ? definition.href : definition;
    const isText = typeof address === 'string';
    if (isText && /^https?:\/\//.test(address)) return createUrlService(new URL(address));
    if (typeof definition === 'string') {
      return await createDocumentService(resolve(folder, definition), openDocument);
    }
    const isDocument = isObject(definition) && ('openapi' in definition || 'swagger' in definition);
    if (isDocument) return await createDocumentService(definition, openDocument);
  } catch (error) {
    throw new ServicesError(`services: ${name}: ${(error as Error).message}`, { cause: error });
  }
  throw new ServicesError(
    `services: ${name} must be one of these: a function (request) => Response, or an object with fetch or webSocket; the URL of a real service; an OpenAPI document, or its path.`,
  );
}

function isCode(definition: unknown): definition is ServiceHandler {
  const { fetch, webSocket } = isObject(definition) ? definition : { fetch: definition };
  const parts = [fetch, webSocket].filter((part) => part !== undefined);
  return parts.length > 0 && parts.every((part) => typeof part === 'function');
}

/** Serves an OpenAPI document as a hosted service, like a real one, on connections in memory. */
async function createDocumentService(
  source: string | object,
  openDocument: OpenDocument,
): Promise<RunningService> {
  const document = await openDocument(source);
  /** The requests of callers, by the connections that forward them. */
  const callers = new WeakMap<Duplex, IncomingMessage>();
  const server = createServer((request, response) => {
    // The log says why the document refuses a request.
    const caller = callers.get(request.socket) as IncomingMessage;
    (request as RecordedRequest).record = recordOf(caller);
    void whenFresh(document, () => document.current.router(request, response));
  });
  const { call } = createUrlService(new URL('http://document'), ({ request }) => {
    const [client, connection] = duplexPair();
    callers.set(connection, request);
    server.emit('connection', connection);
    return client;
  });
  return { call, isDocument: true };
}

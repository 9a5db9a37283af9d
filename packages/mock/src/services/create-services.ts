import { createServer, type IncomingMessage } from 'node:http';
import { dirname, resolve } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { type Live, type OnProblem, toConstant, whenFresh } from '../files.ts';
import { type RecordedRequest, recordOf } from '../log.ts';
import type { ServedDocument } from '../surfaces/document.ts';
import { isObject } from '../user-input.ts';
import { echo } from './echo.ts';
import { createHandlerService } from './handler-service.ts';
import {
  findNameProblem,
  type HostedServices,
  type RunningService,
  type ServiceHandler,
} from './service.ts';
import { openServicesFile, ServicesError } from './services-file.ts';
import { createUrlService } from './url-service.ts';

interface ServicesOptions {
  readonly onProblem: OnProblem;
  /** Opens a document: the path of a file, which is live, or a parsed document. */
  openDocument(source: string | object): Promise<Live<ServedDocument>>;
  /** Header that marks the response of a hosted service (D10). */
  readonly upstreamStatus: string;
}

/**
 * Creates the hosted services: those of the user, and `echo`. After a change of the services file, its new services
 * respond from the next call on; if the file is invalid, its last valid services do.
 *
 * @param source path of a services file, or services by name. Default: none
 * @throws ServicesError if a service is invalid
 */
export async function createServices(
  source: string | HostedServices | undefined,
  options: ServicesOptions,
) {
  // The paths of documents are relative to the services file.
  const folder = typeof source === 'string' ? dirname(resolve(source)) : process.cwd();
  const startNamed = (definitions: HostedServices) => startAll(definitions, folder, options);
  const { services, close } =
    typeof source === 'string'
      ? await openServicesFile(source, startNamed, options.onProblem)
      : { services: toConstant(await startNamed(source ?? {})), close() {} };
  return {
    /** Returns a service; undefined if it does not exist. After a change of the services file, a promise. */
    find: (name: string) =>
      services.refresh()?.then(() => services.current.get(name)) ?? services.current.get(name),
    names: () => [...services.current.keys()],
    close,
  };
}

async function startAll(
  definitions: HostedServices,
  folder: string,
  options: ServicesOptions,
): Promise<ReadonlyMap<string, RunningService>> {
  const running = new Map([['echo', createHandlerService('echo', echo, options)]]);
  for (const [name, definition] of Object.entries(definitions)) {
    const problem = findNameProblem(name);
    if (problem !== undefined) throw new ServicesError(`services: ${name} ${problem}`);
    running.set(name, await start(name, definition, folder, options));
  }
  return running;
}

async function start(
  name: string,
  definition: unknown,
  folder: string,
  options: ServicesOptions,
): Promise<RunningService> {
  if (isCode(definition)) return createHandlerService(name, definition, options);
  try {
    if (definition instanceof URL) return createUrlService(definition);
    if (typeof definition === 'string') {
      if (/^https?:\/\//.test(definition)) return createUrlService(new URL(definition));
      return createDocumentService(await options.openDocument(resolve(folder, definition)));
    }
    if (isObject(definition) && ('openapi' in definition || 'swagger' in definition)) {
      return createDocumentService(await options.openDocument(definition));
    }
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
function createDocumentService(document: Live<ServedDocument>): RunningService {
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

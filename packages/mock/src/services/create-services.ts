import { dirname, resolve } from 'node:path';
import type { ServedDocument } from '../document.ts';
import { type Live, type OnProblem, toConstant } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';
import { isObject } from '../user-input.ts';
import { createDocumentService } from './document-service.ts';
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

/**
 * Creates the hosted services: those of the user, and `echo`. After a change of the services file, its new services
 * respond from the next call on; if the file is invalid, its last valid services do.
 */
export async function createServices(
  { services: source, wireProfile }: ResolvedOptions,
  openDocument: (source: string | object) => Promise<Live<ServedDocument>>,
  onProblem: OnProblem,
) {
  const folder = typeof source === 'string' ? dirname(resolve(source)) : process.cwd();

  /** Starts a service of any kind. A string with a scheme is a URL, and any other string the path of a document. */
  async function start(name: string, definition: unknown): Promise<RunningService> {
    if (isCode(definition)) {
      const { upstreamStatus } = wireProfile.gatewayHeaders;
      return createHandlerService(name, definition, upstreamStatus, onProblem);
    }
    if (isUrl(definition)) return createUrlService(toBase(definition));
    if (isDocument(definition)) {
      const document = typeof definition === 'string' ? resolve(folder, definition) : definition;
      return createDocumentService(await openDocument(document));
    }
    throw new TypeError(
      'use a function (request) => Response, an object with fetch or webSocket, the URL of a real service, or an OpenAPI document or its path.',
    );
  }

  async function startAll(definitions: HostedServices) {
    const running = new Map<string, RunningService>();
    for (const [name, definition] of Object.entries({ echo, ...definitions })) {
      const problem = findNameProblem(name);
      if (problem !== undefined) throw new ServicesError(`services: ${name} ${problem}`);
      try {
        running.set(name, await start(name, definition));
      } catch (error) {
        throw new ServicesError(`services: ${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    return running;
  }

  const { services, close } =
    typeof source === 'string'
      ? await openServicesFile(source, startAll, onProblem)
      : { services: toConstant(await startAll(source ?? {})), close() {} };
  return {
    /** Returns a service; undefined if it does not exist. After a change of the services file, a promise. */
    find: (name: string) => services.use((current) => current.get(name)),
    names: () => [...services.current.keys()],
    close,
  };
}

function isCode(definition: unknown): definition is ServiceHandler {
  const { fetch, webSocket } = isObject(definition) ? definition : { fetch: definition };
  const parts = [fetch, webSocket].filter((part) => part !== undefined);
  return parts.length > 0 && parts.every((part) => typeof part === 'function');
}

function isUrl(definition: unknown): definition is URL | string {
  if (typeof definition === 'string') return /^[a-z][a-z\d+.-]*:\/\//i.test(definition);
  return definition instanceof URL;
}

function toBase(address: URL | string): URL {
  const url = new URL(address);
  if (/^https?:$/.test(url.protocol) && url.search === '') return url;
  throw new TypeError(`use an http or https URL without a query, got ${address}.`);
}

function isDocument(definition: unknown): definition is object | string {
  if (typeof definition === 'string') return true;
  return isObject(definition) && ('openapi' in definition || 'swagger' in definition);
}

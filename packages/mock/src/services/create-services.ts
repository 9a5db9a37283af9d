import { dirname, resolve } from 'node:path';
import { openDocument, serveDocument } from '../document.ts';
import { type OnProblem, toConstant } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';
import { LOGGING } from '../surfaces/responses.ts';
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

interface ServiceKind<Definition> {
  /** What a user writes, for the error if no kind accepts a definition. */
  readonly form: string;
  accepts(definition: unknown): definition is Definition;
  start(definition: Definition, name: string): RunningService | Promise<RunningService>;
}

export type Services = Awaited<ReturnType<typeof createServices>>;

/**
 * Creates the hosted services: those of the user, and `echo`. After a change of the services file, its new services
 * respond from the next call on; if the file is invalid, its last valid services do.
 */
export async function createServices(options: ResolvedOptions, onProblem: OnProblem) {
  const { services: source, wireProfile } = options;
  const folder = typeof source === 'string' ? dirname(resolve(source)) : process.cwd();

  const code: ServiceKind<ServiceHandler> = {
    form: 'a function (request) => Response, an object with fetch or webSocket',
    accepts: isCode,
    start: (handler, name) =>
      createHandlerService(name, handler, wireProfile.gatewayHeaders.upstreamStatus, onProblem),
  };
  const url: ServiceKind<URL | string> = {
    form: 'the URL of a real service',
    accepts: isUrl,
    start: (address) => createUrlService(toBase(address)),
  };
  const document: ServiceKind<object | string> = {
    form: 'an OpenAPI document or its path',
    accepts: isDocument,
    async start(source) {
      const path = typeof source === 'string' ? resolve(folder, source) : source;
      return createDocumentService(
        await openDocument(path, (loaded) => serveDocument(loaded, options, LOGGING), onProblem),
      );
    },
  };
  /** The first that accepts a definition starts it. A document takes every other string, so it is last. */
  const kinds: readonly ServiceKind<unknown>[] = [code, url, document];

  async function start(name: string, definition: unknown): Promise<RunningService> {
    const kind = kinds.find(({ accepts }) => accepts(definition));
    if (kind !== undefined) return kind.start(definition, name);
    throw new TypeError(`use ${kinds.map(({ form }) => form).join(', ')}.`);
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

/** A string with a scheme, or a host with a port, whose error says that the scheme is missing. */
function isUrl(definition: unknown): definition is URL | string {
  const pattern = /^([a-z][a-z\d+.-]*:\/\/|[\w.-]+:\d+(\/|$))/i;
  return definition instanceof URL || (typeof definition === 'string' && pattern.test(definition));
}

function toBase(address: URL | string): URL {
  const url = URL.parse(`${address}`);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === '') return url;
  throw new TypeError(`use a URL such as http://127.0.0.1:3000, without a query, got ${address}.`);
}

function isDocument(definition: unknown): definition is object | string {
  if (typeof definition === 'string') return true;
  return isObject(definition) && ('openapi' in definition || 'swagger' in definition);
}

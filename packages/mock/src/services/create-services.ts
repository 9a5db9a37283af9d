import { dirname, resolve } from 'node:path';
import type { ServedDocument } from '../document.ts';
import { type Live, type OnProblem, toConstant, whenFresh } from '../live.ts';
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

interface ServicesOptions {
  readonly onProblem: OnProblem;
  /** Header with the status of the service (D10). */
  readonly upstreamStatus: string;
  /** Opens a document: the path of a file, which is live, or a parsed document. */
  openDocument(source: string | object): Promise<Live<ServedDocument>>;
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
  const folder = typeof source === 'string' ? dirname(resolve(source)) : process.cwd();
  const startNamed = (definitions: HostedServices) => startAll(definitions, { ...options, folder });
  const { services, close } =
    typeof source === 'string'
      ? await openServicesFile(source, startNamed, options.onProblem)
      : { services: toConstant(await startNamed(source ?? {})), close() {} };
  return {
    /** Returns a service; undefined if it does not exist. After a change of the services file, a promise. */
    find: (name: string) => whenFresh(services, (current) => current.get(name)),
    names: () => [...services.current.keys()],
    close,
  };
}

async function startAll(
  definitions: HostedServices,
  options: StartOptions,
): Promise<ReadonlyMap<string, RunningService>> {
  const running = new Map<string, RunningService>();
  for (const [name, definition] of Object.entries({ echo, ...definitions })) {
    const problem = findNameProblem(name);
    if (problem !== undefined) throw new ServicesError(`services: ${name} ${problem}`);
    const kind = KINDS.find(({ matches }) => matches(definition));
    if (kind === undefined) {
      const list = KINDS.map(({ description }) => description).join('; ');
      throw new ServicesError(`services: ${name} must be one of these: ${list}.`);
    }
    try {
      running.set(name, await kind.start(definition, name, options));
    } catch (error) {
      throw new ServicesError(`services: ${name}: ${(error as Error).message}`, { cause: error });
    }
  }
  return running;
}

/** The paths of documents are relative to the folder of the services file. */
type StartOptions = ServicesOptions & { readonly folder: string };

interface ServiceKind<Definition = unknown> {
  /** For the message that lists the kinds. */
  readonly description: string;
  matches(definition: unknown): definition is Definition;
  /** @throws Error that says what is wrong with the definition */
  start(
    definition: Definition,
    name: string,
    options: StartOptions,
  ): RunningService | Promise<RunningService>;
}

/**
 * All kinds of services. A definition is of the first kind that matches. `isUrl` takes every string with a scheme, and
 * `isDocument` every other one, so a new kind of string goes above them. Nothing closes a service, so none may start a
 * process, a timer or a listener.
 */
const KINDS = [
  kind({
    description: 'a function (request) => Response, or an object with fetch or webSocket',
    matches: isCode,
    start: (handler, name, { upstreamStatus, onProblem }) =>
      createHandlerService(name, handler, upstreamStatus, onProblem),
  }),
  kind({
    description: 'the URL of a real service',
    matches: isUrl,
    start(address) {
      const url = new URL(address);
      if (/^https?:$/.test(url.protocol) && url.search === '') return createUrlService(url);
      throw new TypeError(`use an http or https URL without a query, got ${address}.`);
    },
  }),
  kind({
    description: 'an OpenAPI document, or its path',
    matches: isDocument,
    async start(document, _, { folder, openDocument }) {
      const source = typeof document === 'string' ? resolve(folder, document) : document;
      return createDocumentService(await openDocument(source));
    },
  }),
];

/** Infers the definition of a kind from `matches`. */
function kind<Definition>(row: ServiceKind<Definition>): ServiceKind {
  return row as ServiceKind;
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

function isDocument(definition: unknown): definition is object | string {
  if (typeof definition === 'string') return true;
  return isObject(definition) && ('openapi' in definition || 'swagger' in definition);
}

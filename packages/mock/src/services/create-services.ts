import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { openLive, type Watch } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';
import { createCodeService } from './code-service.ts';
import { isDocument, startDocumentService } from './document-service.ts';
import { events } from './events.ts';
import { CODE, isCode } from './run-code.ts';
import type { RunningService, ServiceContext } from './running-service.ts';
import { findNameProblem, type HostedServices, type ServiceHandler } from './service.ts';
import { openServicesFile, ServicesError } from './services-file.ts';
import { ADDRESS, createUrlService, toServiceUrl } from './url-service.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

/**
 * Creates the hosted services: the user's, `echo`, and `hello`, which nothing implements. A change in one of their
 * files applies from the next call.
 */
export async function createServices(options: ResolvedOptions) {
  const { services: source } = options;

  /** @param folder what paths of documents are relative to */
  async function startAll(definitions: HostedServices, watch: Watch, folder: string) {
    const running = new Map<string, RunningService | undefined>([['hello', undefined]]);
    for (const [name, definition] of Object.entries({ echo, ...definitions })) {
      const problem = findNameProblem(name);
      if (problem !== undefined) throw new ServicesError(`services: ${name} ${problem}`);
      try {
        running.set(name, await startService(definition, folder, { name, watch, options }));
      } catch (error) {
        throw new ServicesError(`services: ${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    return running;
  }

  const load =
    typeof source === 'string'
      ? openServicesFile(source, startAll)
      : (watch: Watch) => startAll(source ?? {}, watch, process.cwd());
  return openLive(load, options);
}

const DOCUMENT = 'an OpenAPI document or the path of a YAML or JSON file with one';

/** Starts a service of the first kind that matches. @throws Error that says how to fix the definition */
function startService(definition: HostedServices[string], folder: string, context: ServiceContext) {
  const invalid = (expected: string) =>
    new TypeError(`use ${expected}, got ${inspect(definition, { depth: 0 })}.`);
  const address = definition instanceof URL ? definition.href : definition;
  if (typeof address === 'string') {
    // Before files: an address such as `http://127.0.0.1:3000/orders.json` may end like one.
    if (ADDRESS.test(address)) return createUrlService(toServiceUrl(address));
    // `./orders.openapi.yaml`
    const isFile = /\.(ya?ml|json)$/i.test(address);
    if (isFile) return startDocumentService(resolve(folder, address), context);
  }
  if (isCode(definition)) {
    if (isDocument(definition)) throw invalid(`${CODE}; or ${DOCUMENT}; but not both`);
    return createCodeService(definition, context);
  }
  if (isDocument(definition)) return startDocumentService(definition, context);
  throw invalid(`${CODE}; or the URL of a real service; or ${DOCUMENT}`);
}

/** A service, which a user may replace, that returns what it receives. The README describes its paths. */
const echo: ServiceHandler = {
  async fetch(request) {
    const { method, headers, url } = request;
    const { pathname: path, search, searchParams } = new URL(url);
    const [, status] = /^\/status\/([2-5]\d\d)$/.exec(path) ?? [];
    const code = Number(status);
    if ([204, 205, 304].includes(code)) return new Response(null, { status: code });
    if (status !== undefined) return Response.json({ status: code }, { status: code });
    if (headers.get('accept')?.includes('text/event-stream')) {
      const list = searchParams.getAll('data').map((data) => ({ data }));
      return events(list, request);
    }
    if (path === '/body' && request.body !== null) {
      const type = headers.get('content-type') ?? 'application/octet-stream';
      return new Response(request.body, { headers: { 'content-type': type } });
    }
    const body = await request.text();
    const query = search.slice(1);
    return Response.json({ method, path, query, headers: Object.fromEntries(headers), body });
  },
  async webSocket(socket) {
    for await (const message of socket) await socket.send(message);
  },
};

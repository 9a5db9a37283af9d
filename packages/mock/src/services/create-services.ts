import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { openLive, type Watch } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';
import { echo } from './built-in.ts';
import { createCodeService } from './code-service.ts';
import { isDocument, startDocumentService } from './document-service.ts';
import { CODE, isCode } from './run-code.ts';
import type { RunningService, ServiceContext } from './running-service.ts';
import { findNameProblem, type HostedServices } from './service.ts';
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

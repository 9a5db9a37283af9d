import { resolve } from 'node:path';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Router } from '@berth/server-stubs/runtime';
import { type FileEvents, FileWatch } from '../files.ts';

/** What is made of a document, which is read again when one of its files has changed. */
export interface Live<Built> {
  readonly current: Built;
  /** Reads a changed document. Returns undefined, without waiting, if nothing has changed. Never rejects. */
  refresh(): Promise<void> | undefined;
}

/**
 * Reads a document, and makes something of it.
 *
 * @param source path of a file, or a parsed document, which never changes
 * @throws InvalidDocumentError that names the place, and what is wrong
 */
export async function openLive<Built>(
  source: string | object,
  build: (loaded: DocumentRoutes) => Built,
  { onReload, onProblem }: FileEvents = {},
): Promise<Live<Built>> {
  let loaded = await load(source);
  let current = build(loaded);
  let watch = watchFiles();
  let reading: Promise<void> | undefined;

  function watchFiles(): FileWatch {
    return new FileWatch(typeof source === 'string' ? [resolve(source), ...loaded.files] : []);
  }

  async function read(): Promise<void> {
    // What changes while it is read is read again.
    watch = watchFiles();
    const { files } = loaded;
    try {
      loaded = await load(source);
      current = build(loaded);
      if (String(loaded.files) !== String(files)) watch = watchFiles();
      onReload?.(String(source));
    } catch (error) {
      onProblem?.((error as Error).message);
    }
    reading = undefined;
  }

  return {
    get current() {
      return current;
    },
    refresh() {
      if (reading === undefined && watch.isStale()) reading = read();
      return reading;
    },
  };
}

/** Loading documents takes time to import, which only those who use one should wait for. */
async function load(source: string | object): Promise<DocumentRoutes> {
  const { InvalidDocumentError, loadRoutes } = await import('@berth/server-stubs/document');
  const loaded = await loadRoutes(source);
  if (loaded.routes.routes.length === 0) throw new InvalidDocumentError(loaded.warnings);
  return loaded;
}

type FoundRequest = Parameters<Router['find']>[0];

/**
 * Creates a router that passes each request on when the documents are up to date.
 *
 * @param select returns the router for a request
 */
export function createLiveRouter(
  documents: readonly Live<unknown>[],
  select: (request: FoundRequest) => Router,
): Router {
  const listener =
    (event: 'request' | 'checkContinue'): Router['checkContinue'] =>
    (request, response, next) => {
      const handle = () => {
        const router = select(request);
        const listen = event === 'request' ? router : router.checkContinue;
        listen(request, response, next);
      };
      const reading = documents.flatMap((document) => document.refresh() ?? []);
      if (reading.length === 0) handle();
      else void Promise.all(reading).then(handle);
    };
  return Object.assign(listener('request'), {
    checkContinue: listener('checkContinue'),
    find: (request: FoundRequest) => select(request).find(request),
  });
}

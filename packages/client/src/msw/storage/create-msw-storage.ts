import { HttpResponse, http, type RequestHandler, type RequestHandlerOptions } from 'msw';
import { STORAGE_PATH } from '../../generated/contract.gen.ts';
import { STORAGE_REQUESTS } from '../../generated/msw.gen.ts';
import type { StorageOperation } from '../../internal/storage-context.ts';
import { escapePattern, type MswContext, toPattern } from '../context.ts';
import { allowPages, openToPages } from '../cors.ts';
import { OPERATIONS } from './operations.ts';
import { readRequest } from './read-request.ts';
import { storageError } from './storage-error.ts';
import type { MswStorage, StorageResolver } from './storage-resolver.ts';

/** Makes handlers of the storage operations, and the default ones. */
export function createMswStorage(context: MswContext): {
  storage: MswStorage;
  defaults: RequestHandler[];
} {
  const ids = Object.keys(STORAGE_REQUESTS) as StorageOperation[];
  const make =
    <Operation extends StorageOperation>(operation: Operation) =>
    (resolver: StorageResolver<Operation>, options?: RequestHandlerOptions) =>
      http.post(
        toPattern(context.storageUrl, toPath(operation)),
        async ({ request }) => {
          const read = await readRequest(operation, request, context);
          if ('refusal' in read) return openToPages(read.refusal);
          const answer = await resolver({ request, body: read.body as never });
          const isDone = answer === undefined || answer instanceof Response;
          return openToPages(isDone ? answer : toAnswer(answer));
        },
        options,
      );
  const storage = Object.fromEntries(ids.map((id) => [id, make(id)])) as unknown as MswStorage;
  const byDefault = <Operation extends StorageOperation>(operation: Operation) =>
    make(operation)(({ body }) => OPERATIONS[operation](body, context));
  const all = toPattern(context.storageUrl, toPath());
  const unknown = http.all(all, ({ request }) => {
    const url = request.url.replace(/[?#].*/, '');
    const isKnown = ids.some((id) => toPattern(context.storageUrl, toPath(id)).test(url));
    return openToPages(storageError(isKnown ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND'));
  });
  return { storage, defaults: [allowPages(all, 'storage'), ...ids.map(byDefault), unknown] };
}

/** The path of an operation, or of all, in any environment. */
function toPath(operation = '.*'): string {
  return escapePattern(STORAGE_PATH).replace('\\{envId\\}', '[^/]+') + operation;
}

/** "Response `{ statusCode, body: { requestId, data } }`" (D20). */
function toAnswer(data: object): Response {
  const requestId = crypto.randomUUID();
  const headers = { 'X-Request-Id': requestId };
  return HttpResponse.json({ statusCode: 200, body: { requestId, data } }, { headers });
}

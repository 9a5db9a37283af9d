import {
  createStorageRouter,
  createUploadRouter,
  type Router,
  type StorageCall,
  type StorageHandlers,
  type UploadHandler,
} from '@berth/server-stubs';
import type { Listener } from '@berth/server-stubs/runtime';
import { createDownloadListener } from '@berth/storage/node';
import { callOf, ROUTER_HOOKS } from '../call.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Prism } from '../prism/prism.ts';
import { STORAGE_OPERATIONS } from '../surface.ts';
import { isObject } from '../user-input.ts';
import type { Auth } from './auth.ts';
import { prefersPrism, respondAsDocumented } from './respond.ts';
import { toRouterOptions } from './responses.ts';

/** A storage operation, whose input the router has validated. */
type Handler = (input: unknown, call: StorageCall) => unknown;

/** Creates the storage API for a session's files. */
export function createMockStorage(options: ResolvedOptions, auth: Auth, prism: Prism): Router {
  async function handle(input: unknown, call: StorageCall) {
    if (prefersPrism(call)) {
      const { value } = await respondAsDocumented(prism, 'storage', call);
      // The router adds the envelope.
      return isObject(value) && isObject(value.body) ? value.body.data : value;
    }
    const { storage } = callOf(call.request).session.storage;
    const operation = storage[call.operationId as keyof typeof storage] as Handler;
    return operation(input, call);
  }

  const handlers = STORAGE_OPERATIONS.map((id) => [id, handle]);
  const settings = { ...toRouterOptions(options), env: options.env, security: auth.storage };
  return createStorageRouter(Object.fromEntries(handlers) as StorageHandlers, settings);
}

/** Creates the upload target. If Prism responds, nothing is stored. */
export function createMockUpload(options: ResolvedOptions, prism: Prism): Router {
  const uploadFile: UploadHandler = async (form, call) => {
    if (!prefersPrism(call))
      return callOf(call.request).session.storage.upload.uploadFile(form, call);
    // An incomplete form is still rejected.
    for await (const _ of form.file);
    const { headers } = await respondAsDocumented(prism, 'upload', call);
    // A draft may omit the headers that every upload has (D27).
    const { etag = 'example', location = `/${form.key}` } = headers;
    return { etag, location };
  };
  return createUploadRouter({ uploadFile }, toRouterOptions(options));
}

/** Creates the listener for links. Links are not operations of any document. */
export function createMockLinks({ cors, wireProfile }: ResolvedOptions): Listener {
  const { requestId, onResponse } = ROUTER_HOOKS;
  return createDownloadListener({
    download: (request, id, send) =>
      callOf(request).session.storage.download(request, id, (response) => {
        onResponse(response, { request });
        return send(response);
      }),
    cors,
    wireProfile,
    requestId,
    onRejected: (error, { req: request }) => onResponse(error, { request }, error),
  });
}

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
import { readPreferences } from '../prism/preferences.ts';
import type { Prism } from '../prism/prism.ts';
import { STORAGE_OPERATIONS } from '../surface.ts';
import { isObject } from '../user-input.ts';
import type { Auth } from './auth.ts';
import { respondAsDocumented } from './prefer.ts';
import { toCors, toRouterOptions } from './responses.ts';

/** A storage operation, whose input the router has validated. */
type Handler = (input: unknown, call: StorageCall) => unknown;

/** Creates the storage API for a session's files. For calls with `Prefer`, Prism responds. */
export function createMockStorage(options: ResolvedOptions, auth: Auth, prism: Prism): Router {
  const handle = async (input: unknown, call: StorageCall) => {
    const { storage } = callOf(call.request).session.storage;
    if (readPreferences(call.request) === undefined) {
      const operation = storage[call.operationId as keyof typeof storage] as Handler;
      return operation(input, call);
    }
    const { value } = await respondAsDocumented(prism, 'storage', call);
    // The router adds the envelope.
    return isObject(value) && isObject(value.body) ? value.body.data : value;
  };
  const handlers = STORAGE_OPERATIONS.map((id) => [id, handle]);
  const settings = { ...toRouterOptions(options), env: options.env, security: auth.storage };
  return createStorageRouter(Object.fromEntries(handlers) as StorageHandlers, settings);
}

/** Creates the upload target. Prism responds to a form with `Prefer`, and nothing is stored. */
export function createMockUpload(options: ResolvedOptions, prism: Prism): Router {
  const uploadFile: UploadHandler = async (form, call) => {
    const { upload } = callOf(call.request).session.storage;
    if (readPreferences(call.request) === undefined) return upload.uploadFile(form, call);
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
export function createMockLinks(options: ResolvedOptions): Listener {
  return createDownloadListener({
    download: (request, requestId, send) =>
      callOf(request).session.storage.download(request, requestId, (found) => {
        ROUTER_HOOKS.onResponse(found, { request });
        return send(found);
      }),
    cors: toCors(options),
    wireProfile: options.wireProfile,
    requestId: ROUTER_HOOKS.requestId,
    onRejected: (error, { req: request }) => ROUTER_HOOKS.onResponse(error, { request }, error),
  });
}

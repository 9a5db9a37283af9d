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
import { respond, respondAsDocumented } from './respond.ts';
import { toRouterOptions } from './responses.ts';

/** A storage operation, whose input the router has validated. */
type Handler = (input: unknown, call: StorageCall) => unknown;

/** Creates the storage API for a session's files. */
export function createMockStorage(options: ResolvedOptions, auth: Auth, prism: Prism): Router {
  const handle = (input: unknown, call: StorageCall) => {
    const { storage } = callOf(call.request).session.storage;
    const operation = storage[call.operationId as keyof typeof storage] as Handler;
    const asDocumented = async () => {
      const { value } = await respondAsDocumented(prism, 'storage', call);
      // The router adds the envelope.
      return isObject(value) && isObject(value.body) ? value.body.data : value;
    };
    return respond(call, { prism: asDocumented, implementation: () => operation(input, call) });
  };
  const handlers = STORAGE_OPERATIONS.map((id) => [id, handle]);
  const settings = { ...toRouterOptions(options), env: options.env, security: auth.storage };
  return createStorageRouter(Object.fromEntries(handlers) as StorageHandlers, settings);
}

/** Creates the upload target. If Prism responds, nothing is stored. */
export function createMockUpload(options: ResolvedOptions, prism: Prism): Router {
  const uploadFile: UploadHandler = (form, call) => {
    const { upload } = callOf(call.request).session.storage;
    const asDocumented = async () => {
      // An incomplete form is still rejected.
      for await (const _ of form.file);
      const { headers } = await respondAsDocumented(prism, 'upload', call);
      // A draft may omit the headers that every upload has (D27).
      const { etag = 'example', location = `/${form.key}` } = headers;
      return { etag, location };
    };
    const implementation = () => upload.uploadFile(form, call);
    return respond(call, { prism: asDocumented, implementation });
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

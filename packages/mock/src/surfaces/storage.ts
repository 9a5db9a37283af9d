import {
  createStorageRouter,
  createUploadRouter,
  type Router,
  type StorageCall,
  type StorageHandlers,
  type UploadHandler,
} from '@berth/server-stubs';
import type { StorageOperationId } from '@berth/server-stubs/contract';
import type { Listener } from '@berth/server-stubs/runtime';
import { createDownloadListener } from '@berth/storage/node';
import { LOGGING, recordOf } from '../log.ts';
import { readPreferences } from '../prism/prism.ts';
import { isObject } from '../user-input.ts';
import type { ContractParts } from './contract.ts';
import { toCors, toRouterOptions } from './responses.ts';
import { callStorage, STORAGE_OPERATIONS } from './surface.ts';

/** Creates the storage API for a session's files. For calls with `Prefer`, Prism responds. */
export function createMockStorage({ contract, options, auth }: ContractParts): Router {
  const toHandler = (id: StorageOperationId) => async (input: unknown, call: StorageCall) => {
    const { storage } = recordOf(call.request).session;
    const preferences = readPreferences(call.request.headers.prefer);
    if (preferences === undefined) return callStorage(storage, id, input, call);
    const { body } = await contract.respond('storage', call, preferences);
    // The router adds the envelope.
    return isObject(body) && isObject(body.body) ? body.body.data : body;
  };
  const handlers = STORAGE_OPERATIONS.map((id) => [id, toHandler(id)]);
  const settings = { ...toRouterOptions(options), env: options.env, security: auth.storage };
  return createStorageRouter(Object.fromEntries(handlers) as StorageHandlers, settings);
}

/** Creates the upload target. Prism responds to a form with `Prefer`, and nothing is stored. */
export function createMockUpload({ contract, options }: ContractParts): Router {
  const uploadFile: UploadHandler = async (form, call) => {
    const preferences = readPreferences(call.request.headers.prefer);
    if (preferences === undefined) {
      return recordOf(call.request).session.storage.upload.uploadFile(form, call);
    }
    // An incomplete form is still rejected.
    for await (const _ of form.file);
    const { headers } = await contract.respond('upload', call, preferences);
    return { etag: `${headers.etag}`, location: `${headers.location}` };
  };
  return createUploadRouter({ uploadFile }, toRouterOptions(options));
}

/** Creates the listener for links. Links are not operations of any document. */
export function createMockLinks({ options }: ContractParts): Listener {
  return createDownloadListener({
    async download(request, requestId) {
      const found = await recordOf(request).session.storage.download(request, requestId);
      LOGGING.onResponse(found, { request });
      return found;
    },
    cors: toCors(options),
    wireProfile: options.wireProfile,
    requestId: LOGGING.requestId,
    onRejected: (error, { req: request }) => LOGGING.onResponse(error, { request }, error),
  });
}

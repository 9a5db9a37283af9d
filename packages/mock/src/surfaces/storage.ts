import {
  createStorageRouter,
  createUploadRouter,
  type Router,
  type StorageCall,
  type StorageHandlers,
  type UploadHandler,
} from '@berth/server-stubs';
import type { StorageOperationId } from '@berth/server-stubs/contract';
import type { StorageCaller } from '@berth/storage';
import type { Context } from '../context.ts';
import { recordOf } from '../log.ts';
import { readPreferences } from '../prism/preferences.ts';
import type { Auth } from './auth.ts';
import { respondByPrism } from './documented.ts';
import { toRouterOptions } from './router-options.ts';

type Act = (
  input: unknown,
  call: Pick<StorageCall<StorageCaller>, 'envId' | 'caller' | 'request' | 'requestId'>,
) => unknown;

const IDS: readonly StorageOperationId[] = [
  'getUploadMetaData',
  'batchGetTempUrls',
  'batchDelete',
  'batchCopyFile',
];

/** Creates the storage API for a session's files. For calls with `Prefer`, Prism responds. */
export function createStorage(context: Context, auth: Auth): Router {
  const { contract, profile } = context;
  const { env } = context.options;

  const handle = (id: StorageOperationId) => (input: unknown, call: StorageCall) => {
    const { request, requestId, envId } = call;
    const record = recordOf(request);
    record.operationId = id;
    const preferences = readPreferences(request.headers.prefer);
    if (preferences !== undefined) {
      return respondByPrism(contract.prism, call, 'storage', profile, preferences);
    }
    const act = record.session.storage.storage[id] as Act;
    return act(input, { envId, caller: { env, id: 'mock' }, request, requestId });
  };

  const handlers = Object.fromEntries(IDS.map((id) => [id, handle(id)]));
  const router = createStorageRouter(handlers as unknown as StorageHandlers, {
    ...toRouterOptions(context),
    env,
    security: auth.storage,
  });
  return contract.extend(router);
}

/** Creates the upload target. Prism responds to a form with `Prefer`, and nothing is stored. */
export function createUpload(context: Context): Router {
  const { contract, profile } = context;
  const uploadFile: UploadHandler = async (form, call) => {
    const preferences = readPreferences(call.request.headers.prefer);
    if (preferences === undefined) {
      return recordOf(call.request).session.storage.upload.uploadFile(form, call);
    }
    // An incomplete form is rejected all the same.
    for await (const _ of form.file);
    return respondByPrism(contract.prism, call, 'upload', profile, preferences);
  };
  return createUploadRouter({ uploadFile }, toRouterOptions(context));
}

import {
  createStorageRouter,
  createUploadRouter,
  type Router,
  type StorageCall,
  type StorageHandlers,
  UploadError,
  type UploadHandler,
} from '@berth/server-stubs';
import type { StorageOperationId } from '@berth/server-stubs/contract';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { StorageCaller } from '@berth/storage';
import type { Context } from '../context.ts';
import { recordOf } from '../log.ts';
import { type Preferences, readPreferences } from '../prism/preferences.ts';
import { isObject } from '../user-input.ts';
import type { Auth } from './auth.ts';
import { DocumentedResponse, respondByPrism } from './documented.ts';
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

/**
 * Creates the storage API for a session's files. For calls with `Prefer`, Prism responds.
 */
export function createStorage(context: Context, auth: Auth): Router {
  const { contract, profile } = context;
  const { env } = context.options;
  const prism = () => contract.prism('storage');

  const handle = (id: StorageOperationId) => (input: unknown, call: StorageCall) => {
    const { request, requestId, envId } = call;
    const record = recordOf(request);
    record.operationId = id;
    const preferences = readPreferences(request.headers.prefer);
    if (preferences !== undefined) {
      return respondByPrism(prism, call, 'storage', profile, preferences);
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

export function createUpload(context: Context): Router {
  const uploadFile: UploadHandler = async (form, call) => {
    const preferences = readPreferences(call.request.headers.prefer);
    if (preferences === undefined) {
      return recordOf(call.request).session.storage.upload.uploadFile(form, call);
    }
    // An incomplete form is rejected all the same.
    for await (const _ of form.file);
    return respondAsDocumented(context, preferences);
  };
  return createUploadRouter({ uploadFile }, toRouterOptions(context));
}

/**
 * Responds to an upload as the contract documents it, and stores nothing. Prism cannot write the XML of errors, because
 * it does not know the name of the root element.
 *
 * @throws UploadError or DocumentedResponse, always
 */
async function respondAsDocumented(
  { contract }: Context,
  preferences: Preferences,
): Promise<never> {
  const { code = 200, example } = preferences;
  const row = defaults.uploadErrors.find(({ status }) => status === code);
  if (example === undefined && row !== undefined) throw new UploadError(row.code);
  const prism = await contract.prism('storage');
  const { status, body } = await prism.respond('uploadFile', { preferences });
  if (isObject(body)) {
    throw new UploadError(String(body.Code), { status, message: String(body.Message) });
  }
  throw new DocumentedResponse(status, ({ requestId }) => ({
    status,
    headers: { 'x-request-id': requestId },
  }));
}

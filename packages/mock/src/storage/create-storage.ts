import {
  createStorageRouter,
  type Router,
  type StorageCall,
  type StorageHandlers,
  type StorageOperationId,
} from '@berth/server-stubs';
import type { Auth } from '../auth/auth.ts';
import type { Context } from '../context.ts';
import { listExamples } from '../contract/examples.ts';
import { toExample } from '../contract/to-example.ts';
import { consult, preferencesOf } from '../oracle/consult.ts';
import { recordOf } from '../record/recorded-request.ts';
import { toRouterOptions } from '../router-options.ts';
import { createBatchCopyFile } from './batch-copy-file.ts';
import { batchDelete } from './batch-delete.ts';
import { batchGetTempUrls } from './batch-get-temp-urls.ts';
import { getUploadMetaData } from './get-upload-meta-data.ts';
import type { Act, Place } from './place.ts';

/** The storage API over the files of a session; with `Prefer` the examples of the contract answer. */
export function createStorage(context: Context, auth: Auth): Router {
  const { env, mode } = context.options;
  const examples = listExamples();

  const handle =
    <Id extends StorageOperationId>(id: Id, act: Act<Id>) =>
    (input: Parameters<Act<Id>>[0], call: StorageCall): ReturnType<Act<Id>> => {
      const record = recordOf(call.request);
      record.operationId = id;
      const preferences = preferencesOf(call, 'storage', context) ?? context.dynamic;
      const isStatic = mode === 'static' && preferences === undefined;
      const example = isStatic
        ? toExample(examples.get(id), call.request.headers.accept)
        : undefined;
      if (example !== undefined) return dataOf(example.value);
      if (isStatic || preferences !== undefined) {
        const params = { envId: call.envId };
        const question = { surface: 'storage', params, body: input } as const;
        return consult(context, call, question, preferences) as never;
      }
      const { session } = record;
      const place: Place = { env, session, origin: () => context.originOf(call.request) };
      return act(input, place);
    };

  const handlers: StorageHandlers = {
    getUploadMetaData: handle('getUploadMetaData', getUploadMetaData),
    batchGetTempUrls: handle('batchGetTempUrls', batchGetTempUrls),
    batchDelete: handle('batchDelete', batchDelete),
    batchCopyFile: handle('batchCopyFile', createBatchCopyFile(context.operations)),
  };
  return createStorageRouter(handlers, {
    ...toRouterOptions(context, 'storage'),
    env,
    security: auth.storage,
  });
}

function dataOf<Data>(envelope: unknown): Data {
  return (envelope as { body: { data: Data } }).body.data;
}

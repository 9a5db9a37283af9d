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
import { idsOf } from '../contract/operations.ts';
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
  const examples = listExamples(context.contract.documents);

  const handle =
    <Id extends StorageOperationId>(id: Id, act: Act<Id> | undefined) =>
    (input: Parameters<Act<Id>>[0], call: StorageCall): ReturnType<Act<Id>> => {
      const record = recordOf(call.request);
      record.operationId = id;
      const preferences = preferencesOf(call, 'storage', context) ?? context.dynamic;
      const isStatic = (mode === 'static' || act === undefined) && preferences === undefined;
      const example = isStatic
        ? toExample(examples.get(id), call.request.headers.accept)
        : undefined;
      if (example !== undefined) return dataOf(example.value);
      if (isStatic || act === undefined || preferences !== undefined) {
        const params = { envId: call.envId };
        const question = { surface: 'storage', params, body: input } as const;
        return consult(context, call, question, preferences) as never;
      }
      const { session } = record;
      const place: Place = { env, session, origin: () => context.originOf(call.request) };
      return act(input, place);
    };

  const acts: { [Id in StorageOperationId]: Act<Id> } = {
    getUploadMetaData,
    batchGetTempUrls,
    batchDelete,
    batchCopyFile: createBatchCopyFile(context.operations),
  };
  // An own document may leave operations out, and have others: those answer its examples.
  const ids = idsOf(context.operations, 'storage') as StorageOperationId[];
  const handlers = Object.fromEntries(ids.map((id) => [id, handle(id, acts[id] as never)]));
  return createStorageRouter(handlers as unknown as StorageHandlers, {
    ...toRouterOptions(context, 'storage'),
    env,
    security: auth.storage,
  });
}

function dataOf<Data>(envelope: unknown): Data {
  return (envelope as { body: { data: Data } }).body.data;
}

import {
  createStorageRouter,
  type Router,
  type StorageCall,
  type StorageData,
  StorageError,
  type StorageHandlers,
  type StorageInput,
  type StorageOperationId,
} from '@berth/server-stubs';
import type { Context } from '../context.ts';
import { idsOf, type Operation } from '../contract/contract.ts';
import { itemCodes, limit, storageErrors } from '../contract/defaults.ts';
import { toFlatSchema } from '../contract/documents.ts';
import { listExamples, toExample } from '../contract/examples.ts';
import { UPLOAD_PATH } from '../contract/surface.ts';
import { pathFault, toFileID, toKey, toKeyOfFileID } from '../files/file-path.ts';
import { recordOf } from '../session/call-record.ts';
import type { Session } from '../session/session.ts';
import { SESSION_PARAMETER } from '../util/session-name.ts';
import type { Auth } from './auth/auth.ts';
import { consult, preferencesOf } from './consult.ts';
import { toRouterOptions } from './router-options.ts';

/** Where a storage operation acts. */
interface Place {
  readonly env: string;
  readonly session: Session;
  /** Address under which the caller reached the mock, for links that it can follow. */
  origin(): string;
}

/**
 * What a storage operation does with the files of a session.
 *
 * @throws StorageError where the whole call fails
 */
type Act<Id extends StorageOperationId> = (
  input: StorageInput<Id>,
  place: Place,
) => StorageData<Id>;

/** Deletes files. One entry an item, in request order; D30: "a missing file is never `SUCCESS`". */
const batchDelete: Act<'batchDelete'> = ({ fileList }, { env, session }) => ({
  fileList: fileList.map((fileID) => {
    const key = toKeyOfFileID(env, fileID);
    const deleted = key !== undefined && session.files.delete(key);
    return { fileID, code: deleted ? itemCodes.success : 'STORAGE_FILE_NONEXIST' };
  }),
});

/** Links to files. One entry an item, in request order; `tempFileURL` is empty where there is no link. */
const batchGetTempUrls: Act<'batchGetTempUrls'> = (
  { fileList },
  { env, origin, session: { files, links } },
) => ({
  fileList: fileList.map(({ fileID, maxAge = limit('linkSeconds') }) => {
    const key = toKeyOfFileID(env, fileID);
    if (key === undefined || !files.has(key)) {
      return { fileID, code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' };
    }
    // D22: "`maxAge` is whole seconds, 1 to 604800". A bad item never fails the good ones (D30).
    if (!isLifetime(maxAge)) return { fileID, code: 'INVALID_PARAM', tempFileURL: '' };
    const tempFileURL = `${origin()}${links.issue(key, maxAge)}`;
    return { fileID, code: itemCodes.success, tempFileURL };
  }),
});

/** First step of an upload: a grant for one path, and the address to post the form to. */
const getUploadMetaData: Act<'getUploadMetaData'> = ({ path }, { env, origin, session }) => {
  const fault = pathFault(path);
  if (fault !== undefined) throw new StorageError('INVALID_PARAM', { message: `path ${fault}` });
  const key = toKey(path);
  // The contract says to post to the address verbatim, query included; the query is there to be kept.
  const query = new URLSearchParams({
    bucket: 'files',
    ...(session.id !== '' && { [SESSION_PARAMETER]: session.id }),
  });
  return {
    url: `${origin()}${UPLOAD_PATH}?${query}`,
    ...session.grants.issue(key, limit('grantSeconds')),
    fileID: toFileID(env, key),
  };
};

/** The storage API over the files of a session; with `Prefer` the examples of the contract answer. */
export function createStorage(context: Context, auth: Auth): Router {
  const { env, mode } = context.options;
  const examples = listExamples(context.operations);

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

  // An operation that is not here answers its examples, as do those of an own document.
  const acts: { [Id in StorageOperationId]?: Act<Id> } = {
    getUploadMetaData,
    batchGetTempUrls,
    batchDelete,
    batchCopyFile: createBatchCopyFile(context.operations),
  };
  const ids = idsOf(context.operations, 'storage') as StorageOperationId[];
  const handlers = Object.fromEntries(ids.map((id) => [id, handle(id, acts[id] as never)]));
  return createStorageRouter(handlers as unknown as StorageHandlers, {
    ...toRouterOptions(context, 'storage'),
    env,
    security: auth.storage,
  });
}

/**
 * Copies and moves files, one after the other in request order.
 *
 * D24: "each bad item fails alone with `code` and `message`, a good one carries neither"; "the
 * result's fileID is the destination's."
 */
function createBatchCopyFile(operations: readonly Operation[]): Act<'batchCopyFile'> {
  const patterns = itemPatternsOf(operations, 'batchCopyFile');
  return ({ fileList }, place) => ({
    fileList: fileList.map((item) => findPathFault(item, patterns) ?? copyFile(item, place)),
  });
}

type Item = StorageInput<'batchCopyFile'>['fileList'][number];

type Failure = { code: string; message: string };

function findPathFault(item: Item, patterns: Map<string, RegExp>): Failure | undefined {
  for (const name of ['srcPath', 'dstPath'] as const) {
    const fault = pathFault(item[name], patterns.get(name));
    if (fault !== undefined) return invalid(`${name} ${fault}`);
  }
  // D24: "source ≠ destination".
  if (toKey(item.srcPath) === toKey(item.dstPath)) {
    return invalid('dstPath must not be the same file as srcPath.');
  }
  return undefined;
}

function invalid(message: string): Failure {
  return { code: 'INVALID_PARAM', message };
}

function copyFile(
  { srcPath, dstPath, overwrite = true, removeOriginal = false }: Item,
  { env, session: { files } }: Place,
): Failure | { fileID: string } {
  const [source, destination] = [toKey(srcPath), toKey(dstPath)];
  if (!files.has(source)) return failure('STORAGE_FILE_NONEXIST');
  if (!overwrite && files.has(destination)) return failure('OBJECT_ALREADY_EXIST');
  if (!files.copy(source, destination, { move: removeOriginal })) {
    return invalid('The copy does not fit into the mock: delete files, or raise maxStoreBytes.');
  }
  return { fileID: toFileID(env, destination) };
}

function failure(code: string): Failure {
  return { code, message: storageErrors.get(code).message };
}

function dataOf<Data>(envelope: unknown): Data {
  return (envelope as { body: { data: Data } }).body.data;
}

function isLifetime(maxAge: number): boolean {
  return (
    Number.isInteger(maxAge) &&
    maxAge >= limit('linkMinSeconds') &&
    maxAge <= limit('linkMaxSeconds')
  );
}

/**
 * The patterns that hold for each item of a batch and not for the call (`x-berth-item-pattern`), by
 * the name of the item's field. A value that does not match fails its item alone.
 */
export function itemPatternsOf(operations: readonly Operation[], id: string): Map<string, RegExp> {
  const body = operations.find((operation) => operation.id === id)?.body;
  const lists = Object.values(body ? (toFlatSchema(body).properties ?? {}) : {});
  const fields = lists.flatMap((list) => Object.entries(list.items?.properties ?? {}));
  return new Map(
    fields.flatMap(([name, { 'x-berth-item-pattern': pattern }]) =>
      pattern === undefined ? [] : [[name, new RegExp(pattern, 'u')] as const],
    ),
  );
}

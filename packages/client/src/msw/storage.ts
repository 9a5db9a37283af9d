import {
  type HttpHandler,
  HttpResponse,
  http,
  type RequestHandler,
  type RequestHandlerOptions,
} from 'msw';
import { ITEM_SUCCESS, STORAGE_PATH } from '../generated/contract.gen.ts';
import { FILE_LIMITS, STORAGE_ERRORS, STORAGE_REQUESTS } from '../generated/msw.gen.ts';
import type { paths } from '../generated/storage.v2.gen.ts';
import { isRecord, parseJson } from '../internal/options.ts';
import type { StorageBody, StorageOperation } from '../internal/storage.ts';
import {
  allowAnyOrigin,
  allowPages,
  type ErrorArguments,
  escapePattern,
  LINK_PATH,
  type MswContext,
  toError,
  toKey,
  toPattern,
  UPLOAD_PATH,
} from './context.ts';

type Envelope<Operation extends StorageOperation> =
  paths[`${typeof STORAGE_PATH}${Operation}`]['post']['responses'][200]['content']['application/json'];

/** The `data` in a storage operation's response. */
export type StorageData<Operation extends StorageOperation> = NonNullable<
  Envelope<Operation>['body']['data']
>;

/** An authenticated call to a storage operation, with fields typed by the operation. */
export interface StorageRequest<Operation extends StorageOperation> {
  /** The request. Its body has not been read yet. */
  readonly request: Request;
  /** The request fields, even if they were nested in `data` (D21). */
  readonly body: StorageBody<Operation>;
}

/**
 * Handles a storage operation. Return the `data` of the envelope, or a complete response such as
 * `storageError(code)`. Return nothing to leave the call to the next handler.
 */
export type StorageResolver<Operation extends StorageOperation> = (
  call: StorageRequest<Operation>,
) => Maybe<StorageData<Operation> | Response>;

type Maybe<Value> = Value | undefined | Promise<Value | undefined>;

/**
 * Functions that create handlers for storage operations. Put these handlers before the default ones.
 *
 * @example
 * server.use(berth.storage.batchDelete(({ body }) => ({
 *   fileList: body.fileList.map((fileID) => ({ fileID, code: 'STORAGE_FILE_NONEXIST' })),
 * })));
 */
export type MswStorage = {
  readonly [Operation in StorageOperation]: (
    resolver: StorageResolver<Operation>,
    options?: RequestHandlerOptions,
  ) => HttpHandler;
};

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
          if ('refusal' in read) return allowAnyOrigin(read.refusal);
          const result = await resolver({ request, body: read.body as never });
          const isDone = result === undefined || result instanceof Response;
          return allowAnyOrigin(isDone ? result : toEnvelopeResponse(result));
        },
        options,
      );
  const storage = Object.fromEntries(ids.map((id) => [id, make(id)])) as unknown as MswStorage;
  const byDefault = <Operation extends StorageOperation>(operation: Operation) =>
    make(operation)(({ body }) => {
      const message = `Operation ${operation} is not implemented.`;
      return (
        OPERATIONS[operation]?.(body, context) ?? storageError('SYS_ERR', { status: 501, message })
      );
    });
  const all = toPattern(context.storageUrl, toPath());
  const unknown = http.all(all, ({ request }) => {
    const url = request.url.replace(/[?#].*/, '');
    const isKnown = ids.some((id) => toPattern(context.storageUrl, toPath(id)).test(url));
    return allowAnyOrigin(storageError(isKnown ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND'));
  });
  return { storage, defaults: [allowPages(all, 'storage'), ...ids.map(byDefault), unknown] };
}

/** Returns the path of one operation, or a pattern for all, in any environment. */
function toPath(operation = '.*'): string {
  return escapePattern(STORAGE_PATH).replace('\\{envId\\}', '[^/]+') + operation;
}

function toEnvelopeResponse(data: object): Response {
  const requestId = crypto.randomUUID();
  const headers = { 'X-Request-Id': requestId };
  return HttpResponse.json({ statusCode: 200, body: { requestId, data } }, { headers });
}

async function readRequest(
  operation: StorageOperation,
  request: Request,
  { profile: { storageHeaders }, envId }: MswContext,
): Promise<{ body: unknown } | { refusal: Response }> {
  const refuse = (...error: Parameters<typeof storageError>) => ({
    refusal: storageError(...error),
  });
  // D30: "A storage call without credentials … or for another environment is rejected".
  for (const name of [storageHeaders.authorization, storageHeaders.timestamp]) {
    const message = `The ${name} header is missing.`;
    if (!request.headers.get(name)) return refuse('SIGN_PARAM_INVALID', { message });
  }
  if (!request.url.includes(`/envs/${encodeURIComponent(envId)}/`)) {
    return refuse('INVALID_ENV', {
      message: `These handlers only serve the ${envId} environment.`,
    });
  }
  if (!/^application\/json *(;|$)/i.test(request.headers.get('Content-Type') ?? '')) {
    return refuse('UNSUPPORTED_MEDIA_TYPE');
  }
  const given = parseJson(await request.clone().text());
  const body = isRecord(given) && 'data' in given ? given.data : given;
  const fault = findShapeProblem(body, STORAGE_REQUESTS[operation], 'The body');
  return fault ? refuse('INVALID_PARAM', { message: fault }) : { body };
}

interface Shape {
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** Finds the first field that is missing or has the wrong JSON type. Unknown fields are ignored. */
function findShapeProblem(value: unknown, shape: Shape, name: string): string | undefined {
  const { type, required = [], properties = {}, items } = shape;
  const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (type && actual !== type) return `${name} must be of type ${type}.`;
  if (items && Array.isArray(value)) {
    const found = value.map((item, at) => findShapeProblem(item, items, `${name}[${at}]`));
    return found.find((fault) => fault !== undefined);
  }
  if (!isRecord(value)) return undefined;
  const missing = required.find((field) => value[field] === undefined);
  if (missing) return `${name} must contain the field ${missing}.`;
  const given = Object.entries(properties).filter(([field]) => value[field] !== undefined);
  const found = given.map(([field, inner]) => findShapeProblem(value[field], inner, field));
  return found.find((fault) => fault !== undefined);
}

type Operate<Operation extends StorageOperation> = (
  body: StorageBody<Operation>,
  context: MswContext,
) => StorageData<Operation> | Response;

const MISSING = 'STORAGE_FILE_NONEXIST' satisfies keyof typeof STORAGE_ERRORS;

const getUploadMetaData: Operate<'getUploadMetaData'> = (
  { path },
  { grants, profile, storageUrl, store },
) => {
  const fault = findPathProblem(path);
  if (fault) return storageError('INVALID_PARAM', { message: `path ${fault}` });
  const key = toKey(path);
  const [token, authorization, storeFileID] = [
    crypto.randomUUID(),
    crypto.randomUUID(),
    crypto.randomUUID(),
  ];
  const expires = Date.now() + FILE_LIMITS.grantSeconds * 1000;
  grants.set(token, { key, authorization, storeFileID, expires });
  // The contract requires posting to the URL verbatim, including the query, so check the query.
  const url = `${storageUrl}${UPLOAD_PATH}?bucket=files`;
  const data = { url, token, authorization, fileID: store.toFileID(key) };
  return { ...data, [profile.storeFileID]: storeFileID } as StorageData<'getUploadMetaData'>;
};

const batchGetTempUrls: Operate<'batchGetTempUrls'> = (
  { fileList },
  { links, storageUrl, store },
) => {
  const link = (key: string, maxAge: number) => {
    const [sign, expires] = [crypto.randomUUID(), Date.now() + maxAge * 1000];
    links.set(sign, { key, expires });
    const path = key.split('/').map(encodeURIComponent).join('/');
    return `${storageUrl}${LINK_PATH}${path}?expires=${expires}&sign=${sign}`;
  };
  const { linkSeconds, linkMinSeconds, linkMaxSeconds } = FILE_LIMITS;
  return toBatch(fileList, ({ fileID, maxAge = linkSeconds }) => {
    const key = store.toKeyOf(fileID);
    if (key === undefined || !store.files.has(key)) {
      return { fileID, code: MISSING, tempFileURL: '' };
    }
    // `maxAge` must be a whole number from 1 to 604800 (D22). A bad item does not fail the others (D30).
    const isValid =
      Number.isInteger(maxAge) && maxAge >= linkMinSeconds && maxAge <= linkMaxSeconds;
    if (!isValid) return { fileID, code: 'INVALID_PARAM', tempFileURL: '' };
    return { fileID, code: ITEM_SUCCESS, tempFileURL: link(key, maxAge) };
  });
};

const batchDelete: Operate<'batchDelete'> = ({ fileList }, { store }) =>
  toBatch(fileList, (fileID) => {
    const key = store.toKeyOf(fileID);
    const isDeleted = key !== undefined && store.files.delete(key);
    return { fileID, code: isDeleted ? ITEM_SUCCESS : MISSING };
  });

const batchCopyFile: Operate<'batchCopyFile'> = ({ fileList }, { store }) =>
  // A bad item fails on its own, with `code` and `message`; a good one has neither (D24).
  toBatch(fileList, (item) => {
    const fault = findCopyFault(item);
    if (fault) return { code: 'INVALID_PARAM', message: fault };
    const { overwrite = true, removeOriginal = false } = item;
    const [source, destination] = [toKey(item.srcPath), toKey(item.dstPath)];
    const file = store.files.get(source);
    if (!file) return toFailure(MISSING);
    if (!overwrite && store.files.has(destination)) return toFailure('OBJECT_ALREADY_EXIST');
    store.files.set(destination, file);
    if (removeOriginal) store.files.delete(source);
    return { fileID: store.toFileID(destination) };
  });

const OPERATIONS: { [Operation in StorageOperation]?: Operate<Operation> } = {
  getUploadMetaData,
  batchGetTempUrls,
  batchDelete,
  batchCopyFile,
};

function findCopyFault(item: StorageBody<'batchCopyFile'>['fileList'][number]): string | undefined {
  const fields = STORAGE_REQUESTS.batchCopyFile.properties.fileList.items.properties;
  for (const name of ['srcPath', 'dstPath'] as const) {
    const fault = findPathProblem(item[name], fields[name]['x-berth-item-pattern']);
    if (fault) return `${name} ${fault}`;
  }
  // The source must not be the destination (D24).
  const isSame = toKey(item.srcPath) === toKey(item.dstPath);
  return isSame ? 'dstPath must not be the same file as srcPath.' : undefined;
}

/**
 * Checks a file path. Returns what is wrong, as the rest of a sentence that starts with the field name.
 *
 * Rejects empty, `.` and `..` segments, a trailing `/`, control characters, and more than 1,024 bytes of
 * UTF-8 (D24).
 *
 * @param pattern pattern for copy paths, which requires the otherwise optional leading `/`
 */
function findPathProblem(path: string, pattern?: string): string | undefined {
  const key = toKey(path);
  const most = FILE_LIMITS.pathBytes;
  if (/\p{Cc}/u.test(key)) return 'must not contain control characters.';
  if (new TextEncoder().encode(key).length > most) return `must be at most ${most} bytes long.`;
  const segment = key.split('/').find((part) => ['', '.', '..'].includes(part));
  if (segment !== undefined) return `must not contain the segment "${segment}".`;
  if (pattern && !new RegExp(pattern, 'u').test(`/${key}`)) return `must match ${pattern}.`;
  return undefined;
}

function toFailure(code: keyof typeof STORAGE_ERRORS) {
  return { code, message: STORAGE_ERRORS[code].message };
}

/** Rejects a batch of more than 50 items; otherwise returns the results in request order (D25). */
function toBatch<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Result,
): { fileList: Result[] } | Response {
  const { batchItems } = FILE_LIMITS;
  if (items.length <= batchItems) return { fileList: items.map(act) };
  const message = `fileList must contain at most ${batchItems} items, got ${items.length}.`;
  return storageError('INVALID_PARAM', { message });
}

/**
 * Creates an error response for an entire storage call, in its envelope (D20, D26). To fail a single file in
 * a list, set the `code` of its entry instead.
 *
 * @example
 * server.use(berth.storage.batchDelete(() => storageError('SERVICE_UNAVAILABLE')));
 */
export function storageError(...[code, options]: ErrorArguments<typeof STORAGE_ERRORS>): Response {
  const { status, message, requestId, headers } = toError(STORAGE_ERRORS, code, options);
  const body = { requestId, code, message };
  return HttpResponse.json({ statusCode: status, body }, { status, headers });
}

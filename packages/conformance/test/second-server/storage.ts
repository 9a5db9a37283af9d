import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Choices, limits, names } from './choices.ts';
import { readBody } from './http.ts';
import { isFilePath, type Objects } from './objects.ts';

interface StorageSettings {
  env: string;
  /** An opaque credential: nothing is signed. */
  key: { authorization: string; sessionToken: string };
  choices: Choices;
  nextRequestId: () => string;
  objects: Objects;
  /** URL of the third listener. */
  objectsUrl: string;
}

/** The storage API: `/api/v2/envs/{env}/storages:{operation}`. */
export function createStorageApi(settings: StorageSettings): Server {
  return createServer(async (request, response) => {
    const body = await readBody(request, limits.storageBodyBytes).catch(() => null);
    if (body === null) return;
    const [, env = '', operation = ''] =
      /^\/api\/v2\/envs\/([^/?]*)\/storages:([^/?]*)(\?|$)/.exec(request.url ?? '') ?? [];
    const { choices, nextRequestId } = settings;
    const common = choices.should === 'kept' ? { requestId: nextRequestId() } : {};
    let [status, statusCode] = [200, 200];
    let content: object;
    try {
      content = { ...common, data: call(request, body, env, operation, settings) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message } = error;
      const { status: own, ok } = refusals[code];
      status = choices.failures === 'ok' || (choices.failures === 'some' && ok) ? 200 : own;
      // D20: "For a copy call, `statusCode` always equals the HTTP status." Elsewhere, this server uses its own.
      statusCode = operation === 'batchCopyFile' ? status : 7000 + own;
      content = { code, ...(choices.should === 'kept' && { message }), ...common };
    }
    response.writeHead(status, {
      'content-type': 'application/json;charset=UTF-8',
      ...(status === 200 ? {} : { Connection: 'close' }),
    });
    const envelope = choices.envelope === 'flat' ? content : { body: content, statusCode };
    response.end(JSON.stringify(envelope));
  });
}

function call(
  request: IncomingMessage,
  body: Buffer | undefined,
  env: string,
  name: string,
  settings: StorageSettings,
): object {
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (!operation) throw new Refusal('NO_OPERATION');
  if (request.method !== 'POST') throw new Refusal('NOT_POST');
  checkKey(request, settings.key);
  if (env !== settings.env) throw new Refusal('OTHER_ENV');
  if (!body) throw new Refusal('TOO_LONG');
  return operation.run(readFields(body.toString(), operation.shape, settings.choices), settings);
}

/** "Storage API calls carry three request headers": all of them, on every call. */
function checkKey({ headers }: IncomingMessage, key: StorageSettings['key']): void {
  const read = (name: string) => headers[name.toLowerCase()]?.toString().trim();
  const authorization = read(names.authorization);
  const sessionToken = read(names.sessionToken);
  const timestamp = read(names.timestamp);
  if (!authorization || !sessionToken || !timestamp) throw new Refusal('NO_KEY');
  if (authorization !== key.authorization || sessionToken !== key.sessionToken) {
    throw new Refusal('BAD_KEY');
  }
  const off = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || off > limits.storageClockSeconds) throw new Refusal('BAD_CLOCK');
}

type Fields = Record<string, unknown>;

/**
 * Returns the fields of a request, from the one place where this server accepts them. D21: "a deployment
 * accepts at least one of the two forms". The content type is ignored.
 */
function readFields(text: string, shape: Shape, { requestForm, should }: Choices): Fields {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal('NOT_JSON');
  }
  if (requestForm === 'top') return checkFields(body, shape, should);
  if (!isObject(body) || !Object.hasOwn(body, 'data')) throw new Refusal('BAD_FIELD');
  if (Object.keys(body).length > 1 && should === 'dropped') throw new Refusal('ODD_FIELD');
  return checkFields(body.data, shape, should);
}

/** Field → its JSON type, with `?` if it is optional. */
type Shape = Record<string, `${'string' | 'number' | 'boolean' | 'list'}${'' | '?'}`>;

/** Rejects the call if a field "is missing or has a wrong type". */
function checkFields(value: unknown, shape: Shape, should: Choices['should']): Fields {
  if (!isObject(value)) throw new Refusal('BAD_FIELD');
  for (const [name, type] of Object.entries(shape)) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    const actual = Array.isArray(field) ? 'list' : typeof field;
    const optional = type.endsWith('?') && field === undefined;
    if (!optional && actual !== type.replace('?', '')) throw new Refusal('BAD_FIELD');
  }
  const odd = Object.keys(value).some((name) => !Object.hasOwn(shape, name));
  if (odd && should === 'dropped') throw new Refusal('ODD_FIELD');
  return value;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The items of a list: objects with this shape, or strings. Rejects the call if there are too many. */
function readList<Item>(
  { fileList }: Fields,
  shape: Shape | 'string',
  { choices }: StorageSettings,
): Item[] {
  const items = fileList as unknown[];
  if (items.length > limits.batchItems) throw new Refusal('TOO_MANY');
  for (const item of items) {
    if (shape !== 'string') checkFields(item, shape, choices.should);
    else if (typeof item !== 'string') throw new Refusal('BAD_FIELD');
  }
  return items as Item[];
}

/** The operations: the fields that each accepts, and how it creates `data` from them. */
const operations: Record<
  string,
  { shape: Shape; run: (fields: Fields, settings: StorageSettings) => object }
> = {
  /**
   * Issues a grant for one upload, with a new file ID each time: all IDs of a path refer to the same file. The
   * cloud path has no leading `/` here, and only the characters allowed in copy paths.
   */
  getUploadMetaData: {
    shape: { path: 'string' },
    run(fields, { objects, objectsUrl }) {
      const path = fields.path as string;
      if (!isFilePath(path) || path.startsWith('/')) throw new Refusal('BAD_PATH');
      const { target, authorization, token, storeFileID } = objects.grant(path);
      const url = objectsUrl + target;
      return { storeFileID, fileID: objects.nameOf(path), token, url, authorization, note: '' };
    },
  },
  /** Creates links. The entries are in reverse order of the items and are identified by `fileID`. */
  batchGetTempUrls: {
    shape: { fileList: 'list' },
    run(fields, settings) {
      const { objects, objectsUrl } = settings;
      const shape = { fileID: 'string', maxAge: 'number?' } as const;
      const items = readList<{ fileID: string; maxAge?: number }>(fields, shape, settings);
      const entries = items.map(({ fileID, maxAge }) => {
        const path = objects.find(fileID);
        const failed = { fileID, tempFileURL: 'none' };
        if (path === undefined) return { code: 'NO_SUCH_FILE', ...failed };
        if (maxAge !== undefined && maxAge <= 0) return { code: 'BAD_AGE', ...failed };
        return { code: 'SUCCESS', fileID, tempFileURL: objectsUrl + objects.link(path, maxAge) };
      });
      return { fileList: entries.reverse() };
    },
  },
  /** Deletes files. The entries are in reverse order of the items. */
  batchDelete: {
    shape: { fileList: 'list' },
    run(fields, settings) {
      const entries = readList<string>(fields, 'string', settings).map((fileID) => {
        const path = settings.objects.find(fileID);
        if (path === undefined) return { code: 'NO_SUCH_FILE', fileID };
        settings.objects.remove(path);
        return { code: 'SUCCESS', fileID };
      });
      return { fileList: entries.reverse() };
    },
  },
  /** The entries are in the order of the items, because nothing identifies those that succeeded. */
  batchCopyFile: {
    shape: { fileList: 'list' },
    run(fields, settings) {
      const { objects, choices } = settings;
      const lead = choices.copyPaths === 'absolute' ? '/' : '';
      const items = readList<Copy>(fields, COPY, settings);
      return {
        fileList: items.map((item) => {
          const failed = copy(item, objects, lead);
          if (failed) return failed;
          if (choices.copyFileId === 'absent') return {};
          const path = choices.copyFileId === 'source' ? item.srcPath : item.dstPath;
          return { fileID: objects.nameOf(path.slice(lead.length)) };
        }),
      };
    },
  },
};

const COPY: Shape = {
  ...{ srcPath: 'string', dstPath: 'string', overwrite: 'boolean?', removeOriginal: 'boolean?' },
};

interface Copy {
  srcPath: string;
  dstPath: string;
  overwrite?: boolean;
  removeOriginal?: boolean;
}

/** @param lead what precedes the cloud path: "at least one of the two spellings" is accepted (D24) */
function copy(
  { srcPath, dstPath, overwrite = true, removeOriginal }: Copy,
  objects: Objects,
  lead: '/' | '',
) {
  const paths = [srcPath, dstPath];
  const [source = '', destination = ''] = paths.map((path) => path.slice(lead.length));
  const areSpelled = paths.every((path) => path.startsWith('/') === (lead === '/'));
  if (!areSpelled || !isFilePath(source) || !isFilePath(destination)) {
    return { code: 'BAD_NAME', message: 'No file can have this path.' };
  }
  const content = objects.contents.get(source);
  if (!content) return { code: 'NO_SUCH_FILE', message: 'There is nothing to copy.' };
  if (!overwrite && objects.contents.has(destination)) {
    return { code: 'TAKEN', message: 'The file already exists.' };
  }
  objects.write(destination, content);
  if (removeOriginal && source !== destination) objects.remove(source);
  return undefined;
}

/**
 * How a storage call is rejected. The contract specifies no code for a failure; it requires 4xx, or status 200
 * with a `code` and no `data`. `ok` marks those that are 200 if only some are.
 */
const refusals = {
  NO_KEY: { status: 400, ok: false },
  BAD_KEY: { status: 409, ok: true },
  BAD_CLOCK: { status: 409, ok: false },
  OTHER_ENV: { status: 410, ok: true },
  NO_OPERATION: { status: 400, ok: false },
  NOT_POST: { status: 422, ok: false },
  NOT_JSON: { status: 422, ok: false },
  TOO_LONG: { status: 422, ok: true },
  BAD_FIELD: { status: 422, ok: true },
  ODD_FIELD: { status: 422, ok: true },
  BAD_PATH: { status: 422, ok: false },
  TOO_MANY: { status: 422, ok: true },
} as const;

/** The end of a storage call that fails as a whole. */
class Refusal extends Error {
  readonly code: keyof typeof refusals;

  constructor(code: keyof typeof refusals) {
    super(`The second storage rejects this call: ${code}.`);
    this.code = code;
  }
}

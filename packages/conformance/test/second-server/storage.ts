import { createServer, type IncomingMessage, type Server } from 'node:http';
import { readBody } from './http.ts';
import { limits, names } from './limits.ts';
import { isFilePath, type Objects } from './objects.ts';

interface StorageSettings {
  env: string;
  /** An opaque credential: nothing is signed. */
  key: { authorization: string; sessionToken: string };
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
    let [status, statusCode] = [200, 200];
    let content: object;
    try {
      content = { data: call(request, body, env, operation, settings) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code } = error;
      status = refusals[code];
      // D20: "For a copy call, `statusCode` always equals the HTTP status." Elsewhere, this server uses its own.
      statusCode = operation === 'batchCopyFile' ? status : 7000 + status;
      content = { code };
    }
    response.writeHead(status, {
      'content-type': 'application/json;charset=UTF-8',
      ...(status === 200 ? {} : { Connection: 'close' }),
    });
    response.end(JSON.stringify({ body: content, statusCode }));
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
  return operation.run(readFields(body.toString(), operation.shape), settings);
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
function readFields(text: string, shape: Shape): Fields {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal('NOT_JSON');
  }
  if (!isObject(body) || !Object.hasOwn(body, 'data')) throw new Refusal('BAD_FIELD');
  if (Object.keys(body).length > 1) throw new Refusal('ODD_FIELD');
  return checkFields(body.data, shape);
}

/** Field → its JSON type, with `?` if it is optional. */
type Shape = Record<string, `${'string' | 'number' | 'boolean' | 'list'}${'' | '?'}`>;

/** Rejects the call if a field "is missing or has a wrong type". */
function checkFields(value: unknown, shape: Shape): Fields {
  if (!isObject(value)) throw new Refusal('BAD_FIELD');
  for (const [name, type] of Object.entries(shape)) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    const actual = Array.isArray(field) ? 'list' : typeof field;
    const optional = type.endsWith('?') && field === undefined;
    if (!optional && actual !== type.replace('?', '')) throw new Refusal('BAD_FIELD');
  }
  const odd = Object.keys(value).some((name) => !Object.hasOwn(shape, name));
  if (odd) throw new Refusal('ODD_FIELD');
  return value;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The items of a list: objects with this shape, or strings. Rejects the call if there are too many. */
function readList<Item>({ fileList }: Fields, shape: Shape | 'string'): Item[] {
  const items = fileList as unknown[];
  if (items.length > limits.batchItems) throw new Refusal('TOO_MANY');
  for (const item of items) {
    if (shape !== 'string') checkFields(item, shape);
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
    run(fields, { objects, objectsUrl }) {
      const shape = { fileID: 'string', maxAge: 'number?' } as const;
      const items = readList<{ fileID: string; maxAge?: number }>(fields, shape);
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
    run(fields, { objects }) {
      const entries = readList<string>(fields, 'string').map((fileID) => {
        const path = objects.find(fileID);
        if (path === undefined) return { code: 'NO_SUCH_FILE', fileID };
        objects.remove(path);
        return { code: 'SUCCESS', fileID };
      });
      return { fileList: entries.reverse() };
    },
  },
  /** The entries are in the order of the items, because nothing identifies those that succeeded. */
  batchCopyFile: {
    shape: { fileList: 'list' },
    run: (fields, { objects }) => ({
      fileList: readList<Copy>(fields, COPY).map((item) => copy(item, objects)),
    }),
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

/** Copy paths have no leading `/`: "at least one of the two spellings" is accepted (D24). */
function copy(
  { srcPath: source, dstPath: destination, overwrite = true, removeOriginal }: Copy,
  objects: Objects,
) {
  if (![source, destination].every((path) => isFilePath(path) && !path.startsWith('/'))) {
    return { code: 'BAD_NAME', message: 'No file can have this path.' };
  }
  const content = objects.contents.get(source);
  if (!content) return { code: 'NO_SUCH_FILE', message: 'There is nothing to copy.' };
  if (!overwrite && objects.contents.has(destination)) {
    return { code: 'TAKEN', message: 'The file already exists.' };
  }
  objects.write(destination, content);
  if (removeOriginal && source !== destination) objects.remove(source);
  return {};
}

/**
 * How a storage call is rejected. The contract specifies no code for a failure; it requires 4xx, or status 200
 * with a `code` and no `data`.
 */
const refusals = {
  NO_KEY: 400,
  BAD_KEY: 200,
  BAD_CLOCK: 409,
  OTHER_ENV: 200,
  NO_OPERATION: 400,
  NOT_POST: 422,
  NOT_JSON: 422,
  TOO_LONG: 200,
  BAD_FIELD: 200,
  ODD_FIELD: 200,
  BAD_PATH: 422,
  TOO_MANY: 200,
} as const;

/** The end of a storage call that fails as a whole. */
class Refusal extends Error {
  readonly code: keyof typeof refusals;

  constructor(code: keyof typeof refusals) {
    super(`The second storage rejects this call: ${code}.`);
    this.code = code;
  }
}

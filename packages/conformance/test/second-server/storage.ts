import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Ajv, type ValidateFunction } from 'ajv';
import { limits, names, Refusal, readBody } from './common.ts';
import type { Objects } from './objects.ts';

interface StorageSettings {
  env: string;
  /** Opaque credentials, by header: nothing is signed. */
  key: Record<string, string>;
  objects: Objects;
  objectsUrl: string;
}

const TARGET = /^\/api\/v2\/envs\/([^/?]*)\/storages:([^/?]*)(?:\?|$)/;

/**
 * The storage API: `/api/v2/envs/{env}/storages:{operation}`. The contract specifies no code for a failure; it requires
 * 4xx, or status 200 with a `code` and no `data`.
 */
export function createStorageApi(settings: StorageSettings): Server {
  return createServer(async (request, response) => {
    const [, env = '', operation = ''] = TARGET.exec(request.url ?? '') ?? [];
    const send = (status: number, statusCode: number, body: object) => {
      const headers = { 'content-type': 'application/json;charset=UTF-8', Connection: 'close' };
      response.writeHead(status, headers).end(JSON.stringify({ body, statusCode }));
    };
    try {
      const text = await readBody(request, limits.bodyBytes, new Refusal(200, 'TOO_LONG'));
      send(200, 200, { data: call(request, text.toString(), env, operation, settings) });
    } catch (error) {
      if (!(error instanceof Refusal)) return void response.destroy();
      const { status, code } = error;
      // D20: for a copy call, it equals the HTTP status. Elsewhere, this server uses its own.
      send(status, operation === 'batchCopyFile' ? status : 7000 + status, { code });
    }
  });
}

function call(
  request: IncomingMessage,
  text: string,
  env: string,
  name: string,
  settings: StorageSettings,
): object {
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (!operation) throw new Refusal(400, 'NO_OPERATION');
  if (request.method !== 'POST') throw new Refusal(422, 'NOT_POST');
  checkKey(request, settings.key);
  if (env !== settings.env) throw new Refusal(200, 'OTHER_ENV');
  let body: { data: unknown };
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(422, 'NOT_JSON');
  }
  if (!operation.accepts(body)) throw new Refusal(200, 'BAD_FIELD');
  return operation.run(body.data, settings);
}

/** "Storage API calls carry three request headers": all of them, on every call. */
function checkKey({ headers }: IncomingMessage, key: StorageSettings['key']): void {
  const { authorization, sessionToken, timestamp } = names;
  const read = (name: string) => headers[name.toLowerCase()]?.toString().trim();
  const time = read(timestamp);
  if (!time || !read(authorization) || !read(sessionToken)) throw new Refusal(400, 'NO_KEY');
  if ([authorization, sessionToken].some((name) => read(name) !== key[name])) {
    throw new Refusal(200, 'BAD_KEY');
  }
  const off = Math.abs(Date.now() / 1000 - Number(time));
  if (!/^\d+$/.test(time) || off > limits.storageClockSeconds) throw new Refusal(409, 'BAD_CLOCK');
}

interface Operation {
  accepts: ValidateFunction;
  // biome-ignore lint/suspicious/noExplicitAny: `accepts` has checked the fields
  run: (fields: any, settings: StorageSettings) => object;
}

const ajv = new Ajv({ ownProperties: true });
const [string, number, boolean] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];
const object = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** Accepts these fields inside `data`: a deployment accepts at least one form (D21). */
const fields = (properties: object) => ajv.compile(object({ data: object(properties) }));
const listOf = (items: object) =>
  fields({ fileList: { type: 'array', items, maxItems: limits.batchItems } });

/** The operations: what each accepts, and how it creates `data` from its fields. */
const operations: Record<string, Operation> = {
  /**
   * Issues a grant for one upload, with a new file ID each time: all IDs of a path refer to the same file. The
   * cloud path has only the characters allowed in copy paths.
   */
  getUploadMetaData: {
    accepts: fields({ path: string }),
    run({ path }, { objects, objectsUrl }) {
      if (!isFilePath(path)) throw new Refusal(422, 'BAD_PATH');
      const { target, authorization, token, storeFileID } = objects.grant(path);
      const url = objectsUrl + target;
      return { storeFileID, fileID: objects.nameOf(path), token, url, authorization, note: '' };
    },
  },
  /** Creates links. The entries are in reverse order of the items and are identified by `fileID`. */
  batchGetTempUrls: {
    accepts: listOf(object({ fileID: string, maxAge: number }, ['fileID'])),
    run({ fileList }, { objects, objectsUrl }) {
      const entries = fileList.map(({ fileID, maxAge }: { fileID: string; maxAge?: number }) => {
        const path = objects.find(fileID);
        const failed = { fileID, tempFileURL: 'none' };
        if (path === undefined) return { code: 'NO_SUCH_FILE', ...failed };
        if (maxAge !== undefined && maxAge <= 0) return { code: 'BAD_AGE', ...failed };
        return { code: 'SUCCESS', fileID, tempFileURL: objectsUrl + objects.link(path, maxAge) };
      });
      return { fileList: entries.reverse() };
    },
  },
  batchDelete: {
    accepts: listOf(string),
    run({ fileList }, { objects }) {
      const entries = fileList.map((fileID: string) => {
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
    accepts: listOf(
      object({ srcPath: string, dstPath: string, overwrite: boolean, removeOriginal: boolean }, [
        'srcPath',
        'dstPath',
      ]),
    ),
    run: ({ fileList }, { objects }) => ({
      fileList: fileList.map((item: Copy) => copy(item, objects)),
    }),
  },
};

interface Copy {
  srcPath: string;
  dstPath: string;
  overwrite?: boolean;
  removeOriginal?: boolean;
}

function copy(item: Copy, objects: Objects) {
  const { srcPath: source, dstPath: destination, overwrite = true, removeOriginal } = item;
  const fail = (code: string) => ({ code, message: `The second server copies nothing: ${code}.` });
  if (!isFilePath(source) || !isFilePath(destination)) return fail('BAD_NAME');
  const content = objects.contents.get(source);
  if (!content) return fail('NO_SUCH_FILE');
  if (!overwrite && objects.contents.has(destination)) return fail('TAKEN');
  objects.write(destination, content);
  // A copy is another file than the one that was there.
  objects.forgetIds(destination);
  if (removeOriginal && source !== destination) objects.remove(source);
  return {};
}

/**
 * "Digits, lowercase and uppercase Latin letters, `/`, `!`, `-`, `_`, `.`, `,`, `*`, and Chinese characters", without
 * a leading `/`: a deployment accepts at least one of the two forms (D24). Segments that are empty, `.` or `..`
 * are ordinary names.
 */
const isFilePath = (path: string) => /^(?!\/)[0-9A-Za-z/!\-_.,*\u4e00-\u9fff]+$/.test(path);

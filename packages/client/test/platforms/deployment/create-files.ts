import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  createCors,
  defaultWireProfile,
  type StorageHandlers,
  UploadError,
  type UploadHandlers,
} from '@berth/server-stubs';

const LINKS = '/files/';
const { answer: toCorsHeaders, preflight } = createCors('link', defaultWireProfile);

interface StoredFile {
  readonly content: Buffer;
  readonly etag: string;
}

/** Files in memory: the handlers of both APIs, and the links. */
export function createFiles(envId: string) {
  const files = new Map<string, StoredFile>();
  const grants = new Map<string, string>();
  const toId = (key: string) => `cloud://${envId}.files/${key}`;
  const toKey = (fileID: string) => fileID.slice(toId('').length);

  const storage: StorageHandlers = {
    getUploadMetaData({ path: key }, { request }) {
      const token = randomUUID();
      grants.set(token, key);
      const url = `${baseOf(request)}/`;
      return { url, token, authorization: token, fileID: toId(key), storeFileID: key };
    },
    batchGetTempUrls: ({ fileList }, { request }) => ({
      fileList: fileList.map(({ fileID }) => {
        const link = `${baseOf(request)}${LINKS}${encodeURIComponent(toKey(fileID))}`;
        return files.has(toKey(fileID))
          ? { fileID, code: 'SUCCESS', tempFileURL: link }
          : { fileID, code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' };
      }),
    }),
    batchDelete: ({ fileList }) => ({
      fileList: fileList.map((fileID) => ({
        fileID,
        code: files.delete(toKey(fileID)) ? 'SUCCESS' : 'STORAGE_FILE_NONEXIST',
      })),
    }),
  };

  const upload: UploadHandlers = {
    async uploadFile({ key, signature, token, metaFileId, file }) {
      if (grants.get(token) !== key || signature !== token || metaFileId !== key) {
        throw new UploadError('SignatureDoesNotMatch');
      }
      const content = await buffer(file);
      const etag = createHash('md5').update(content).digest('hex');
      files.set(key, { content, etag });
      return { etag, location: LINKS + key };
    },
  };

  /** Answers a link; false where the request is for none. */
  function answerLink(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '/', headers, method } = request;
    if (!url.startsWith(LINKS)) return false;
    if (method === 'OPTIONS') {
      response.writeHead(204, preflight(headers.origin)).end();
      return true;
    }
    const file = files.get(decodeURIComponent(url.slice(LINKS.length)));
    const cors = toCorsHeaders(headers.origin);
    if (!file) response.writeHead(404, cors).end();
    else sendFile(response, file, headers.range, cors);
    return true;
  }
  return { storage, upload, answerLink };
}

/** Address that a request came to. */
function baseOf({ socket, headers }: IncomingMessage): string {
  return `${'encrypted' in socket ? 'https' : 'http'}://${headers.host}`;
}

function sendFile(
  response: ServerResponse,
  { content, etag }: StoredFile,
  range: string | undefined,
  cors: Readonly<Record<string, string>>,
): void {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  const start = Number(from ?? 0);
  const end = to ? Number(to) + 1 : content.length;
  const part = content.subarray(start, end);
  response.writeHead(from ? 206 : 200, {
    ...cors,
    'content-type': 'application/octet-stream',
    'content-length': part.length,
    etag: `"${etag}"`,
    ...(from && { 'content-range': `bytes ${start}-${end - 1}/${content.length}` }),
  });
  response.end(part);
}

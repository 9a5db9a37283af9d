import { createHash, randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  GatewayError,
  type GatewayHandler,
  type StorageHandlers,
  UploadError,
} from '@berth/server-stubs';

/** What the deployment lets in. */
const TOKEN = 'token';
export const STORAGE_HEADERS = {
  'X-Svc-Authorization': '1.0 TC3-HMAC-SHA256 Credential=test',
  'X-Svc-SessionToken': '',
  'X-Svc-TimeStamp': '1700000000',
};

const COPY_PATH = /^\/[0-9A-Za-z/!\-_.,*\u4E00-\u9FFF]+$/;
const LINKS = '/files/';

/**
 * A whole deployment in memory, of one environment and the hosted service `hello`: all that a team
 * writes, the rest is the routers'.
 *
 * @param base its own address, known once it listens
 */
export function createMemoryDeployment(base: () => string): RequestListener {
  const files = new Map<string, Buffer>();
  const grants = new Map<string, string>();
  const toId = (key: string) => `cloud://dev.files/${key}`;
  const toKey = (fileID: string) => fileID.replace(toId(''), '');
  const toLink = (key: string) => `${base()}${LINKS}${encodeURIComponent(key)}`;

  const handlers: StorageHandlers = {
    getUploadMetaData({ path }) {
      const key = path.replace(/^\//, '');
      const token = randomUUID();
      grants.set(token, key);
      const fileID = toId(key);
      return { url: `${base()}/`, token, authorization: token, fileID, storeFileID: key };
    },
    batchGetTempUrls: ({ fileList }) => ({
      fileList: fileList.map(({ fileID }) =>
        files.has(toKey(fileID))
          ? { fileID, code: 'SUCCESS', tempFileURL: toLink(toKey(fileID)) }
          : { fileID, code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' },
      ),
    }),
    batchDelete: async ({ fileList }) => ({
      fileList: fileList.map((fileID) => ({
        fileID,
        code: files.delete(toKey(fileID)) ? 'SUCCESS' : 'STORAGE_FILE_NONEXIST',
      })),
    }),
    batchCopyFile: ({ fileList }) => ({
      fileList: fileList.map(({ srcPath, dstPath, overwrite = true, removeOriginal = false }) => {
        const content = files.get(srcPath.slice(1));
        if (![srcPath, dstPath].every((path) => COPY_PATH.test(path))) {
          return { code: 'INVALID_PARAM', message: 'The path has other characters.' };
        }
        if (content === undefined) return { code: 'STORAGE_FILE_NONEXIST', message: 'No source.' };
        if (!overwrite && files.has(dstPath.slice(1))) {
          return { code: 'OBJECT_ALREADY_EXIST', message: 'The destination exists.' };
        }
        files.set(dstPath.slice(1), content);
        if (removeOriginal) files.delete(srcPath.slice(1));
        return { fileID: toId(dstPath.slice(1)) };
      }),
    }),
  };

  const credentials = ({ authorization }: { authorization: string }) =>
    authorization === STORAGE_HEADERS['X-Svc-Authorization'];
  const storage = createStorageRouter(handlers, { env: 'dev', security: { credentials } });
  const upload = createUploadRouter({
    async uploadFile({ key, signature, token, metaFileId, file }) {
      if (grants.get(token) !== key || signature !== token || metaFileId !== key) {
        throw new UploadError('SignatureDoesNotMatch');
      }
      const content = await buffer(file);
      files.set(key, content);
      return { etag: createHash('md5').update(content).digest('hex'), location: toLink(key) };
    },
  });
  const bearerToken = (token: string) => token === TOKEN;
  const gateway = createGatewayRouter(
    {
      'cloudrun-get-root': hello,
      'cloudrun-post-root': hello,
      'cloudrun-get': hello,
      'cloudrun-post': hello,
    },
    { env: 'dev', security: { bearerToken, signature: () => false } },
  );

  return (request, response) => {
    const { url = '/' } = request;
    if (!url.startsWith(LINKS)) {
      storage(request, response, () => {
        upload(request, response, () => gateway(request, response));
      });
      return;
    }
    const content = files.get(decodeURIComponent(url.slice(LINKS.length)));
    response.writeHead(content ? 200 : 404).end(content);
  };
}

const hello: GatewayHandler = ({ name, headers: { accept } }) => {
  if (name !== 'hello') throw new GatewayError('SERVICE_NOT_FOUND');
  return accept === 'text/plain'
    ? { status: 200, headers: { 'content-type': 'text/plain' }, body: 'Hello.' }
    : { status: 200, headers: { 'content-type': 'application/json' }, body: '{"hello":"you"}' };
};

import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { signStorage } from '../../src/http/sign.ts';
import { toMultipart } from '../../src/run/files.ts';
import { type Json, MutatedRequest, type MutatedResponse } from '../proxy/messages.ts';
import { callServer } from '../proxy/start-proxy.ts';
import type { Target } from '../targets/start-reference.ts';

/** What a mutant can use. Calls that it makes itself are sent directly to the server. */
export type MutantContext = ReturnType<typeof createContext>;

interface MutantCall {
  method: string;
  /** Path and query. */
  target: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

/** @param publicUrl URL of the mutant: the base of upload URLs and links */
export function createContext({ options }: Target, publicUrl: string) {
  const { gatewayUrl: server, env = 'dev' } = options;
  const { tc3SecretId: id = '', tc3SecretKey: secret = '' } = options;
  const keyPair = { id, secret };
  const storageHeaders = () => signStorageHeaders(keyPair);
  const call = ({ method, target, headers = {}, body }: MutantCall): Promise<MutatedResponse> =>
    callServer(server, new MutatedRequest(method, target, headers, body));

  /** Makes a storage call with valid credentials, and returns `data` from the response. */
  async function storage(operation: string, fields: object): Promise<Json> {
    const { json } = await call({
      method: 'POST',
      target: `/api/v2/envs/${env}/storages:${operation}`,
      headers: { ...storageHeaders(), 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
    return json?.body?.data;
  }

  const fileIdOf = async (path: unknown): Promise<string> =>
    (await storage('getUploadMetaData', { path: plainPath(path) })).fileID;

  /** Returns the bytes of a file; `undefined` if it does not exist. */
  async function readId(fileID: string): Promise<Buffer | undefined> {
    const data = await storage('batchGetTempUrls', { fileList: [{ fileID }] });
    const [entry] = data?.fileList ?? [];
    if (entry?.code !== 'SUCCESS') return undefined;
    const { pathname, search } = new URL(entry.tempFileURL);
    const { status, body } = await call({ method: 'GET', target: pathname + search });
    return status === 200 ? body : undefined;
  }

  return {
    server,
    publicUrl,
    env,
    keyPair,
    storageHeaders,
    call,
    storage,
    /** `Authorization` values of the server's environment, of its other one, and one that has expired. */
    authorization: `Bearer ${options.gatewayToken}`,
    otherAuthorization: `Bearer ${options.otherEnvToken}`,
    expiredAuthorization: `Bearer ${options.expiredToken}`,
    readId,
    read: async (path: unknown) => readId(await fileIdOf(path)),
    async store(path: unknown, bytes: Buffer = Buffer.alloc(0)): Promise<void> {
      const key = plainPath(path);
      const data = await storage('getUploadMetaData', { path: key });
      const body = toMultipart({ ...toFields(data, key), file: bytes }, 'form');
      const headers = { 'Content-Type': 'multipart/form-data; boundary=form' };
      await call({ method: 'POST', target: new URL(data.url).pathname, headers, body });
    },
    async remove(path: unknown): Promise<void> {
      await storage('batchDelete', { fileList: [await fileIdOf(path)] });
    },
  };
}

export function signStorageHeaders(pair: { id: string; secret: string }): Record<string, string> {
  const { service, storageSigningHost } = defaults.signature;
  const { authorization, sessionToken, timestamp } = profile.storageHeaders;
  const now = Math.floor(Date.now() / 1000);
  const keys = { secretId: pair.id, secretKey: pair.secret, service, storageSigningHost };
  return { [authorization]: signStorage(now, keys), [sessionToken]: '', [timestamp]: String(now) };
}

/** The fields of an upload form, from upload metadata. */
export const toFields = (data: Json, key: string): Record<string, string> => ({
  Signature: data.authorization,
  'x-store-security-token': data.token,
  'x-store-meta-fileid': data.storeFileID,
  key,
});

/** Returns the path of a file without a leading slash. */
export const plainPath = (path: unknown): string => String(path).replace(/^\//, '');

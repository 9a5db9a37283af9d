import { signStorageRequest } from '@berth/server-stubs/auth';
import {
  type Called,
  call as callStorage,
  post as postForm,
  toFields,
  type UploadMeta,
} from '../../../../storage/test/support/client.ts';

export { toFields, type UploadMeta as Meta };

export interface Result<Data> extends Called<Data | undefined> {}

type Content = string | Uint8Array<ArrayBuffer>;
type Pair = { readonly id: string; readonly secret: string };

export type StorageClient = ReturnType<typeof createStorageClient>;

/** Calls the storage API of a server with a key pair. */
export function createStorageClient(base: string, pair: Pair, env = 'dev') {
  const sign = (): Record<string, string> =>
    signStorageRequest(pair, { timestamp: Math.floor(Date.now() / 1000) });

  /** @param body a string is sent as is */
  const call = <Data = { readonly fileList: readonly Record<string, string>[] }>(
    operation: string,
    body: unknown,
  ): Promise<Result<Data>> => callStorage({ base }, operation, body, { env, headers: sign() });

  async function grant(path: string): Promise<UploadMeta> {
    const { data, message } = await call<UploadMeta>('getUploadMetaData', { path });
    if (data === undefined) throw new Error(message);
    return data;
  }

  async function link(path: string): Promise<string> {
    const fileID = `cloud://${env}.files/${path}`;
    const { data } = await call('batchGetTempUrls', { fileList: [{ fileID }] });
    return data?.fileList[0]?.tempFileURL ?? '';
  }

  return {
    sign,
    call,
    grant,
    link,
    /** Uploads a file with both steps; returns the response to the second. */
    upload: async (path: string, content: Content) => post(await grant(path), path, content),
    /** The content of a file, through a link. */
    read: async (path: string) => (await fetch(await link(path))).text(),
  };
}

/** Posts a form to the upload target. */
export function post(meta: UploadMeta, key: string, content: Content): Promise<Response> {
  return postForm(meta.url, toFields(key, meta), content);
}

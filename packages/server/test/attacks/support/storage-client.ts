import { signStorageRequest } from '@berth/server-stubs/auth';
import {
  call,
  post as postForm,
  toFields,
  type UploadMeta,
} from '../../../../storage/test/support/client.ts';

export { toFields, type UploadMeta as Meta };

type Content = string | Uint8Array<ArrayBuffer>;

/** Calls the storage API of a server with a key pair. */
export class StorageClient {
  readonly url: string;
  readonly pair: { readonly id: string; readonly secret: string };
  readonly env: string;

  constructor(url: string, pair: StorageClient['pair'], env = 'dev') {
    this.url = url;
    this.pair = pair;
    this.env = env;
  }

  headers(): Record<string, string> {
    const timestamp = Math.floor(Date.now() / 1000);
    return { 'content-type': 'application/json', ...signStorageRequest(this.pair, { timestamp }) };
  }

  /** @param body a string is sent as is */
  call<Data = { readonly fileList: readonly Record<string, string>[] }>(
    operation: string,
    body: unknown,
  ) {
    const { url: base, env } = this;
    return call<Data | undefined>({ base }, operation, body, { env, headers: this.headers() });
  }

  async grant(path: string): Promise<UploadMeta> {
    const { data, message } = await this.call<UploadMeta>('getUploadMetaData', { path });
    if (data === undefined) throw new Error(message);
    return data;
  }

  /** Uploads a file with both steps; returns the response to the second. */
  async upload(path: string, content: Content): Promise<Response> {
    return post(await this.grant(path), path, content);
  }

  async link(path: string): Promise<string> {
    const fileID = `cloud://${this.env}.files/${path}`;
    const { data } = await this.call('batchGetTempUrls', { fileList: [{ fileID }] });
    return data?.fileList[0]?.tempFileURL ?? '';
  }

  /** The content of a file, through a link. */
  read = async (path: string) => (await fetch(await this.link(path))).text();
}

/** Posts a form to the upload target. */
export function post(meta: UploadMeta, key: string, content: Content): Promise<Response> {
  return postForm(meta.url, toFields(key, meta), content);
}

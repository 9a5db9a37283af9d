import { signStorageRequest } from '@berth/server-stubs/auth';
import {
  post as postForm,
  toFields,
  type UploadMeta,
} from '../../../../storage/test/support/client.ts';

export { toFields, type UploadMeta as Meta };

/** A key pair of an environment. */
export interface Pair {
  readonly id: string;
  readonly secret: string;
  /** Session token of temporary credentials. */
  readonly token?: string;
}

export interface Item {
  readonly fileID?: string;
  readonly code?: string;
  readonly message?: string;
  readonly tempFileURL?: string;
}

export interface Called<Data> {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly data?: Data;
}

/** Calls the storage API of a server. */
export class StorageClient {
  readonly url: string;
  readonly pair: Pair;
  readonly env: string;

  constructor(url: string, pair: Pair, env = 'dev') {
    this.url = url;
    this.pair = pair;
    this.env = env;
  }

  headers(): Record<string, string> {
    const timestamp = Math.floor(Date.now() / 1000);
    return {
      'content-type': 'application/json',
      ...signStorageRequest(this.pair, { timestamp }),
    };
  }

  /** @param body a string is sent as is */
  async call<Data = { readonly fileList: readonly Item[] }>(
    operation: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Called<Data>> {
    const response = await fetch(`${this.url}/api/v2/envs/${this.env}/storages:${operation}`, {
      method: 'POST',
      headers: { ...this.headers(), ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    } as RequestInit);
    const envelope = (await response.json()) as { body: Omit<Called<Data>, 'status'> };
    return { ...envelope.body, status: response.status };
  }

  async grant(path: string): Promise<UploadMeta> {
    const { data, message } = await this.call<UploadMeta>('getUploadMetaData', { path });
    if (data === undefined) throw new Error(message);
    return data;
  }

  /** Uploads a file with both steps; returns the response to the second. */
  async upload(path: string, content: string | Uint8Array<ArrayBuffer>): Promise<Response> {
    return post(await this.grant(path), path, content);
  }

  async link(path: string, bucket = 'files'): Promise<string> {
    const fileID = `cloud://${this.env}.${bucket}/${path}`;
    const { data } = await this.call('batchGetTempUrls', { fileList: [{ fileID }] });
    return data?.fileList[0]?.tempFileURL ?? '';
  }

  /** The content of a file, through a link; undefined if it does not exist. */
  async read(path: string): Promise<string | undefined> {
    const link = await this.link(path);
    return link === '' ? undefined : (await fetch(link)).text();
  }
}

/** Posts a form to the upload target. */
export function post(
  meta: UploadMeta,
  key: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<Response> {
  return postForm(meta.url, toFields(key, meta), content);
}

import { signStorageRequest } from '@berth/server-stubs/engine/node';
import { Agent, request } from 'undici';
import { type Item, type Meta, type Pair, toFields } from '../break-ins/support/storage-client.ts';

export const PAIR: Pair = { id: 'me', secret: 'the-secret-of-me' };

const BOUNDARY = 'boundary';

/** Codes of entries whose outcome is certain. Any other code may come with a change, or without. */
const OUTCOMES: Readonly<Record<string, string>> = {
  SUCCESS: 'ok',
  STORAGE_FILE_NONEXIST: 'missing',
  OBJECT_ALREADY_EXIST: 'exists',
};

/** Thrown if a response does not show whether the call had an effect. */
class UncertainError extends Error {}

/**
 * Makes storage calls to any replica. Outcomes are those of `Call` in `history.ts`; if one is uncertain, the call
 * rejects. Nothing is retried.
 */
export class StorageCalls {
  readonly #agent = new Agent();

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async grant(url: string, path: string, signal: AbortSignal): Promise<Meta> {
    return (await this.#call<Meta>(url, 'getUploadMetaData', { path }, signal)) as Meta;
  }

  async upload(url: string, grant: Meta, path: string, content: string, signal: AbortSignal) {
    const toPart = (name: string, value: string) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const parts = Object.entries(toFields(grant, path)).map(([name, value]) => toPart(name, value));
    const { statusCode, body } = await request(`${url}/upload`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: `${parts.join('')}${toPart('file"; filename="a', content)}--${BOUNDARY}--\r\n`,
      signal,
      dispatcher: this.#agent,
    });
    await body.dump();
    if (statusCode !== 204) throw new UncertainError(`${statusCode}`);
    return content;
  }

  /** Deletes, copies or moves one file: the operation, and its only item. */
  async change(url: string, operation: string, item: unknown, signal: AbortSignal) {
    return (await this.#entry(url, operation, item, signal)).outcome;
  }

  /** Requests a link, without the origin. */
  async find(url: string, path: string, signal: AbortSignal) {
    const item = { fileID: toFileID(path) };
    const { outcome, tempFileURL } = await this.#entry(url, 'batchGetTempUrls', item, signal);
    const { pathname, search } = new URL(tempFileURL || url);
    return { outcome, link: pathname + search };
  }

  /** Follows a link; returns the content, `missing` or `damaged`. */
  async read(url: string, link: string, signal: AbortSignal): Promise<string> {
    const { statusCode, body } = await request(url + link, { signal, dispatcher: this.#agent });
    const text = await body.text();
    if (statusCode === 200) return text;
    if (statusCode === 404) return 'missing';
    if (statusCode === 500) return 'damaged';
    throw new UncertainError(`${statusCode}`);
  }

  async #entry(url: string, operation: string, item: unknown, signal: AbortSignal) {
    const body = { fileList: [item] };
    const data = await this.#call<{ fileList: Item[] }>(url, operation, body, signal);
    const entry = data?.fileList[0];
    // Copies that succeed have no code.
    const outcome = OUTCOMES[entry ? (entry.code ?? 'SUCCESS') : ''];
    if (outcome === undefined) throw new UncertainError(entry?.code);
    return { outcome, tempFileURL: entry?.tempFileURL };
  }

  async #call<Data>(url: string, operation: string, body: unknown, signal: AbortSignal) {
    const { body: response } = await request(`${url}/api/v2/envs/dev/storages:${operation}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signStorageRequest(PAIR, { timestamp: Math.floor(Date.now() / 1000) }),
      },
      body: JSON.stringify(body),
      signal,
      dispatcher: this.#agent,
    });
    return ((await response.json()) as { body: { data?: Data } }).body.data;
  }
}

export function toFileID(path: string): string {
  return `cloud://dev.files/${path}`;
}

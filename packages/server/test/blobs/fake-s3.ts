import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import {
  createS3BlobStore,
  type S3BlobStore,
  type S3BlobStoreOptions,
} from '../../src/blobs/s3/create-s3-blob-store.ts';
import { startService } from '../server/support/hosted-service.ts';

/** The conditions that the store honours; it ignores or refuses the others. */
export const ALL = [
  'PUT If-None-Match',
  'PUT If-Match',
  'COPY If-None-Match',
  'COPY x-amz-copy-source-if-match',
  'DELETE If-Match',
] as const;

type Condition = (typeof ALL)[number];

const HEADERS = { 'if-match': 'If-Match', 'if-none-match': 'If-None-Match' };

interface FakeObject {
  readonly body: Buffer;
  readonly etag: string;
  readonly headers: Record<string, string>;
}

interface FakeOptions {
  readonly honoured?: readonly Condition[];
  /** What happens to other conditions. Default: they are ignored. */
  readonly refuses?: boolean;
}

/**
 * A store in memory with single objects, to run what no engine of this machine can: AWS honours every condition,
 * and every combination is possible elsewhere. `before` is called with each call before it takes effect.
 */
export async function startFakeS3({ honoured = ALL, refuses = false }: FakeOptions = {}) {
  const objects = new Map<string, FakeObject>();
  const calls: string[] = [];
  const hooks = { before: undefined as ((name: string, key: string) => unknown) | undefined };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const key = decodeURIComponent(new URL(url, 'http://s3').pathname).replace(/^\/files\//, '');
    const isCopy = headers['x-amz-copy-source'] !== undefined;
    const name = isCopy ? 'COPY' : method;
    const body = await buffer(request);
    calls.push(name);
    await hooks.before?.(name, key);
    const found = objects.get(key);
    const source = isCopy
      ? objects.get(decodeURIComponent(`${headers['x-amz-copy-source']}`).replace(/^files\//, ''))
      : undefined;
    const fail = (status: number) => response.writeHead(status).end();

    for (const [header, target] of [
      ['if-match', found],
      ['if-none-match', found],
      ['x-amz-copy-source-if-match', source],
    ] as const) {
      const value = headers[header];
      if (value === undefined || method === 'GET') continue;
      const shown = header === 'x-amz-copy-source-if-match' ? header : HEADERS[header];
      if (!honoured.includes(`${name} ${shown}` as Condition)) {
        if (refuses) return void fail(501);
      } else if (header === 'if-none-match') {
        if (target) return void fail(412);
      } else if (!target) return void fail(404);
      else if (target.etag !== value) return void fail(412);
    }
    if (method === 'PUT') {
      if (isCopy && !source) return void fail(404);
      const content = source?.body ?? body;
      const etag = `"${createHash('md5').update(content).digest('hex')}"`;
      const kept = Object.entries(headers).filter(([each]) =>
        /^(x-amz-meta|content-type)/.test(each),
      );
      objects.set(key, {
        body: content,
        etag,
        headers: Object.fromEntries(kept) as Record<string, string>,
      });
      const result = `<CopyObjectResult><ETag>${etag}</ETag></CopyObjectResult>`;
      response.writeHead(200, { etag }).end(isCopy ? result : undefined);
    } else if (method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (!found) {
      fail(404);
    } else {
      const head = { ...found.headers, etag: found.etag, 'content-length': found.body.length };
      response.writeHead(200, head).end(method === 'HEAD' ? undefined : found.body);
    }
  }

  const url = await startService((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const open = async (options: Partial<S3BlobStoreOptions> = {}) => openStore(url, options);
  return { objects, calls, hooks, open };
}

/** A store with configurable responses. */
export async function storeOf(listener: RequestListener): Promise<S3BlobStore> {
  return openStore(await startService(listener));
}

function openStore(endpoint: string, options: Partial<S3BlobStoreOptions> = {}): S3BlobStore {
  const store = createS3BlobStore({
    endpoint,
    region: 'us-east-1',
    bucket: 'files',
    accessKeyId: 'key',
    secretAccessKey: 'the-secret',
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
}

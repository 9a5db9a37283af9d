import {
  type Call,
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  GatewayError,
  type HandlerResponse,
  type Router,
  StorageError,
  toResponse,
  UploadError,
} from '@berth/server-stubs';
import { createStorage, FILES_PATH, type Signer, UPLOAD_PATH } from '@berth/server-stubs/engine';
import { FAULT_HEADER } from '../choices.ts';
import { createCacheStore } from './cache-store.ts';
import { IncomingMessage, ServerResponse } from './node-http.ts';
import { callService } from './services.ts';

/** The environment and the bucket of the contract's examples. */
const ENV = 'dev';
const BUCKET = 'files';
const CALLER = { env: ENV, id: 'reader' };

/** Maximum file size in bytes: a worker keeps a file in memory while it receives or sends it. */
const FILE_BYTES = 20_000_000;

/**
 * Creates both APIs, as a function that responds to requests. All credentials are accepted: the files are the reader's
 * own, and stay in the browser.
 *
 * @param baseUrl their URL, without a trailing slash
 */
export function createApi(baseUrl: string): (request: Request) => Promise<Response> {
  // biome-ignore lint/suspicious/noConsole: the worker has no other log
  const report = { onError: (error: unknown) => console.error(error) };
  const { storage, upload, download } = createStorage({
    ...report,
    blobs: createCacheStore('berth-playground'),
    signer: createSigner(),
    bucketOf: (env) => (env === ENV ? BUCKET : undefined),
    onlyEnv: ENV,
    publicUrl: baseUrl,
    inline: true,
  });
  const call = failing(callService, GatewayError);
  const gatewayRouter = createGatewayRouter(
    {
      'cloudrun-get-root': call,
      'cloudrun-get': call,
      'cloudrun-post-root': call,
      'cloudrun-post': call,
    },
    { ...report, env: ENV, security: { bearerToken: () => CALLER, signature: () => CALLER } },
  );
  const storageRouter = createStorageRouter(
    {
      getUploadMetaData: failing(storage.getUploadMetaData, StorageError),
      batchGetTempUrls: failing(storage.batchGetTempUrls, StorageError),
      batchDelete: failing(storage.batchDelete, StorageError),
      batchCopyFile: failing(storage.batchCopyFile, StorageError),
    },
    { ...report, env: ENV, security: { credentials: () => CALLER } },
  );
  const uploadRouter = createUploadRouter(
    { uploadFile: failing(upload.uploadFile, UploadError) },
    { ...report, fileBytes: FILE_BYTES },
  );

  async function openLink(request: Request, target: string): Promise<Response> {
    const { method } = request;
    try {
      const { status, headers, blob, range } = await download({
        method,
        url: target,
        headers: Object.fromEntries(request.headers),
      });
      const content = blob?.read(range) as Uint8Array<ArrayBuffer> | undefined;
      return new Response(content, { status, headers });
    } catch (error) {
      const requestId = crypto.randomUUID();
      const [rawPath] = target.split('?');
      const call = { request: {}, requestId, rawPath };
      const { status, headers, body }: HandlerResponse = (error as UploadError)[toResponse](
        call as never,
      );
      return new Response(body as string, { status, headers: headers as Record<string, string> });
    }
  }

  return async (request) => {
    const target = request.url.slice(baseUrl.length);
    const fault = request.headers.get(FAULT_HEADER) ?? '';
    const [, latency = 0] = /^latency=(\d+)$/.exec(fault) ?? [];
    const [, truncate] = /^truncate=(\d+)$/.exec(fault) ?? [];
    await new Promise((resolve) => setTimeout(resolve, Number(latency)));
    const response = await respond(request, target);
    return truncate === undefined ? response : cut(response, Number(truncate));
  };

  async function respond(request: Request, target: string): Promise<Response> {
    if (target.startsWith(`${FILES_PATH}/`)) return openLink(request, target);
    const body = new Uint8Array(await request.arrayBuffer());
    const [path, query] = target.split('?');
    const isUpload = path === UPLOAD_PATH;
    const incoming = new IncomingMessage(request, isUpload ? `/${query ?? ''}` : target, body);
    const response = new ServerResponse();
    const route = (router: Router, next?: () => void) =>
      router(incoming as never, response as never, next);
    if (isUpload) route(uploadRouter);
    else route(gatewayRouter, () => route(storageRouter));
    return response.sent;
  }
}

/** Wraps a handler so that it fails with the code that the caller asks for, as in the mock. */
function failing<Given extends [unknown, Pick<Call, 'request'>], Result>(
  handle: (...given: Given) => Result,
  Failure: new (code: string) => Error,
): (...given: Given) => Result {
  return (...given) => {
    const fault = String(given[1].request.headers[FAULT_HEADER.toLowerCase()]);
    const [, code] = /^code=(\w+)$/.exec(fault) ?? [];
    if (code !== undefined) throw new Failure(code);
    return handle(...given);
  };
}

/** Ends the body with an error after some bytes. */
function cut({ body, status, headers }: Response, bytes: number): Response {
  if (body === null) return Response.error();
  const reader = body.getReader();
  const half = new ReadableStream({
    async start(controller) {
      controller.enqueue((await reader.read()).value?.subarray(0, bytes));
    },
    async pull(controller) {
      await reader.cancel();
      controller.error(new TypeError('The connection was lost.'));
    },
  });
  return new Response(half, { status, headers });
}

/** Signs links and grants. The key is no secret: it only has to outlive the worker, which browsers restart. */
function createSigner(): Signer {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const secret = encoder.encode('The files of the playground stay in this browser.');
  const key = crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  const sign = async (values: readonly string[]) => {
    const data = encoder.encode(JSON.stringify(values));
    const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', await key, data));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  };
  return { sign, verify: async (values, signature) => (await sign(values)) === signature };
}

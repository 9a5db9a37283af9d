import type { Call } from '@berth/server-stubs';
import {
  addField,
  assertBatch,
  badPath,
  decodeText,
  handleForm,
  isFileField,
  LIMITS,
  malformedForm,
  missingFileField,
  notAllowed,
  notFound,
  readCredentials,
  readJsonBody,
  type StorageOperationId,
  storageRoutes,
  toFileType,
  toStorageResponse,
  UploadError,
} from '@berth/server-stubs/contract';
import { FILES_PATH, type StorageApi, UPLOAD_PATH } from '@berth/storage';
import { getMultipartBoundary, parseMultipart } from '@remix-run/multipart-parser';
import type { HttpHandler } from 'msw';
import { DOCUMENT_UPLOAD_PATH } from '../surface.ts';
import { createPresentAuth } from '../surfaces/auth.ts';
import { type Deployment, escapePattern, handleSurface } from './handle-surface.ts';

const ROUTES = storageRoutes.routes.filter(({ path }) => path !== DOCUMENT_UPLOAD_PATH);

/** The shape of every path: `/api/v2/envs/{envId}/storages:batchDelete`. */
const [{ path: TEMPLATE } = { path: '' }] = ROUTES;
const PATTERN = escapePattern(TEMPLATE).replace('\\{envId\\}', '([^/]+)').replace(/:.*/, ':(.*)');
const PATH = new RegExp(`^${PATTERN}$`);

export function handleStorage(deployment: Deployment, { storage }: StorageApi): HttpHandler {
  const { profile } = deployment;
  const auth = createPresentAuth(profile).storage;
  // MSW would decode what groups match.
  const path = PATTERN.replaceAll('(', '(?:');
  return handleSurface('storage', path, deployment, async (call, request) => {
    const { rawPath, requestId } = call;
    const [, segment = '', id = ''] = PATH.exec(rawPath) ?? [];
    const route = ROUTES.find(({ operationId }) => operationId === id);
    if (route?.body === undefined) throw notFound(rawPath);
    if (request.method !== route.method)
      throw notAllowed(request.method, [route.method, 'OPTIONS']);
    const env = decodeText(segment);
    if (env === undefined) throw badPath('envId');
    const { headers } = call.request;
    const caller = auth.credentials(readCredentials(headers, profile), { env });
    const bytes = new Uint8Array(await request.arrayBuffer());
    const type = headers['content-type'];
    const input = readJsonBody(bytes, type, route.body, LIMITS.storageBodyBytes);
    assertBatch(input, LIMITS.batchItems);
    const operation = storage[id as StorageOperationId] as (input: unknown, call: Call) => unknown;
    const data = await operation(input, Object.assign(call, { env, caller }));
    return toStorageResponse(data, requestId);
  });
}

export function handleUploads(deployment: Deployment, { upload }: StorageApi): HttpHandler {
  return handleSurface('upload', escapePattern(UPLOAD_PATH), deployment, async (call, request) => {
    if (request.method !== 'POST') throw notAllowed(request.method, ['POST', 'OPTIONS']);
    const form = await readForm(request);
    return handleForm(form, deployment.profile, (input) => upload.uploadFile(input, call));
  });
}

export function handleLinks(deployment: Deployment, { download }: StorageApi): HttpHandler {
  const path = `${escapePattern(FILES_PATH)}/.*`;
  return handleSurface('link', path, deployment, ({ request, requestId }) =>
    download(request, requestId, ({ status, headers, blob, range }) => ({
      status,
      headers,
      body: blob?.read(range),
    })),
  );
}

/** Reads a form up to its file. `request.formData()` fails in Node if jsdom has replaced the platform's `File`. */
async function readForm(request: Request) {
  const boundary = getMultipartBoundary(request.headers.get('content-type') ?? '') ?? '';
  const options = { boundary, maxFileSize: Infinity, maxTotalSize: Infinity };
  const bytes = new Uint8Array(await request.arrayBuffer());
  const fields = new Map<string, string>();
  try {
    for (const part of parseMultipart([bytes], options)) {
      const { name = '', isFile, headers } = part;
      if (isFileField(name)) {
        const contentType = toFileType(headers['content-type']);
        return { fields, contentType, file: toStream(part.bytes) };
      }
      if (!isFile) addField(fields, name, part.text);
    }
  } catch (error) {
    if (error instanceof UploadError) throw error;
    throw malformedForm(`The form cannot be read: ${(error as Error).message}`);
  }
  throw missingFileField();
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

import {
  createStorageRouter,
  createUploadRouter,
  type Router,
  type StorageCall,
  type StorageHandlers,
  UploadError,
  type UploadHandler,
} from '@berth/server-stubs';
import type { StorageOperationId } from '@berth/server-stubs/contract';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { StorageCaller } from '@berth/storage';
import type { Context } from '../context.ts';
import { documents, idsOf } from '../contract/contract.ts';
import type { Preferences } from '../contract/oracle/read-preferences.ts';
import { DOCUMENT_UPLOAD_PATH } from '../contract/surface.ts';
import { recordOf } from '../log.ts';
import type { Auth } from './auth/auth.ts';
import { consult, DocumentedResponse, preferencesOf } from './consult.ts';
import { toRouterOptions } from './router-options.ts';

type Act = (
  input: unknown,
  call: Pick<StorageCall<StorageCaller>, 'envId' | 'caller' | 'request' | 'requestId'>,
) => unknown;

/**
 * Creates the storage API for a session's files. For calls with `Prefer`, it returns the contract's examples.
 */
export function createStorage(context: Context, auth: Auth): Router {
  const { env } = context.options;

  const handle = (id: StorageOperationId) => (input: unknown, call: StorageCall) => {
    const { request, requestId, envId } = call;
    const record = recordOf(request);
    record.operationId = id;
    const preferences = preferencesOf(call, 'storage', context);
    if (preferences !== undefined) return consult(context, call, 'storage', preferences);
    const act = record.session.storage.storage[id] as Act;
    return act(input, { envId, caller: { env, id: 'mock' }, request, requestId });
  };

  const ids = idsOf('storage') as StorageOperationId[];
  const handlers = Object.fromEntries(ids.map((id) => [id, handle(id)]));
  return createStorageRouter(handlers as unknown as StorageHandlers, {
    ...toRouterOptions(context),
    env,
    security: auth.storage,
  });
}

export function createUpload(context: Context): Router {
  const uploadFile: UploadHandler = async (form, call) => {
    const preferences = preferencesOf(call, 'upload', context);
    if (preferences !== undefined) {
      // An incomplete form is rejected all the same.
      for await (const _ of form.file);
      return respondAsDocumented(preferences);
    }
    return recordOf(call.request).session.storage.upload.uploadFile(form, call);
  };
  return createUploadRouter({ uploadFile }, toRouterOptions(context));
}

/**
 * Responds to an upload as the contract documents it, and stores nothing. Prism cannot create the XML of its
 * errors, because it does not know the name of the root element.
 *
 * @throws UploadError or DocumentedResponse, always
 */
function respondAsDocumented({ code = 200, exampleKey }: Partial<Preferences> = {}): never {
  const examples = examplesOf(code);
  if (examples === undefined) {
    throw missing('The contract has no response with the status that the Prefer header requests.');
  }
  const row = defaults.uploadErrors.find(({ status }) => status === code && status >= 400);
  if (exampleKey === undefined && row !== undefined) throw new UploadError(row.code);
  const [first] = Object.keys(examples);
  if (exampleKey === undefined && first === undefined) {
    throw new DocumentedResponse(code, ({ requestId }) => ({
      status: code,
      headers: { 'x-request-id': requestId },
    }));
  }
  const { value } = examples[exampleKey ?? (first as string)] ?? {};
  if (value === undefined) {
    throw missing('The response has no example with the name that the Prefer header requests.');
  }
  throw new UploadError(value.Code, { status: code, message: value.Message });
}

type Example = { value?: { Code: string; Message: string } };

/**
 * Returns the error examples for a status by name; empty for a success. Undefined if the status is not
 * documented.
 */
function examplesOf(code: number): Record<string, Example> | undefined {
  const responses = documents.storage.paths[DOCUMENT_UPLOAD_PATH]?.post?.responses ?? {};
  const range = responses[code] ?? responses[`${Math.floor(code / 100)}XX`];
  const response = range ?? (code >= 400 ? responses.default : undefined);
  return response && { ...response.content?.['application/xml']?.examples };
}

function missing(message: string): UploadError {
  return new UploadError('MalformedPOSTRequest', { status: 404, message });
}

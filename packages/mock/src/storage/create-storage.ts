import type { Context } from '../context.ts';
import { storageErrors } from '../contract/defaults.ts';
import { json } from '../http/answer.ts';
import { consult } from '../oracle/consult.ts';
import { Refusal } from '../refusal.ts';
import { findOperation } from '../routing/find-operation.ts';
import type { Surface } from '../surface.ts';
import { batchCopyFile } from './batch-copy-file.ts';
import { batchDelete } from './batch-delete.ts';
import { batchGetTempUrls } from './batch-get-temp-urls.ts';
import { checkStorageCredentials } from './check-credentials.ts';
import { getUploadMetaData } from './get-upload-meta-data.ts';
import { readRequest } from './read-request.ts';
import { toStorageError } from './storage-error.ts';
import type { StorageOperation } from './storage-operation.ts';
import { toDocumentedAnswer } from './to-documented-answer.ts';

const PATH_CODES = {
  unknownPath: 'NOT_FOUND',
  method: 'METHOD_NOT_ALLOWED',
  invalid: 'INVALID_PARAM',
};

// Prism has validated a body against the schema of its operation before it comes here.
const OPERATIONS: Record<string, StorageOperation<never>> = {
  getUploadMetaData,
  batchGetTempUrls,
  batchDelete,
  batchCopyFile,
};

/** The storage API over the files of the mock; with `Prefer` the examples of the contract answer. */
export function createStorage(context: Context): Surface {
  return {
    name: 'storage',
    codes: { tooLarge: 'EXCEED_MAX_PAYLOAD_SIZE', failed: 'SYS_ERR', broken: PATH_CODES.invalid },
    async answer(call) {
      const { operation, params } = findOperation(call, context.router, PATH_CODES);
      checkStorageCredentials(call.request.headers, context.profile);
      checkEnv(params.envId, context.env);
      const body = await readRequest(call, operation.body ?? {});
      const { invalid } = PATH_CODES;
      const question = { operation, params, body, invalid, errors: storageErrors };
      const { documented, preferred } = await consult(context, call, question);
      const act = OPERATIONS[operation.id];
      if (preferred || act === undefined) return toDocumentedAnswer(documented, call.requestId);
      const data = act(body as never, call, context);
      return json(200, { statusCode: 200, body: { requestId: call.requestId, data } });
    },
    refuse: toStorageError,
  };
}

function checkEnv(envId: string | undefined, env: string): void {
  if (envId === env) return;
  throw new Refusal(
    'INVALID_ENV',
    `This mock serves the environment ${env} only: use envs/${env}.`,
  );
}

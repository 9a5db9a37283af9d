import type { HeaderInput } from '../http/header-list.ts';
import { createTrial } from '../trial/create-trial.ts';
import type { StorageReply } from '../trial/read-reply.ts';
import type { StorageOperation, StorageTool } from '../trial/storage-tool.ts';
import { callTarget } from './call-target.ts';
import type { Run } from './run.ts';

const FORMS = ['top', 'data'] as const;

/**
 * Finds the form of the storage requests: 'fields at the top level or nested in `data`; a deployment
 * must accept at least one form' (D21), and whether the credentials are refused. Each form is tried with
 * calls that store nothing.
 *
 * @throws StartError where no answer comes
 */
export async function findStorageForm(run: Run): Promise<void> {
  const { storage } = createTrial(run, 'probe', '');
  const wanted = run.settings.requestForm;
  const attempts: [StorageOperation, object][] = [
    ['getUploadMetaData', { path: storage.path('probe.txt') }],
    ['batchGetTempUrls', { fileList: [{ fileID: `berth-${run.mark}-missing` }] }],
  ];
  const refusals: StorageReply[] = [];
  for (const [operation, fields] of attempts) {
    for (const form of wanted ? [wanted] : FORMS) {
      run.requestForm = form;
      const reply = await ask(run, storage, operation, fields);
      if (reply.data !== undefined && !reply.refused) return;
      refusals.push(reply);
    }
  }
  run.requestForm = wanted ?? 'top';
  run.refused.storage = await areCredentialsRefused(run, storage, refusals);
}

function ask(
  { settings }: Run,
  storage: StorageTool,
  operation: StorageOperation,
  fields: object,
  credentials: HeaderInput | 'valid' = 'valid',
): Promise<StorageReply> {
  return callTarget('storage', settings.storageUrl, () =>
    storage.call(operation, fields, { credentials, acceptsRefusal: true }),
  );
}

/**
 * No status and no code is fixed for it: they are refused where all calls are answered with 401 or 403,
 * or as a call is that has wrong credentials, or none.
 */
async function areCredentialsRefused(
  run: Run,
  storage: StorageTool,
  refusals: readonly StorageReply[],
): Promise<boolean> {
  const isOf = (statuses: number[]) =>
    refusals.every(({ received }) => statuses.includes(received.status));
  if (isOf([401, 403])) return true;
  // Where only one form is tried, it may be the form that is refused.
  if (run.settings.requestForm !== undefined) return false;
  if (refusals.some(({ received, code }) => code === undefined || received.status > 499))
    return false;
  const { timestamp } = run.settings.wireProfile.storageHeaders;
  const wrong = (await storage.credentials()).map(
    ([name, value]) => [name, name === timestamp ? value : `wrong-${run.mark}`] as const,
  );
  for (const credentials of [wrong, []]) {
    const { received, code } = await ask(
      run,
      storage,
      'getUploadMetaData',
      { path: 'x' },
      credentials,
    );
    const isSame = (reply: StorageReply) =>
      reply.received.status === received.status && reply.code === code;
    if (refusals.every(isSame)) return true;
  }
  return false;
}

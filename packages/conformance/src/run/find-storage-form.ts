import type { HeaderInput } from '../http/header-list.ts';
import { createTrial } from '../trial/create-trial.ts';
import type { StorageReply } from '../trial/read-reply.ts';
import type { StorageOperation, StorageTool } from '../trial/storage-tool.ts';
import { callTarget } from './call-target.ts';
import type { Refusal, Run } from './run.ts';

/** Options that give a caller of the storage API credentials. */
const OPTIONS = '--storage-header, --tc3-secret-id and --auth-module';
const FORMS = ['top', 'data'] as const;

/**
 * Finds the form of the storage requests: 'fields at the top level or nested in `data`; a deployment
 * must accept at least one form' (D21), and why no call is taken, where none is. Each form is tried with
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
  const refused = await findRefusal(run, storage, refusals);
  if (refused) run.refused.storage = refused;
}

function ask(
  { settings }: Run,
  storage: StorageTool,
  operation: StorageOperation | (string & {}),
  fields: object,
  credentials: HeaderInput | 'valid' = 'valid',
): Promise<StorageReply> {
  return callTarget('storage', settings.storageUrl, () =>
    storage.call(operation, fields, { credentials, acceptsRefusal: true }),
  );
}

/**
 * Why nothing can be learnt of the storage API, where it takes no call at all. No status and no code is
 * fixed for it: credentials are refused where all calls are answered with 401 or 403, or as a call is
 * that has wrong credentials, or none; nothing is there where they are answered as calls of an unknown
 * operation are.
 */
async function findRefusal(
  run: Run,
  storage: StorageTool,
  refusals: readonly StorageReply[],
): Promise<Refusal | undefined> {
  const { settings } = run;
  const came = [...new Set(refusals.map(spell))].join(', ');
  const isAll = (isOne: (reply: StorageReply) => boolean) => refusals.every(isOne);
  const isLike = (other: StorageReply) => isAll((reply) => spell(reply) === spell(other));
  const refused: Refusal =
    run.signers.storage === undefined
      ? {
          reason: `no credentials of the storage API were given (${came}); see ${OPTIONS}`,
          isOfCredentials: false,
        }
      : {
          reason: `the storage API refused the credentials that were given (${came}); see ${OPTIONS}, and --env`,
          isOfCredentials: true,
        };
  if (isAll(({ received }) => received.status === 401 || received.status === 403)) return refused;
  if (isAll((reply) => /ENV/i.test(toCode(reply)))) {
    const reason = `the storage API answered ${came}; it looks like it has no environment ${settings.env}: see --env`;
    return { reason, isOfCredentials: false };
  }
  const isNothing = isAll(
    (reply) =>
      [404, 405, 501].includes(reply.received.status) ||
      /FOUND|OPERATION|PATH|ROUTE/i.test(toCode(reply)),
  );
  if (isNothing && isLike(await ask(run, storage, `no${run.mark}`, { path: 'x' }))) {
    const reason = `the storage API answered ${came} to every call; it looks like --storage-url has the wrong path, or --env is wrong`;
    return { reason, isOfCredentials: false };
  }
  // Where only one form is tried, it may be the form that is refused.
  if (settings.requestForm !== undefined) return undefined;
  if (!isAll(({ received, code }) => code !== undefined && received.status <= 499))
    return undefined;
  const { timestamp } = settings.wireProfile.storageHeaders;
  const wrong = (await storage.credentials()).map(
    ([name, value]) => [name, name === timestamp ? value : `wrong-${run.mark}`] as const,
  );
  for (const credentials of [wrong, []]) {
    const fields = { path: 'x' };
    if (isLike(await ask(run, storage, 'getUploadMetaData', fields, credentials))) return refused;
  }
  return undefined;
}

/** Status and code: `404 NOT_FOUND`. */
function spell(reply: StorageReply): string {
  return `${reply.received.status} ${toCode(reply)}`.trimEnd();
}

/** The code in whatever form; empty without one. */
function toCode({ code, received }: StorageReply): string {
  const own = code ?? Object(received.json).code;
  return typeof own === 'string' ? own : '';
}

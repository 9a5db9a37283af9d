import { StorageError } from '../errors/storage-error.ts';
import type { EnvOption } from '../router-options.ts';
import type { Answer, Call, Handler, Input } from '../runtime/index.ts';
import { defaultWireProfile } from '../wire-profile.ts';
import { assertBatch } from './assert-batch.ts';
import type { StorageCall } from './storage-handlers.ts';
import { CREDENTIALS, renameField } from './to-storage-table.ts';

/** A storage handler, whatever its operation. */
type AnyHandler = (input: unknown, call: StorageCall) => unknown;

interface Settings {
  readonly env: EnvOption | undefined;
  readonly batchItems: number;
  /** Name of the field on the wire (D1). */
  readonly storeFileID: string;
}

/** A handler of the runtime: the checks of every storage call before, the envelope after. */
export function toStorageHandler(
  handler: AnyHandler,
  { env, batchItems, storeFileID }: Settings,
): Handler {
  const { storeFileID: neutral } = defaultWireProfile;
  const toWire = (data: unknown, call: Call): Answer => {
    const answer = toEnvelope(data, call);
    if (storeFileID === neutral) return answer;
    return { ...answer, body: renameField(answer.body, neutral, storeFileID) };
  };
  return ({ body }: Input, call: Call) => {
    const known = call as unknown as StorageCall & { caller: unknown };
    // The environment that the security handler was shown, and no other, is the one to act on.
    assertEnv(known.envId, env);
    assertBatch(body, batchItems);
    known.caller = call.security[CREDENTIALS];
    const data = handler(body, known);
    return isThenable(data) ? data.then((value) => toWire(value, call)) : toWire(data, call);
  };
}

/** D20: "Response `{ statusCode, body: { requestId, data | code, message } }`". */
function toEnvelope(data: unknown, { requestId }: Call): Answer {
  return { status: 200, body: { statusCode: 200, body: { requestId, data } } };
}

function assertEnv(envId: string, env: EnvOption | undefined): void {
  if (env === undefined || (typeof env === 'string' ? env === envId : env(envId))) return;
  throw new StorageError('INVALID_ENV', { message: `There is no environment ${envId}.` });
}

/** A handler that answers at once costs no turn of the event loop. */
function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as Partial<Promise<unknown>> | undefined)?.then === 'function';
}

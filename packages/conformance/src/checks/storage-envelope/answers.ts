import type { StorageReply } from '../../trial/read-reply.ts';
import { STORAGE_OPERATIONS, type StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { toCopyItems } from '../support/copies.ts';

/** One storage answer, and how it came about. */
export interface Answer {
  what: string;
  operation: StorageOperation;
  reply: StorageReply;
}

const READING: readonly StorageOperation[] = ['getUploadMetaData', 'batchGetTempUrls'];

/** Answers to good calls of every operation; of those that change nothing only with `--read-only`. */
export async function* successes(t: Trial): AsyncGenerator<Answer> {
  const ask = async (operation: StorageOperation, fields: object): Promise<Answer> => {
    const reply = await t.storage.call(operation, fields);
    return { what: `${operation} with a good request`, operation, reply };
  };
  let reached = 0;
  for await (const answer of good(t, ask)) {
    // An answer that is no JSON is the subject of ST-RESPONSE-JSON, a refusal that of the operation.
    if (answer.reply.received.json === undefined || answer.reply.refused) continue;
    reached += 1;
    yield answer;
  }
  t.reach(reached > 0, 'no good call succeeded with JSON');
}

async function* good(
  t: Trial,
  ask: (operation: StorageOperation, fields: object) => Promise<Answer>,
): AsyncGenerator<Answer> {
  yield ask('getUploadMetaData', { path: t.storage.path('file.txt') });
  if (t.settings.readOnly) return;
  const file = await t.upload.store('file.txt');
  const { fileId, path } = file;
  yield ask('batchGetTempUrls', { fileList: [{ fileID: fileId }] });
  const fileList = toCopyItems(t, [{ from: path, to: `${path}.copy` }]);
  yield ask('batchCopyFile', { fileList });
  yield ask('batchDelete', { fileList: [fileId] });
}

/** Answers to calls that are refused as a whole. */
export async function* failures(
  t: Trial,
  operations: readonly StorageOperation[] = t.settings.readOnly ? READING : STORAGE_OPERATIONS,
): AsyncGenerator<Answer> {
  let reached = 0;
  for (const operation of operations) {
    const cases = [
      { name: 'without its required field', fields: {} },
      { name: 'with a body that is no JSON', fields: {}, options: { body: '{"path": "x", ' } },
      { name: 'with a number for its required field', fields: { path: 1, fileList: 1 } },
      { name: 'without credentials', fields: {}, options: { credentials: 'none' as const } },
    ];
    for (const { name, fields, options } of cases) {
      const reply = await t.storage.call(operation, fields, { acceptsRefusal: true, ...options });
      // That it is refused, and with JSON, are other rules.
      if (reply.received.json === undefined || !isFailure(reply)) continue;
      reached += 1;
      yield { what: `${operation} ${name}`, operation, reply };
    }
  }
  t.reach(reached > 0, 'no bad call was refused with JSON');
}

/** All of them. */
export async function* everyAnswer(t: Trial): AsyncGenerator<Answer> {
  yield* failures(t);
  yield* successes(t);
}

/** A success has `data`, and a status of 2xx; everything else is meant as a failure. */
function isFailure({ received, body, data }: StorageReply): boolean {
  const hasCode = body !== undefined && 'code' in body;
  return received.status < 200 || received.status > 299 || hasCode || data === undefined;
}

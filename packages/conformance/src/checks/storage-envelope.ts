import type { CheckContext } from '../context/check-context.ts';
import {
  STORAGE_OPERATIONS,
  type StorageOperation,
  type StorageReply,
} from '../context/storage-client.ts';
import { type Check, defineCheck } from './check.ts';
import { toCopyItems } from './support/copies.ts';
import { show } from './support/storage.ts';

/** One storage answer, and how it came about. */
interface Answer {
  what: string;
  operation: StorageOperation;
  reply: StorageReply;
}

const READING: readonly StorageOperation[] = ['getUploadMetaData', 'batchGetTempUrls'];

/** Answers to good calls of every operation; of those that change nothing only with `--read-only`. */
async function* successes(t: CheckContext): AsyncGenerator<Answer> {
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
  t: CheckContext,
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
async function* failures(
  t: CheckContext,
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
async function* everyAnswer(t: CheckContext): AsyncGenerator<Answer> {
  yield* failures(t);
  yield* successes(t);
}

/** A success has `data`, and a status of 2xx; everything else is meant as a failure. */
function isFailure({ received, body, data }: StorageReply): boolean {
  const hasCode = body !== undefined && 'code' in body;
  return received.status < 200 || received.status > 299 || hasCode || data === undefined;
}

/** Expects a field of the body to be a string wherever it is present. */
async function expectText(
  t: CheckContext,
  field: string,
  answers: AsyncIterable<Answer>,
): Promise<void> {
  let seen = 0;
  for await (const { what, reply } of answers) {
    const value = reply.body?.[field];
    if (value !== undefined) seen += 1;
    const holds = value === undefined || typeof value === 'string';
    t.expect(holds, `${what}: ${field} must be a string, not ${show(value)}`, reply);
  }
  if (seen === 0) t.note(`No answer had the field ${field}.`);
}

/** Expects a field in the body of every answer, of whatever type. */
async function expectPresent(
  t: CheckContext,
  field: string,
  answers: AsyncIterable<Answer>,
): Promise<void> {
  let judged = 0;
  for await (const { what, reply } of answers) {
    if (reply.body === undefined) continue;
    judged += 1;
    const value = reply.body[field] ?? undefined;
    t.expect(value !== undefined, `${what}: the body should have ${field}`, reply);
  }
  t.reach(judged > 0, 'no answer had a body to look into');
}

/**
 * What is judged of answers that the operator has declared to be flat, instead of what only an envelope
 * has: `data`, or a `code`, stands at their top level.
 */
async function judgeFlat(t: CheckContext, answers: AsyncIterable<Answer>): Promise<void> {
  t.note('The answers are declared to be flat, so they have neither statusCode nor body.');
  for await (const { what, reply } of answers) {
    const { envelope } = reply;
    const isFlat = envelope !== undefined && ('data' in envelope || 'code' in envelope);
    t.expect(isFlat, `${what}: a flat answer must have data or code at its top level`, reply);
  }
}

/** Whether that is a success of the call is open, but not that both say the same. */
const PARTLY = 'batchCopyFile of a missing file';

async function* copyAnswers(t: CheckContext): AsyncGenerator<Answer> {
  yield* failures(t, ['batchCopyFile']);
  for await (const answer of successes(t)) {
    if (answer.operation === 'batchCopyFile') yield answer;
  }
  const [from, to] = ['missing.txt', 'never.txt'].map((name) => t.storage.path(name));
  const fileList = toCopyItems(t, [{ from: `${from}`, to: `${to}` }]);
  const reply = await t.storage.call('batchCopyFile', { fileList });
  yield { what: PARTLY, operation: 'batchCopyFile', reply };
}

export const storageEnvelope: readonly Check[] = [
  defineCheck('ST-ENVELOPE-STATUS-CODE', ['storageCredentials'], async (t) => {
    if (t.settings.envelope === 'flat') return judgeFlat(t, everyAnswer(t));
    for await (const { what, reply } of everyAnswer(t)) {
      const value = reply.envelope?.statusCode;
      const isNumber = typeof value === 'number';
      t.expect(isNumber, `${what}: statusCode must be a number, not ${show(value)}`, reply);
    }
  }),
  defineCheck('ST-ENVELOPE-SUCCESS', ['storageCredentials'], async (t: CheckContext) => {
    if (t.settings.envelope === 'flat') return judgeFlat(t, successes(t));
    let judged = 0;
    for await (const { what, operation, reply } of successes(t)) {
      const value = reply.envelope?.statusCode;
      // That it is there, and a number, is ST-ENVELOPE-STATUS-CODE.
      if (operation === 'batchCopyFile' || typeof value !== 'number') continue;
      judged += 1;
      t.expect(value === 200, `${what}: statusCode must be 200, not ${value}`, reply);
    }
    t.reach(judged > 0, 'no success had a statusCode');
  }),
  defineCheck('ST-COPY-STATUS-CODE', ['storageCredentials', 'writes'], async (t: CheckContext) => {
    if (t.settings.envelope === 'flat') return judgeFlat(t, copyAnswers(t));
    let judged = 0;
    for await (const { what, reply } of copyAnswers(t)) {
      const value = reply.envelope?.statusCode;
      // That it is there, and a number, is ST-ENVELOPE-STATUS-CODE.
      if (typeof value !== 'number') continue;
      judged += 1;
      const { status } = reply.received;
      const equals = `${what}: statusCode must equal the HTTP status ${status}, not be ${value}`;
      t.expect(value === status, equals, reply);
      const isWhole = what !== PARTLY && reply.data !== undefined;
      const isSuccess = isWhole && status >= 200 && status <= 299;
      if (isSuccess) t.expect(value === 200, `${what}: it must be 200, not ${value}`, reply);
    }
    t.reach(judged > 0, 'no answer to a copy call had a statusCode');
  }),
  defineCheck('ST-ENVELOPE-BODY', ['storageCredentials'], async (t) => {
    if (t.settings.envelope === 'flat') return judgeFlat(t, everyAnswer(t));
    for await (const { what, reply } of everyAnswer(t)) {
      const value = reply.envelope?.body;
      t.expect(
        reply.body !== undefined,
        `${what}: body must be an object, not ${show(value)}`,
        reply,
      );
    }
  }),
  defineCheck('ST-ENVELOPE-REQUEST-ID', ['storageCredentials'], (t) =>
    expectText(t, 'requestId', everyAnswer(t)),
  ),
  defineCheck('ST-ENVELOPE-REQUEST-ID-PRESENT', ['storageCredentials'], (t) =>
    expectPresent(t, 'requestId', everyAnswer(t)),
  ),
  defineCheck('ST-ENVELOPE-DATA', ['storageCredentials'], async (t: CheckContext) => {
    let judged = 0;
    for await (const { what, reply } of successes(t)) {
      if (reply.body === undefined) continue;
      judged += 1;
      const { data } = reply.body;
      t.expect(
        reply.data !== undefined,
        `${what}: data must be an object, not ${show(data)}`,
        reply,
      );
    }
    // An empty list may be refused, but it is no reason for a success without data.
    const empty = await t.storage.call('batchGetTempUrls', { fileList: [] });
    const isSuccess = empty.body !== undefined && !empty.refused;
    const came = show(empty.body?.data);
    if (isSuccess) {
      const message = `batchGetTempUrls of no file: data must be an object, not ${came}`;
      t.expect(empty.data !== undefined, message, empty);
    }
    t.reach(judged > 0, 'no success had a body to look into');
  }),
  defineCheck('ST-ENVELOPE-CODE', ['storageCredentials'], async (t: CheckContext) => {
    let judged = 0;
    for await (const { what, reply } of failures(t)) {
      if (reply.body === undefined) continue;
      judged += 1;
      const { code, data } = reply.body;
      t.expect(
        typeof code === 'string',
        `${what}: code must be a string, not ${show(code)}`,
        reply,
      );
      t.expect(data === undefined, `${what}: there must be no data, not ${show(data)}`, reply);
    }
    t.reach(judged > 0, 'no failure had a body to look into');
  }),
  defineCheck('ST-ENVELOPE-MESSAGE', ['storageCredentials'], (t) =>
    expectText(t, 'message', everyAnswer(t)),
  ),
  defineCheck('ST-ENVELOPE-MESSAGE-PRESENT', ['storageCredentials'], (t) =>
    expectPresent(t, 'message', failures(t)),
  ),
];

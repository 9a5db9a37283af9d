import type { CheckContext } from '../context/check-context.ts';
import {
  changesFiles,
  STORAGE_OPERATIONS,
  type StorageCallOptions,
  type StorageOperation,
  type StorageReply,
} from '../context/storage-client.ts';
import type { ExchangeRuleId } from '../validation/exchange-rules.ts';
import { isFailure } from '../validation/read-storage.ts';
import { type Check, defineCheck } from './check.ts';
import { toCopyItems } from './support/storage.ts';

/** A storage response, and the call that led to it. */
interface StorageResponse {
  what: string;
  operation: StorageOperation;
  reply: StorageReply;
}

/** The checks that only look at the responses to valid calls, or to invalid ones. The others share their calls. */
const OF_SUCCESSES = 'ST-ENVELOPE-SUCCESS';
const OF_FAILURES = 'ST-ENVELOPE-CODE';

/**
 * Yields responses to valid calls of every operation; with `--read-only`, only to those that change nothing.
 */
async function* successes(t: CheckContext): AsyncGenerator<StorageResponse> {
  let reached = 0;
  for await (const response of t.share(OF_SUCCESSES, makeValidCalls)) {
    // ST-RESPONSE-JSON covers responses that are not JSON, and each operation's rule covers refusals.
    if (response.reply.received.json === undefined || response.reply.refused) continue;
    reached += 1;
    yield response;
  }
  t.reach(reached > 0, 'no valid call returned a successful JSON response');
}

async function* makeValidCalls(t: CheckContext): AsyncGenerator<StorageResponse> {
  const ask = async (operation: StorageOperation, fields: object): Promise<StorageResponse> => {
    const reply = await t.storage.call(operation, fields);
    return { what: `${operation} with a valid request`, operation, reply };
  };
  yield ask('getUploadMetaData', { path: t.storage.path('file.txt') });
  if (t.settings.readOnly) return;
  const file = await t.upload.store('file.txt');
  const { fileId, path } = file;
  yield ask('batchGetTempUrls', { fileList: [{ fileID: fileId }] });
  const fileList = toCopyItems(t, [{ from: path, to: `${path}.copy` }]);
  yield ask('batchCopyFile', { fileList });
  yield ask('batchDelete', { fileList: [fileId] });
}

/** Yields responses to calls that are rejected completely. */
async function* failures(t: CheckContext): AsyncGenerator<StorageResponse> {
  let reached = 0;
  for await (const response of t.share(OF_FAILURES, makeInvalidCalls)) {
    // Other rules cover that the call is rejected, and that the response is JSON.
    if (response.reply.received.json === undefined || !isFailure(response.reply)) continue;
    reached += 1;
    yield response;
  }
  t.reach(reached > 0, 'no invalid call returned a JSON error response');
}

async function* makeInvalidCalls(t: CheckContext): AsyncGenerator<StorageResponse> {
  const operations = t.settings.readOnly
    ? STORAGE_OPERATIONS.filter((operation) => !changesFiles(operation))
    : STORAGE_OPERATIONS;
  for (const operation of operations) {
    const cases: Record<string, [fields: object, options?: StorageCallOptions]> = {
      [`${operation} without its required field`]: [{}],
      [`${operation} with a body that is not JSON`]: [{}, { body: '{"path": "x", ' }],
      [`${operation} with a number for its required field`]: [{ path: 1, fileList: 1 }],
      [`${operation} with the content type text/plain`]: [
        { path: t.storage.path('file.txt'), fileList: [] },
        { headers: { 'Content-Type': 'text/plain' } },
      ],
      [`${operation} without credentials`]: [{}, { credentials: 'none' }],
    };
    for (const [what, [fields, options]] of Object.entries(cases)) {
      const reply = await t.storage.call(operation, fields, { acceptsRefusal: true, ...options });
      yield { what, operation, reply };
    }
  }
}

/** Yields all of them. */
async function* everyResponse(t: CheckContext): AsyncGenerator<StorageResponse> {
  yield* failures(t);
  yield* successes(t);
}

/** Checks an optional field of every response. */
async function checkOptional(
  t: CheckContext,
  rule: 'ST-ENVELOPE-REQUEST-ID' | 'ST-ENVELOPE-MESSAGE',
  field: string,
): Promise<void> {
  let seen = 0;
  for await (const { what, reply } of everyResponse(t)) {
    if (reply.body?.[field] !== undefined) seen += 1;
    t.claim(rule, what, reply);
  }
  if (seen === 0) t.note(`No response had the ${field} field.`);
}

/**
 * Checks every response that has a body.
 *
 * @param missing why the check is not reached if no response has a body
 */
async function checkBodies(
  t: CheckContext,
  rule: ExchangeRuleId,
  responses: AsyncIterable<StorageResponse>,
  missing = 'no response had a body to check',
): Promise<void> {
  let checked = 0;
  for await (const { what, reply } of responses) {
    if (reply.body === undefined) continue;
    checked += 1;
    t.claim(rule, what, reply);
  }
  t.reach(checked > 0, missing);
}

/**
 * Checks the `statusCode` of every response in which it is a number, which ST-ENVELOPE-STATUS-CODE covers.
 */
async function checkStatusCodes(
  t: CheckContext,
  responses: AsyncIterable<StorageResponse>,
  missing: string,
  verify: (statusCode: number, response: StorageResponse) => void,
): Promise<void> {
  if (t.settings.envelope === 'flat') return expectFlat(t, responses);
  let checked = 0;
  for await (const response of responses) {
    const value = response.reply.envelope?.statusCode;
    if (typeof value !== 'number') continue;
    checked += 1;
    verify(value, response);
  }
  t.reach(checked > 0, missing);
}

/**
 * For responses that the operator declared flat, replaces the checks of what only an envelope has: `data` or
 * `code` must be at their top level.
 */
async function expectFlat(
  t: CheckContext,
  responses: AsyncIterable<StorageResponse>,
): Promise<void> {
  t.note(
    'The operator declared that responses are flat, so they have neither statusCode nor body.',
  );
  for await (const { what, reply } of responses) {
    const { envelope } = reply;
    const isFlat = envelope !== undefined && ('data' in envelope || 'code' in envelope);
    t.expect(isFlat, `${what}: a flat response must have data or code at its top level`, reply);
  }
}

/** It is open whether that is a success of the call, but both must agree. */
const PARTLY = 'batchCopyFile of a missing file';

async function* copyResponses(t: CheckContext): AsyncGenerator<StorageResponse> {
  for await (const response of everyResponse(t)) {
    if (response.operation === 'batchCopyFile') yield response;
  }
  const [from, to] = ['missing.txt', 'never.txt'].map((name) => t.storage.path(name));
  const fileList = toCopyItems(t, [{ from: `${from}`, to: `${to}` }]);
  const reply = await t.storage.call('batchCopyFile', { fileList });
  yield { what: PARTLY, operation: 'batchCopyFile', reply };
}

async function* withoutCopies(
  responses: AsyncIterable<StorageResponse>,
): AsyncGenerator<StorageResponse> {
  for await (const response of responses)
    if (response.operation !== 'batchCopyFile') yield response;
}

const NEEDS = ['storageCredentials'] as const;
const SHARES_ALL = { shares: [OF_SUCCESSES, OF_FAILURES] } as const;

export const storageEnvelope: readonly Check[] = [
  defineCheck(
    'ST-ENVELOPE-STATUS-CODE',
    NEEDS,
    async (t) => {
      if (t.settings.envelope === 'flat') return expectFlat(t, everyResponse(t));
      for await (const { what, reply } of everyResponse(t)) {
        t.claim('ST-ENVELOPE-STATUS-CODE', what, reply);
      }
    },
    SHARES_ALL,
  ),
  defineCheck('ST-ENVELOPE-SUCCESS', NEEDS, (t) => {
    const responses = t.settings.envelope === 'flat' ? successes(t) : withoutCopies(successes(t));
    const missing = 'no successful response had a statusCode';
    return checkStatusCodes(t, responses, missing, (_, { what, reply }) =>
      t.claim('ST-ENVELOPE-SUCCESS', what, reply),
    );
  }),
  defineCheck(
    'ST-COPY-STATUS-CODE',
    ['storageCredentials', 'writes'],
    (t) => {
      const missing = 'no response to a copy call had a statusCode';
      return checkStatusCodes(t, copyResponses(t), missing, (value, { what, reply }) => {
        t.claim('ST-COPY-STATUS-CODE', what, reply);
        const { status } = reply.received;
        const isWhole = what !== PARTLY && reply.data !== undefined;
        const isSuccess = isWhole && status >= 200 && status <= 299;
        if (isSuccess) t.expectEqual(`${what}: statusCode`, value, 200, reply);
      });
    },
    SHARES_ALL,
  ),
  defineCheck(
    'ST-ENVELOPE-BODY',
    NEEDS,
    async (t) => {
      if (t.settings.envelope === 'flat') return expectFlat(t, everyResponse(t));
      for await (const { what, reply } of everyResponse(t)) {
        t.claim('ST-ENVELOPE-BODY', what, reply);
      }
    },
    SHARES_ALL,
  ),
  defineCheck(
    'ST-ENVELOPE-REQUEST-ID',
    NEEDS,
    (t) => checkOptional(t, 'ST-ENVELOPE-REQUEST-ID', 'requestId'),
    SHARES_ALL,
  ),
  defineCheck(
    'ST-ENVELOPE-REQUEST-ID-PRESENT',
    NEEDS,
    (t) => checkBodies(t, 'ST-ENVELOPE-REQUEST-ID-PRESENT', everyResponse(t)),
    SHARES_ALL,
  ),
  defineCheck(
    'ST-ENVELOPE-DATA',
    NEEDS,
    async (t) => {
      const missing = 'no successful response had a body to check';
      await checkBodies(t, 'ST-ENVELOPE-DATA', successes(t), missing);
      // An empty list may be rejected, but does not excuse a success without data.
      const empty = await t.storage.call('batchGetTempUrls', { fileList: [] });
      if (!empty.body || empty.refused) return;
      t.claim('ST-ENVELOPE-DATA', 'batchGetTempUrls without files', empty);
    },
    { shares: [OF_SUCCESSES] },
  ),
  defineCheck('ST-ENVELOPE-CODE', NEEDS, (t) =>
    checkBodies(t, 'ST-ENVELOPE-CODE', failures(t), 'no error response had a body to check'),
  ),
  defineCheck(
    'ST-ENVELOPE-MESSAGE',
    NEEDS,
    (t) => checkOptional(t, 'ST-ENVELOPE-MESSAGE', 'message'),
    SHARES_ALL,
  ),
  defineCheck(
    'ST-ENVELOPE-MESSAGE-PRESENT',
    NEEDS,
    (t) => checkBodies(t, 'ST-ENVELOPE-MESSAGE-PRESENT', failures(t)),
    { shares: [OF_FAILURES] },
  ),
];

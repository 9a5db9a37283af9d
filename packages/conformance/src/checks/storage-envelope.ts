import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { Need } from '../context/skip-reason.ts';
import {
  changesFiles,
  STORAGE_OPERATIONS,
  type StorageCallOptions,
  type StorageOperation,
  type StorageReply,
} from '../context/storage-client.ts';
import type { RuleId } from '../generated/rule-ids.gen.ts';
import type { ExchangeRuleId } from '../validation/exchange-rules.ts';
import { isFailure } from '../validation/read-storage.ts';
import { makeGoodFields, toCopyItems } from './support/storage.ts';

interface StorageResponse {
  what: string;
  operation: StorageOperation;
  reply: StorageReply;
}

/** The checks that only look at the responses to valid calls, or to invalid ones. The others share their calls. */
const OF_SUCCESSES = 'ST-ENVELOPE-SUCCESS';
const OF_FAILURES = 'ST-ENVELOPE-CODE';

/** Makes valid calls of every operation; with `--read-only`, only those that change nothing. */
async function* makeValidCalls(t: CheckContext): AsyncGenerator<StorageResponse> {
  const others = new Set(STORAGE_OPERATIONS);
  const ask = async (operation: StorageOperation, fields: object): Promise<StorageResponse> => {
    others.delete(operation);
    const reply = await t.storage.call(operation, fields);
    return { what: `${operation} with a valid request`, operation, reply };
  };
  yield ask('getUploadMetaData', { path: t.storage.path('file.txt') });
  if (!t.settings.readOnly) {
    const { fileId, path } = await t.upload.store('file.txt');
    yield ask('batchGetTempUrls', { fileList: [{ fileID: fileId }] });
    const fileList = toCopyItems(t, [{ from: path, to: `${path}.copy` }]);
    yield ask('batchCopyFile', { fileList });
    yield ask('batchDelete', { fileList: [fileId] });
  }
  for (const operation of others) {
    if (t.settings.readOnly && changesFiles(operation)) continue;
    yield ask(operation, (await makeGoodFields(t))[operation]);
  }
}

async function* makeInvalidCalls(t: CheckContext): AsyncGenerator<StorageResponse> {
  const path = t.storage.path('file.txt');
  const cases: Record<string, [fields: object, options?: StorageCallOptions]> = {
    'without its required field': [{}],
    'with a body that is not JSON': [{}, { body: '{"path": "x", ' }],
    'with a number for its required field': [{ path: 1, fileList: 1 }],
    'with the content type text/plain': [
      { path, fileList: [] },
      { headers: { 'Content-Type': 'text/plain' } },
    ],
    'without credentials': [{}, { credentials: 'none' }],
  };
  for (const operation of STORAGE_OPERATIONS) {
    if (t.settings.readOnly && changesFiles(operation)) continue;
    for (const [what, [fields, options]] of Object.entries(cases)) {
      const reply = await t.storage.call(operation, fields, { acceptsRefusal: true, ...options });
      yield { what: `${operation} ${what}`, operation, reply };
    }
  }
}

/** Yields those responses that are JSON, which ST-RESPONSE-JSON covers, and successes or failures as expected. */
async function* toExpected(
  t: CheckContext,
  responses: AsyncIterable<StorageResponse>,
  isExpected: (reply: StorageReply) => boolean,
): AsyncGenerator<StorageResponse> {
  let reached = 0;
  for await (const response of responses) {
    if (response.reply.received.json === undefined || !isExpected(response.reply)) continue;
    reached += 1;
    yield response;
  }
  t.reach(reached > 0, 'no response was JSON, and a success or an error as expected');
}

const successes = (t: CheckContext) =>
  toExpected(t, t.share(OF_SUCCESSES, makeValidCalls), ({ refused }) => !refused);

const failures = (t: CheckContext) =>
  toExpected(t, t.share(OF_FAILURES, makeInvalidCalls), isFailure);

async function* everyResponse(t: CheckContext): AsyncGenerator<StorageResponse> {
  yield* failures(t);
  yield* successes(t);
}

/** Where responses come from, and whose calls they share. */
const SOURCES = {
  all: { list: everyResponse, owners: [OF_SUCCESSES, OF_FAILURES] },
  successes: { list: successes, owners: [OF_SUCCESSES] },
  failures: { list: failures, owners: [OF_FAILURES] },
} satisfies Record<
  string,
  { list: (t: CheckContext) => AsyncIterable<StorageResponse>; owners: RuleId[] }
>;

const hasBody = ({ reply }: StorageResponse): boolean => reply.body !== undefined;

/** ST-ENVELOPE-STATUS-CODE covers a `statusCode` that is not a number. */
const hasStatusCode = ({ reply }: Pick<StorageResponse, 'reply'>): boolean =>
  typeof reply.envelope?.statusCode === 'number';

const isCopy = ({ operation }: StorageResponse): boolean => operation === 'batchCopyFile';

function defineResponseCheck(
  rule: ExchangeRuleId & RuleId,
  source: keyof typeof SOURCES,
  {
    isMeant = () => true,
    isWrapped = false,
    needs = [],
    expect,
    more,
  }: {
    isMeant?: (response: StorageResponse) => boolean;
    /** Whether it is about what only an envelope has. */
    isWrapped?: boolean;
    needs?: readonly Need[];
    /** What the check expects of each response besides the claims. */
    expect?: (t: CheckContext, response: StorageResponse) => void;
    more?: (t: CheckContext) => Promise<void>;
  },
): Check {
  const { list, owners } = SOURCES[source];
  const run = async (t: CheckContext) => {
    const isFlat = t.settings.wireProfile.envelope === 'flat';
    t.apply(!(isWrapped && isFlat), 'responses are flat, as the wire profile says');
    let checked = 0;
    for await (const response of list(t)) {
      if (!isMeant(response)) continue;
      checked += 1;
      t.claim(rule, response.what, response.reply);
      expect?.(t, response);
    }
    await more?.(t);
    t.reach(checked > 0, 'no response had what the rule is about');
  };
  const shares = owners.filter((owner) => owner !== rule);
  return defineCheck(rule, ['storageCredentials', ...needs], run, { shares });
}

export const storageEnvelope: readonly Check[] = [
  defineResponseCheck('ST-ENVELOPE-STATUS-CODE', 'all', { isWrapped: true }),
  defineResponseCheck('ST-ENVELOPE-SUCCESS', 'successes', {
    isMeant: (response) => hasStatusCode(response) && !isCopy(response),
    isWrapped: true,
  }),
  defineResponseCheck('ST-COPY-STATUS-CODE', 'all', {
    isMeant: (response) => hasStatusCode(response) && isCopy(response),
    isWrapped: true,
    needs: ['writes'],
    expect: (t, { what, reply }) => {
      if (isFailure(reply)) return;
      t.expectEqual(`${what}: statusCode`, reply.envelope?.statusCode, 200, reply);
    },
    more: async (t) => {
      // It is open whether that is a success of the call, but both must agree.
      const [from, to] = ['missing.txt', 'never.txt'].map((name) => t.storage.path(name));
      const fileList = toCopyItems(t, [{ from: `${from}`, to: `${to}` }]);
      const reply = await t.storage.call('batchCopyFile', { fileList });
      if (!hasStatusCode({ reply })) return;
      t.claim('ST-COPY-STATUS-CODE', 'batchCopyFile of a missing file', reply);
    },
  }),
  defineResponseCheck('ST-ENVELOPE-BODY', 'all', { isWrapped: true }),
  defineResponseCheck('ST-ENVELOPE-REQUEST-ID', 'all', {}),
  defineResponseCheck('ST-ENVELOPE-REQUEST-ID-PRESENT', 'all', { isMeant: hasBody }),
  defineResponseCheck('ST-ENVELOPE-DATA', 'successes', {
    isMeant: hasBody,
    more: async (t) => {
      // An empty list may be rejected, but does not excuse a success without data.
      const empty = await t.storage.call('batchGetTempUrls', { fileList: [] });
      if (!empty.body || empty.refused) return;
      t.claim('ST-ENVELOPE-DATA', 'batchGetTempUrls without files', empty);
    },
  }),
  defineResponseCheck('ST-ENVELOPE-CODE', 'failures', { isMeant: hasBody }),
  defineResponseCheck('ST-ENVELOPE-MESSAGE', 'all', {}),
  defineResponseCheck('ST-ENVELOPE-MESSAGE-PRESENT', 'failures', { isMeant: hasBody }),
];

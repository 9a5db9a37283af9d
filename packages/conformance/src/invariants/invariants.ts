import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Api } from '../contract/openapi.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type Call, type Exchange, isWebUrl, parseJson, readAll } from '../http/exchange.ts';
import { listDispositionTypes } from '../http/media-type.ts';
import type { Settings } from '../options.ts';
import type { Finding } from '../result.ts';
import type { ResponseValidator } from '../validation/check-response.ts';
import { type Claim, cite, claimEach, show } from '../validation/claims.ts';
import { isGatewayError } from '../validation/read-gateway.ts';
import { hasFailed, isSuccess, readReply, type StorageReply } from '../validation/read-storage.ts';
import { FIXTURE_INVARIANTS, readSentResponse } from './fixture-invariants.ts';

/** A call to an operation of the API that a rule is about. */
interface Facts extends Exchange {
  readonly operationId: string;
  readonly settings: Pick<Settings, 'wireProfile' | 'service'>;
  readonly validator: ResponseValidator;
}

/**
 * Checks whether a response is as a sentence says. Called for every operation of the rule's API, so it must check
 * `operationId` itself. Returns `undefined` if the sentence does not apply to the response; otherwise claims, or findings
 * that name their place in a document. The response passes if all claims hold and there are no findings.
 *
 * @example
 * // If a handshake succeeds, the response has no body.
 * ({ received }) =>
 *   received.status === 101 ? [[received.body.length === 0, 'a 101 must have no body']] : undefined
 */
export type Invariant = (facts: Facts) => readonly (Claim | Finding)[] | undefined;

/** A call to a storage operation, with the content of the envelope in its response. */
type StorageFacts = Facts & StorageReply;

const isHandshake = ({ sent }: Facts) => readAll(sent.headers, 'upgrade').includes('websocket');

const CODES = new Set(defaults.gatewayErrors.map(({ code }) => code));

/** A hosted service may respond with any status and body, so a code of the contract is required. */
function isOwnError(facts: Facts): boolean {
  const { received, settings } = facts;
  if (received.status < 400 || readSentResponse(facts)) return false;
  // Only responses of hosted services have this header, if the deployment sends it at all.
  const { upstreamStatus } = settings.wireProfile.gatewayHeaders;
  if (received.header(upstreamStatus) !== undefined) return false;
  return isGatewayError(received) || CODES.has(Object(received.json).code);
}

/** Whether a response is certainly that of a hosted service, with content. */
function isOfService(facts: Facts): boolean {
  const { status } = facts.received;
  if (status < 200 || status === 204 || status === 304) return false;
  return status < 400 || (readSentResponse(facts) !== undefined && !isGatewayError(facts.received));
}

/** Rule C2: 'Text types are those whose Content-Type indicates …', compared without parameters. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

function dispositionRule(facts: Facts): 'C1' | 'C2' | 'C3' | 'none' | undefined {
  const { sent, received } = facts;
  // The rules do not say whether a handshake that the service rejects is a GET.
  if (!isOfService(facts) || isHandshake(facts)) return undefined;
  if (received.mediaType === undefined) return undefined;
  if (received.mediaType === 'text/event-stream') {
    const accept = readAll(sent.headers, 'accept').join();
    return /text\/event-stream/i.test(accept) ? 'C3' : undefined;
  }
  if (sent.method === 'GET') return 'C1';
  return TEXT_TYPES.includes(received.mediaType) ? 'none' : 'C2';
}

function claimDisposition(
  { received }: Facts,
  expected: 'attachment' | 'absent' | 'anything but inline',
): Claim {
  const values = readAll(received.headers, 'content-disposition');
  const types = listDispositionTypes(values);
  const holds = {
    attachment: types.includes('attachment'),
    absent: values.length === 0,
    'anything but inline': !types.includes('inline'),
  };
  const actual = values.map(cite).join(' and ') || 'none';
  return [holds[expected], `Content-Disposition must be ${expected}, not ${actual}`];
}

const disposition =
  (
    rules: readonly ReturnType<typeof dispositionRule>[],
    expected: Parameters<typeof claimDisposition>[1],
  ): Invariant =>
  (facts) =>
    rules.includes(dispositionRule(facts)) ? [claimDisposition(facts, expected)] : undefined;

const hasRequestId = ({ received }: Facts): Claim => [
  (received.header('x-request-id') ?? '').trim() !== '',
  'the response must have an X-Request-Id',
];

const isCopy = ({ operationId }: Facts) => operationId === 'batchCopyFile';

/** The items of a list call as sent, in either form of a request (D21). */
function itemsOf(sent: Call): unknown[] | undefined {
  const { data, fileList = Object(data).fileList } = Object(parseJson(sent.body));
  return Array.isArray(fileList) ? fileList : undefined;
}

const listFileIds = (items: readonly unknown[]): string[] =>
  items
    .map((item) => (typeof item === 'string' ? item : Object(item).fileID))
    .filter((id) => typeof id === 'string');

/** What the schemas of the storage document leave to its descriptions. */
function claimEnvelope(facts: StorageFacts): Claim[] {
  const { payload, data, envelope, received, refused, operationId } = facts;
  if (payload === undefined) return [];
  const claims: Claim[] = refused
    ? [[payload.data === undefined, `data must be absent, but it was ${show(payload.data)}`]]
    : [[data !== undefined, `data must be an object, not ${show(payload.data)}`]];
  const { statusCode } = envelope ?? {};
  if (facts.settings.wireProfile.envelope === 'wrapped' && typeof statusCode === 'number') {
    if (isCopy(facts)) {
      const message = `statusCode must equal the HTTP status ${received.status}, but was ${statusCode}`;
      claims.push([statusCode === received.status, message]);
    } else if (!refused && data !== undefined && !('code' in payload)) {
      claims.push([statusCode === 200, `statusCode must be 200, not ${statusCode}`]);
    }
  }
  if (operationId === 'getUploadMetaData' && typeof data?.url === 'string') {
    claims.push([isWebUrl(data.url), `url must be an absolute URL, not ${show(data.url)}`]);
  }
  if (isCopy(facts)) claims.push(...(facts.entries ?? []).flatMap(claimCopyEntry));
  return claims;
}

/** A copy entry has a code and a message if it failed, and otherwise neither. */
function claimCopyEntry(entry: Record<string, unknown>): Claim[] {
  return ['code', 'message'].map((field): Claim => {
    const value = entry[field];
    if (!hasFailed(entry)) {
      return [value === undefined, `${field} must be absent, but it was ${show(value)}`];
    }
    const message = `${field} of a failed item must be a string, not ${show(value)}`;
    return [typeof value === 'string', message];
  });
}

const present = (name: string, value: unknown): Claim => [
  (value ?? undefined) !== undefined,
  `the response should have the field ${name}`,
];

const ofReplies =
  (check: (facts: StorageFacts) => ReturnType<Invariant>): Invariant =>
  (facts) =>
    check({ ...facts, ...readReply(facts, facts.settings.wireProfile.envelope) });

/** The same, unless the response has no envelope. */
const ofEnvelopes = (check: Parameters<typeof ofReplies>[0]): Invariant =>
  ofReplies((facts) => (facts.payload === undefined ? undefined : check(facts)));

const checkSchema = ({ validator, operationId, received }: Facts, api: Api): Finding[] =>
  validator.checkResponse({ api, operationId }, received);

/**
 * Sentences about single responses. They are checked for each response of a run from the API of their rule: to any call
 * to a service, or to any storage operation. Links and uploads are checked in `checks/`.
 */
export const INVARIANTS = {
  ...FIXTURE_INVARIANTS,
  'GW-C1': disposition(['C1'], 'attachment'),
  'GW-C2/1': disposition(['C2'], 'attachment'),
  'GW-C2/2': disposition(['none'], 'absent'),
  'GW-C3/1': disposition(['C3'], 'absent'),
  'GW-C3/2': (facts) =>
    facts.received.status === 101 ? [claimDisposition(facts, 'absent')] : undefined,
  'GW-DISPOSITION-INLINE': disposition(['C1', 'C2'], 'anything but inline'),
  'GW-REQUEST-ID/1': (facts) => {
    const hasKnownSender = isOfService(facts) || isOwnError(facts) || readSentResponse(facts);
    return hasKnownSender && !isHandshake(facts) ? [hasRequestId(facts)] : undefined;
  },
  'GW-REQUEST-ID/2': (facts) => (isHandshake(facts) ? [hasRequestId(facts)] : undefined),
  'GW-ERROR/1': (facts) => (isOwnError(facts) ? checkSchema(facts, 'gateway') : undefined),
  'GW-ERROR/2': (facts) => {
    const header = facts.received.header('x-request-id');
    const { requestId } = Object(facts.received.json);
    if (!isOwnError(facts) || header === undefined || requestId === undefined) return undefined;
    const message = `requestId must equal X-Request-Id ${header}, not ${show(requestId)}`;
    return [[requestId === header, message]];
  },
  'ST-RESPONSE': ofReplies((facts) => [...checkSchema(facts, 'storage'), ...claimEnvelope(facts)]),
  'ST-LINKS-CALL': ofReplies(({ operationId, entries = [] }) => {
    const linked = operationId === 'batchGetTempUrls' ? entries.filter(isSuccess) : [];
    return claimEach(linked, ({ tempFileURL: url }) => {
      const message = `the link of a file must be an absolute URL, not ${show(url)}`;
      return [isWebUrl(url), message];
    });
  }),
  'ST-PRESENT/1': ofEnvelopes(({ payload }) => [present('requestId', payload?.requestId)]),
  'ST-PRESENT/2': ofEnvelopes(({ payload, refused }) =>
    refused ? [present('message', payload?.message)] : undefined,
  ),
  'ST-PRESENT/3': ofEnvelopes((facts) => {
    const copied = isCopy(facts) ? (facts.entries ?? []).filter((entry) => !hasFailed(entry)) : [];
    const what = 'fileID in the entry of a copied file';
    return claimEach(copied, ({ fileID }) => present(what, fileID));
  }),
  'ST-LISTS/1': ofEnvelopes(({ entries, sent }) => {
    const items = itemsOf(sent);
    if (!entries || !items) return undefined;
    const message = `data.fileList must have ${items.length} entries, but has ${entries.length}`;
    return [[entries.length === items.length, message]];
  }),
  'ST-LISTS/2': ofEnvelopes((facts) => {
    if (isCopy(facts) || !facts.entries) return undefined;
    const [actual, expected] = [listFileIds(facts.entries), listFileIds(itemsOf(facts.sent) ?? [])];
    const count = (ids: readonly string[], id: string) => ids.filter((each) => each === id).length;
    return claimEach([...new Set(expected)], (id) => {
      const counts = `${count(expected, id)} entries must have the fileID ${id}`;
      return [count(actual, id) === count(expected, id), `${counts}, but ${count(actual, id)} do`];
    });
  }),
} satisfies Partial<Record<SentenceId, Invariant>>;

export type InvariantId = keyof typeof INVARIANTS;

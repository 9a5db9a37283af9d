import { type Call, isWebUrl } from '../http/exchange.ts';
import { hasFailed, isSuccess } from '../http/read-response.ts';
import { parseJson, toFields } from '../json.ts';
import { quoteJson } from '../results/redact.ts';
import { type Claim, claimEach, type Invariants, type ObservedCall } from './invariant.ts';

const isCopy = ({ operationId }: ObservedCall) => operationId === 'batchCopyFile';

/** The items of a list call as sent, in either form of a request (D21). */
function itemsOf(sent: Call): unknown[] | undefined {
  const { data, fileList = toFields(data).fileList } = toFields(parseJson(sent.body));
  return Array.isArray(fileList) ? fileList : undefined;
}

const listFileIds = (items: readonly unknown[]): string[] =>
  items
    .map((item) => (typeof item === 'string' ? item : toFields(item).fileID))
    .filter((id) => typeof id === 'string');

/** What the schemas of the storage document leave to its descriptions. */
function claimEnvelope(call: ObservedCall): Claim[] {
  const { received, operationId } = call;
  const { payload, data, envelope, rejected, entries = [] } = call.reply;
  if (payload === undefined) return [];
  const claims: Claim[] = rejected
    ? [[payload.data === undefined, `data must be absent, but it was ${quoteJson(payload.data)}`]]
    : [[data !== undefined, `data must be an object, not ${quoteJson(payload.data)}`]];
  const { statusCode } = envelope ?? {};
  if (call.settings.wireProfile.envelope === 'wrapped' && typeof statusCode === 'number') {
    if (isCopy(call)) {
      const message = `statusCode must equal the HTTP status ${received.status}, but was ${statusCode}`;
      claims.push([statusCode === received.status, message]);
    } else if (!rejected && data !== undefined && !('code' in payload)) {
      claims.push([statusCode === 200, `statusCode must be 200, not ${statusCode}`]);
    }
  }
  if (operationId === 'getUploadMetaData' && typeof data?.url === 'string') {
    claims.push([isWebUrl(data.url), `url must be an absolute URL, not ${quoteJson(data.url)}`]);
  }
  if (isCopy(call)) claims.push(...entries.flatMap(claimCopyEntry));
  return claims;
}

/** A copy entry has a code and a message if it failed, and otherwise neither. */
function claimCopyEntry(entry: Record<string, unknown>): Claim[] {
  return ['code', 'message'].map((field): Claim => {
    const value = entry[field];
    if (!hasFailed(entry)) {
      return [value === undefined, `${field} must be absent, but it was ${quoteJson(value)}`];
    }
    const message = `${field} of a failed item must be a string, not ${quoteJson(value)}`;
    return [typeof value === 'string', message];
  });
}

const present = (name: string, value: unknown): Claim => [
  (value ?? undefined) !== undefined,
  `the response should have the field ${name}`,
];

/** The invariants of the storage API. `Invariant` lists the responses that they do not check. */
export const storageInvariants = {
  'ST-RESPONSE': (call) => [...call.checkSchema(), ...claimEnvelope(call)],
  'ST-PRESENT/1': ({ reply: { payload } }) => payload && [present('requestId', payload.requestId)],
  'ST-PRESENT/2': ({ reply: { payload, rejected } }) =>
    payload && rejected ? [present('message', payload.message)] : undefined,
  'ST-PRESENT/3': (call) => {
    const { entries = [] } = call.reply;
    const copied = isCopy(call) ? entries.filter((entry) => !hasFailed(entry)) : [];
    const what = 'fileID in the entry of a copied file';
    return claimEach(copied, ({ fileID }) => present(what, fileID));
  },
  'ST-LINKS-CALL': ({ operationId, reply: { entries = [] } }) => {
    const linked = operationId === 'batchGetTempUrls' ? entries.filter(isSuccess) : [];
    return claimEach(linked, ({ tempFileURL: url }) => {
      const message = `the link of a file must be an absolute URL, not ${quoteJson(url)}`;
      return [isWebUrl(url), message];
    });
  },
  'ST-LISTS/1': ({ reply: { entries }, sent }) => {
    const items = itemsOf(sent);
    if (!entries || !items) return undefined;
    const message = `data.fileList must have ${items.length} entries, but has ${entries.length}`;
    return [[entries.length === items.length, message]];
  },
  'ST-LISTS/2': (call) => {
    const { entries } = call.reply;
    if (isCopy(call) || !entries) return undefined;
    const [actual, expected] = [listFileIds(entries), listFileIds(itemsOf(call.sent) ?? [])];
    const count = (ids: readonly string[], id: string) => ids.filter((each) => each === id).length;
    return claimEach([...new Set(expected)], (id) => {
      const counts = `${count(expected, id)} entries must have the fileID ${id}`;
      return [count(actual, id) === count(expected, id), `${counts}, but ${count(actual, id)} do`];
    });
  },
} satisfies Invariants;

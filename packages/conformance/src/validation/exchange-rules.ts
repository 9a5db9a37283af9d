import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { RuleId } from '../generated/rule-ids.gen.ts';
import {
  type Exchange,
  type HeaderList,
  parseJson,
  type Received,
  readAll,
} from '../http/exchange.ts';
import { listDispositionTypes } from '../http/media-type.ts';
import type { Settings } from '../options.ts';
import { cite, show } from './cite.ts';
import { hasFailed, isFailure, readReply, type StorageReply } from './read-storage.ts';

export type Claim = readonly [holds: boolean, message: string];

/** An exchange with everything that the rules read from it. */
export interface Facts extends StorageReply {
  operationId: string;
  settings: Pick<Settings, 'wireProfile'>;
}

/**
 * A rule that a single exchange can break. The checks of rules, which know what they have requested, only use
 * its claims; documented responses are checked if the rule applies to them.
 */
interface ExchangeRule {
  appliesTo(facts: Facts): boolean;
  claims(facts: Facts): Claim[];
}

export function toFacts(exchange: Exchange, settings: Facts['settings'], operationId = ''): Facts {
  return { ...readReply(exchange, settings.wireProfile.envelope), operationId, settings };
}

const text = (name: string, value: unknown): Claim => [
  typeof value === 'string',
  `${name} must be a string, not ${show(value)}`,
];

const present = (what: string, value: unknown): Claim => [(value ?? undefined) !== undefined, what];

export function hasRequestId(headers: HeaderList): Claim {
  const id = readAll(headers, 'x-request-id').join(', ');
  return [id.trim() !== '', 'the response must have an X-Request-Id'];
}

const CODES = new Set(defaults.gatewayErrors.map(({ code }) => code));

const isGateway = ({ operationId }: Facts) => operationId.startsWith('cloudrun');

/**
 * Returns whether a response is the gateway's error rather than a hosted service's: its body has `code`,
 * `message` and `requestId`, the last of which equals `X-Request-Id` (D10).
 */
export function isGatewayError({ status, json, header }: Received): boolean {
  const id = header('x-request-id');
  if (status < 400 || id === undefined) return false;
  const { code, message, requestId } = Object(json);
  return code !== undefined && message !== undefined && requestId === id;
}

/**
 * Whether a response is certainly the gateway's own error. A hosted service may respond with any status and
 * body, so a code of the contract is required.
 */
function isOwnError(facts: Facts): boolean {
  const { received, settings } = facts;
  if (!isGateway(facts) || received.status < 400) return false;
  // Only responses of hosted services have this header, if the deployment sends it at all.
  const { upstreamStatus } = settings.wireProfile.gatewayHeaders;
  if (received.header(upstreamStatus) !== undefined) return false;
  return isGatewayError(received) || CODES.has(Object(received.json).code);
}

/** Whether a response is certainly that of a hosted service, with content. */
function isOfService(facts: Facts): boolean {
  const { status } = facts.received;
  return isGateway(facts) && status >= 200 && status < 400 && status !== 204 && status !== 304;
}

/** Rule C2: 'Text types are those whose Content-Type indicates …', compared without parameters. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

const isStream = ({ received }: Facts) => received.mediaType === 'text/event-stream';
const acceptsStream = ({ sent }: Facts) =>
  readAll(sent.headers, 'accept').some((value) => /text\/event-stream/i.test(value));
/** Whether a rule is about the disposition of a response: `none` requires that the header is absent. */
const ofService = (rule: 'C1' | 'C2' | 'none') => (facts: Facts) => {
  const { mediaType } = facts.received;
  if (!isOfService(facts) || isStream(facts) || mediaType === undefined) return false;
  if (facts.sent.method === 'GET') return rule === 'C1';
  return rule === (TEXT_TYPES.includes(mediaType) ? 'none' : 'C2');
};

const dispositions = (received: Received) => {
  const values = readAll(received.headers, 'content-disposition');
  return {
    types: listDispositionTypes(values),
    values,
    came: values.map(cite).join(' and ') || 'none',
  };
};

const attached = ({ received }: Facts): Claim[] => {
  const { types, came } = dispositions(received);
  return [[types.includes('attachment'), `Content-Disposition must be attachment, not ${came}`]];
};
const notAttached = ({ received }: Facts): Claim[] => {
  const { values, came } = dispositions(received);
  return [[values.length === 0, `Content-Disposition must be absent, but it was ${came}`]];
};

const ofError = (claims: ExchangeRule['claims']): ExchangeRule => ({
  appliesTo: isOwnError,
  claims,
});

const errorField = (field: 'code' | 'message' | 'requestId') =>
  ofError(({ received: { json } }) => [text(field, Object(json)[field])]);

/**
 * Returns whether a response has a body that looks like the gateway's error: an object with `code`, `message`
 * or `requestId`. The rules about the error body check that it has all three, as strings.
 */
export function hasErrorBody({ json }: Received): boolean {
  const { code, message, requestId } = Object(json);
  return [code, message, requestId].some((value) => value !== undefined);
}

const ofStorage = (
  claims: ExchangeRule['claims'],
  isMeant: ExchangeRule['appliesTo'] = () => true,
): ExchangeRule => ({
  appliesTo: (facts) => !isGateway(facts) && isMeant(facts),
  claims,
});

const isWrapped = ({ settings }: Facts) => settings.wireProfile.envelope === 'wrapped';
const hasStatusCode = (facts: Facts) =>
  isWrapped(facts) && typeof facts.envelope?.statusCode === 'number';
/** Whether a response looks like one without the envelope (D20). */
const isFlat = ({ data, code }: Record<string, unknown> = {}) =>
  data !== undefined || code !== undefined;
const hasBody = ({ body }: Facts) => body !== undefined;
const isCopy = ({ operationId }: Facts) => operationId === 'batchCopyFile';

const ofData = (operationId: string, claims: ExchangeRule['claims']): ExchangeRule =>
  ofStorage(claims, (facts) => facts.operationId === operationId && facts.data !== undefined);

const grantField = (field: string) =>
  ofData('getUploadMetaData', ({ data = {} }) => [text(field, data[field])]);

/** The items of a list call as sent, in either form of a request (D21). */
function itemsOf({ sent }: Facts): unknown[] | undefined {
  const { data, fileList = Object(data).fileList } = Object(parseJson(sent.body));
  return Array.isArray(fileList) ? fileList : undefined;
}

const listOf = (operationId: string): ExchangeRule =>
  ofData(operationId, (facts) => {
    const { fileList } = facts.data ?? {};
    const isList = Array.isArray(fileList);
    const list: Claim = [isList, `data.fileList must be an array, not ${show(fileList)}`];
    const wanted = itemsOf(facts)?.length;
    if (!isList || wanted === undefined) return [list];
    return [
      list,
      [
        fileList.length === wanted,
        `data.fileList must have ${wanted} entries, but has ${fileList.length}`,
      ],
      [fileList.every((entry) => Object(entry) === entry), 'every entry must be an object'],
    ];
  });

const idsOf = (operationId: string): ExchangeRule =>
  ofData(operationId, (facts) => {
    const ids = (facts.entries ?? []).map(({ fileID }) => fileID);
    const wanted = (itemsOf(facts) ?? [])
      .map((item) => (typeof item === 'string' ? item : Object(item).fileID))
      .filter((id) => typeof id === 'string');
    const count = (list: readonly unknown[], id: unknown) =>
      list.filter((each) => each === id).length;
    return [
      ...ids.map((id) => text('fileID of an entry', id)),
      ...[...new Set(wanted)].map((id): Claim => {
        const [came, most] = [count(ids, id), count(wanted, id)];
        return [came === most, `${most} entries must have the fileID ${id}, but ${came} do`];
      }),
    ];
  });

const entryField = (operationId: string, field: string): ExchangeRule =>
  ofData(operationId, ({ entries = [] }) =>
    entries.map((entry) => text(`${field} of an entry`, entry[field])),
  );

/** What the response to an invalid request must be: 'refused, never 5xx, in the documented error shape' (D30). */
export function claimRefusal({ received, refused, code, envelope }: StorageReply): Claim[] {
  const { status } = received;
  const came = envelope === undefined ? 'is not a JSON object' : 'has no code';
  return [
    [
      status < 500,
      `the call must be rejected with a status below 500, but the response was ${status}`,
    ],
    [refused, `the call must be rejected, but the response was ${status}`],
    [code !== undefined, `the ${status} response must be an envelope with a code, but ${came}`],
  ];
}

export const EXCHANGE_RULES = {
  'GW-C1': { appliesTo: ofService('C1'), claims: attached },
  'GW-C2': { appliesTo: ofService('C2'), claims: attached },
  'GW-C2-TEXT': { appliesTo: ofService('none'), claims: notAttached },
  'GW-C3': {
    appliesTo: (facts) => isOfService(facts) && isStream(facts) && acceptsStream(facts),
    claims: notAttached,
  },
  'GW-DISPOSITION-INLINE': {
    appliesTo: (facts) => ofService('C1')(facts) || ofService('C2')(facts),
    claims: ({ received }) => {
      const { types, came } = dispositions(received);
      const message = `no Content-Disposition may be inline, but the values were ${came}`;
      return [[!types.includes('inline'), message]];
    },
  },
  'GW-REQUEST-ID-EQUAL': ofError(({ received }) => {
    const header = received.header('x-request-id');
    const { requestId } = Object(received.json);
    if (header === undefined || requestId === undefined) return [];
    const message = `requestId must equal X-Request-Id ${header}, not ${show(requestId)}`;
    return [[requestId === header, message]];
  }),
  'GW-ERROR-BODY': ofError(({ received: { mediaType, json, text: came } }) => [
    [
      mediaType === 'application/json',
      `the content type must be application/json, not ${mediaType ?? 'none'}`,
    ],
    [
      typeof json === 'object' && json !== null && !Array.isArray(json),
      `the body must be a JSON object, not ${cite(came)}`,
    ],
  ]),
  'GW-ERROR-CODE': errorField('code'),
  'GW-ERROR-MESSAGE': errorField('message'),
  'GW-ERROR-REQUEST-ID': errorField('requestId'),
  'ST-RESPONSE-JSON': ofStorage(
    ({ received: { status, mediaType, json } }) => [
      [
        mediaType === 'application/json',
        `the Content-Type of the ${status} response must be application/json, not ${mediaType ?? 'none'}`,
      ],
      [json !== undefined, `the body of the ${status} response must be JSON`],
    ],
    ({ sent }) => sent.method === 'POST',
  ),
  'ST-ENVELOPE-STATUS-CODE': ofStorage(({ envelope }) => {
    const value = envelope?.statusCode;
    return [[typeof value === 'number', `statusCode must be a number, not ${show(value)}`]];
  }, isWrapped),
  'ST-ENVELOPE-SUCCESS': ofStorage(
    ({ envelope }) => {
      const value = envelope?.statusCode;
      return [[value === 200, `statusCode must be 200, not ${show(value)}`]];
    },
    (facts) => hasStatusCode(facts) && !isCopy(facts) && !isFailure(facts),
  ),
  'ST-COPY-STATUS-CODE': ofStorage(
    ({ envelope, received: { status } }) => {
      const value = envelope?.statusCode;
      const message = `statusCode must equal the HTTP status ${status}, but was ${show(value)}`;
      return [[value === status, message]];
    },
    (facts) => hasStatusCode(facts) && isCopy(facts),
  ),
  'ST-ENVELOPE-BODY': ofStorage(
    ({ envelope, body }) => [
      [
        body !== undefined,
        `body must be an object, not ${show(envelope?.body)}${isFlat(envelope) ? '; if responses are flat, the wire profile has to say so' : ''}`,
      ],
    ],
    isWrapped,
  ),
  'ST-ENVELOPE-REQUEST-ID': ofStorage(
    ({ body: { requestId = '' } = {} }) => [text('requestId', requestId)],
    hasBody,
  ),
  'ST-ENVELOPE-REQUEST-ID-PRESENT': ofStorage(
    ({ body }) => [present('the body should have the field requestId', body?.requestId)],
    hasBody,
  ),
  'ST-ENVELOPE-DATA': ofStorage(
    ({ body, data }) => [[data !== undefined, `data must be an object, not ${show(body?.data)}`]],
    (facts) => hasBody(facts) && !facts.refused,
  ),
  'ST-ENVELOPE-CODE': ofStorage(
    ({ body = {} }) => [
      text('code', body.code),
      [body.data === undefined, `data must be absent, but it was ${show(body.data)}`],
    ],
    (facts) => hasBody(facts) && facts.refused,
  ),
  'ST-ENVELOPE-MESSAGE': ofStorage(
    ({ body: { message = '' } = {} }) => [text('message', message)],
    hasBody,
  ),
  'ST-ENVELOPE-MESSAGE-PRESENT': ofStorage(
    ({ body }) => [present('the body should have the field message', body?.message)],
    (facts) => hasBody(facts) && facts.refused,
  ),
  'ST-META-URL': ofData('getUploadMetaData', ({ data: { url } = {} }) => {
    const isAbsolute =
      typeof url === 'string' && /^https?:\/\/[^/?#]/i.test(url) && URL.canParse(url);
    return [[isAbsolute, `url must be an absolute URL, not ${show(url)}`]];
  }),
  'ST-META-TOKEN': grantField('token'),
  'ST-META-AUTHORIZATION': grantField('authorization'),
  'ST-META-FILE-ID': grantField('fileID'),
  'ST-META-STORE-FILE-ID': ofData('getUploadMetaData', ({ data = {}, settings }) => {
    const { storeFileID } = settings.wireProfile;
    return [text(storeFileID, data[storeFileID])];
  }),
  'ST-LINKS-LIST': listOf('batchGetTempUrls'),
  'ST-LINKS-FILE-ID': idsOf('batchGetTempUrls'),
  'ST-LINKS-CODE': entryField('batchGetTempUrls', 'code'),
  'ST-LINKS-URL': entryField('batchGetTempUrls', 'tempFileURL'),
  'ST-DELETE-LIST': listOf('batchDelete'),
  'ST-DELETE-FILE-ID': idsOf('batchDelete'),
  'ST-DELETE-CODE': entryField('batchDelete', 'code'),
  'ST-COPY-LIST': listOf('batchCopyFile'),
  'ST-COPY-FILE-ID': ofData('batchCopyFile', ({ entries = [] }) =>
    entries.map(({ fileID = '' }) => text('fileID of an entry', fileID)),
  ),
  'ST-COPY-FILE-ID-PRESENT': ofData('batchCopyFile', ({ entries = [] }) =>
    entries
      .filter((entry) => !hasFailed(entry))
      .map(({ fileID }) => present('the entry should have a fileID', fileID)),
  ),
  'ST-COPY-FAILED': ofData('batchCopyFile', ({ entries = [] }) =>
    entries
      .filter(hasFailed)
      .flatMap(({ code, message }) => [text('code', code), text('message', message)]),
  ),
  'ST-COPY-SUCCEEDED': ofData('batchCopyFile', ({ entries = [] }) =>
    entries
      .filter((entry) => !hasFailed(entry))
      .flatMap(({ code, message }): Claim[] => [
        [code === undefined, `code must be absent, but it was ${show(code)}`],
        [message === undefined, `message must be absent, but it was ${show(message)}`],
      ]),
  ),
} satisfies Partial<Record<RuleId, ExchangeRule>>;

export type ExchangeRuleId = keyof typeof EXCHANGE_RULES;

/** Returns what a rule claims about an exchange, in which it is known to apply. */
export function claimsOf(
  rule: ExchangeRuleId,
  exchange: Exchange,
  settings: Facts['settings'],
): Claim[] {
  return EXCHANGE_RULES[rule].claims(toFacts(exchange, settings));
}

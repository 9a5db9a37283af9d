import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { type Api, toContract } from './contract/openapi.ts';
import { findRule } from './contract/rules.ts';
import { FIXTURE_INVARIANTS, readSentResponse } from './fixture-invariants.ts';
import type { SentenceId } from './generated/rule-ids.gen.ts';
import {
  type Exchange,
  isWebUrl,
  parseJson,
  type Received,
  readAll,
  type Sent,
} from './http/exchange.ts';
import { listDispositionTypes } from './http/media-type.ts';
import type { Settings } from './options.ts';
import type { Claim, Finding } from './result.ts';
import { ResponseValidator } from './validation/check-response.ts';
import { cite, show } from './validation/cite.ts';
import { hasFailed, isFailure, readReply, type StorageReply } from './validation/read-storage.ts';

/** A call to one of the operations, with what the invariants read from its response. */
export interface Facts extends StorageReply {
  readonly operationId: string;
  readonly settings: Pick<Settings, 'wireProfile' | 'service'>;
  readonly validator: ResponseValidator;
}

/**
 * Returns what a sentence claims about a response, or findings that name their place in a document; nothing if the
 * sentence is not about this response.
 */
type Invariant = (facts: Facts) => readonly (Claim | Finding)[];

const isGateway = ({ operationId }: Facts) => operationId.startsWith('cloudrun');

const isHandshake = (facts: Facts) =>
  isGateway(facts) && readAll(facts.sent.headers, 'upgrade').includes('websocket');

const CODES = new Set(defaults.gatewayErrors.map(({ code }) => code));

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

/** Returns the code in a body; `undefined` if it is not a text. */
export function codeOf({ json }: Received): string | undefined {
  const { code } = Object(json);
  return typeof code === 'string' ? code : undefined;
}

/** Returns whether a body looks like the gateway's error: an object with `code`, `message` or `requestId`. */
export function hasErrorBody({ json }: Received): boolean {
  const { code, message, requestId } = Object(json);
  return [code, message, requestId].some((value) => value !== undefined);
}

/**
 * Whether a response is certainly the gateway's own error. A hosted service may respond with any status and body, so a
 * code of the contract is required.
 */
function isOwnError(facts: Facts): boolean {
  const { received, settings } = facts;
  if (!isGateway(facts) || received.status < 400) return false;
  if (readSentResponse(facts) !== undefined) return false;
  // Only responses of hosted services have this header, if the deployment sends it at all.
  const { upstreamStatus } = settings.wireProfile.gatewayHeaders;
  if (received.header(upstreamStatus) !== undefined) return false;
  return isGatewayError(received) || CODES.has(Object(received.json).code);
}

/** An invalid request is rejected in the documented format, but never with a 5xx (D30). */
export function claimRefusal({ received, refused, code, envelope }: StorageReply): Claim[] {
  const { status } = received;
  const actual = envelope === undefined ? 'is not a JSON object' : 'has no code';
  const rejected = `the call must be rejected, but the response was ${status}`;
  return [
    [status < 500, `the call must be rejected with a status below 500, but it was ${status}`],
    [refused, rejected],
    [code !== undefined, `the ${status} response must be an envelope with a code, but ${actual}`],
  ];
}

/** Whether a response is certainly that of a hosted service, with content. */
function isOfService(facts: Facts): boolean {
  const { status } = facts.received;
  if (!isGateway(facts) || status < 200 || status === 204 || status === 304) return false;
  return status < 400 || (readSentResponse(facts) !== undefined && !isGatewayError(facts.received));
}

/** Rule C2: 'Text types are those whose Content-Type indicates …', compared without parameters. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

const isStream = ({ received }: Facts) => received.mediaType === 'text/event-stream';
const acceptsStream = ({ sent }: Facts) =>
  readAll(sent.headers, 'accept').some((value) => /text\/event-stream/i.test(value));

/** Which of the rules about `Content-Disposition` is about a response, if it is certain. */
function dispositionRule(facts: Facts): 'C1' | 'C2' | 'C3' | 'none' | undefined {
  const { sent, received } = facts;
  // The rules do not say whether a handshake that the service rejects is a GET.
  if (!isOfService(facts) || isHandshake(facts)) return undefined;
  if (isStream(facts)) return acceptsStream(facts) ? 'C3' : undefined;
  if (received.mediaType === undefined) return undefined;
  if (sent.method === 'GET') return 'C1';
  return TEXT_TYPES.includes(received.mediaType) ? 'none' : 'C2';
}

const dispositionInvariant =
  (
    rules: readonly ReturnType<typeof dispositionRule>[],
    claim: (facts: Facts) => Claim,
  ): Invariant =>
  (facts) =>
    rules.includes(dispositionRule(facts)) ? [claim(facts)] : [];

const dispositionClaim =
  (holds: (values: string[]) => boolean, expected: string) =>
  ({ received }: Facts): Claim => {
    const values = readAll(received.headers, 'content-disposition');
    const actual = values.map(cite).join(' and ') || 'none';
    return [holds(values), `Content-Disposition must be ${expected}, not ${actual}`];
  };

const isAttached = dispositionClaim(
  (values) => listDispositionTypes(values).includes('attachment'),
  'attachment',
);

const isNotAttached = dispositionClaim((values) => values.length === 0, 'absent');

const isNotInline = dispositionClaim(
  (values) => !listDispositionTypes(values).includes('inline'),
  'anything but inline',
);

const hasRequestId = ({ received }: Facts): Claim => [
  (received.header('x-request-id') ?? '').trim() !== '',
  'the response must have an X-Request-Id',
];

const isCopy = ({ operationId }: Facts) => operationId === 'batchCopyFile';

/** The items of a list call as sent, in either form of a request (D21). */
function itemsOf(sent: Sent): unknown[] | undefined {
  const { data, fileList = Object(data).fileList } = Object(parseJson(sent.body));
  return Array.isArray(fileList) ? fileList : undefined;
}

/** The file IDs in a list, for each entry or item. */
const listIds = (items: readonly unknown[]): string[] =>
  items
    .map((item) => (typeof item === 'string' ? item : Object(item).fileID))
    .filter((id) => typeof id === 'string');

/** What the schemas of the storage document leave to its descriptions. */
function claimEnvelope(facts: Facts): Claim[] {
  const { body, data, envelope, received, refused, operationId } = facts;
  const claims: Claim[] = [];
  if (body === undefined) return claims;
  if (refused) {
    claims.push([body.data === undefined, `data must be absent, but it was ${show(body.data)}`]);
  } else {
    const message = `data must be an object, not ${show(body.data)}`;
    claims.push([data !== undefined, message]);
  }
  const { statusCode } = envelope ?? {};
  if (facts.settings.wireProfile.envelope === 'wrapped' && typeof statusCode === 'number') {
    if (isCopy(facts)) {
      const message = `statusCode must equal the HTTP status ${received.status}, but was ${statusCode}`;
      claims.push([statusCode === received.status, message]);
    } else if (!isFailure(facts)) {
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
    return hasFailed(entry)
      ? [
          typeof value === 'string',
          `${field} of a failed item must be a string, not ${show(value)}`,
        ]
      : [value === undefined, `${field} must be absent, but it was ${show(value)}`];
  });
}

const present = (name: string, value: unknown): Claim => [
  (value ?? undefined) !== undefined,
  `the response should have the field ${name}`,
];

/** An invariant for storage responses that are envelopes. */
const ofEnvelopes =
  (check: (facts: Facts) => Claim[]): Invariant =>
  (facts) =>
    isGateway(facts) || facts.body === undefined ? [] : check(facts);

/** Sentences about single responses. They are checked for each response of a run to which they apply. */
export const INVARIANTS: Partial<Record<SentenceId, Invariant>> = {
  ...FIXTURE_INVARIANTS,
  'GW-C1': dispositionInvariant(['C1'], isAttached),
  'GW-C2/1': dispositionInvariant(['C2'], isAttached),
  'GW-C2/2': dispositionInvariant(['none'], isNotAttached),
  'GW-C3/1': dispositionInvariant(['C3'], isNotAttached),
  'GW-C3/2': (facts) => (facts.received.status === 101 ? [isNotAttached(facts)] : []),
  'GW-DISPOSITION-INLINE': dispositionInvariant(['C1', 'C2'], isNotInline),
  'GW-REQUEST-ID/1': (facts) => {
    const isFrom = isOfService(facts) || isOwnError(facts) || readSentResponse(facts);
    return isFrom && !isHandshake(facts) ? [hasRequestId(facts)] : [];
  },
  'GW-REQUEST-ID/2': (facts) => (isHandshake(facts) ? [hasRequestId(facts)] : []),
  'GW-ERROR/1': (facts) => (isOwnError(facts) ? checkSchema(facts, 'gateway') : []),
  'GW-ERROR/2': (facts) => {
    const header = facts.received.header('x-request-id');
    const { requestId } = Object(facts.received.json);
    if (!isOwnError(facts) || header === undefined || requestId === undefined) return [];
    const message = `requestId must equal X-Request-Id ${header}, not ${show(requestId)}`;
    return [[requestId === header, message]];
  },
  'ST-RESPONSE': (facts) =>
    isGateway(facts) ? [] : [...checkSchema(facts, 'storage'), ...claimEnvelope(facts)],
  'ST-LINKS-CALL': ({ operationId, entries = [] }) => {
    const linked = operationId === 'batchGetTempUrls' ? entries : [];
    return linked
      .filter(({ code }) => code === 'SUCCESS')
      .map(({ tempFileURL: url }): Claim => {
        const message = `the link of a file must be an absolute URL, not ${show(url)}`;
        return [isWebUrl(url), message];
      });
  },
  'ST-PRESENT/1': ofEnvelopes(({ body }) => [present('requestId', body?.requestId)]),
  'ST-PRESENT/2': ofEnvelopes(({ body, refused }) =>
    refused ? [present('message', body?.message)] : [],
  ),
  'ST-PRESENT/3': ofEnvelopes((facts) =>
    (isCopy(facts) ? (facts.entries ?? []) : [])
      .filter((entry) => !hasFailed(entry))
      .map(({ fileID }) => present('fileID in the entry of a copied file', fileID)),
  ),
  'ST-LISTS/1': ofEnvelopes(({ entries, sent }) => {
    const items = itemsOf(sent);
    if (!entries || !items) return [];
    const message = `data.fileList must have ${items.length} entries, but has ${entries.length}`;
    return [[entries.length === items.length, message]];
  }),
  'ST-LISTS/2': ofEnvelopes((facts) => {
    if (isCopy(facts) || !facts.entries) return [];
    const [actual, expected] = [listIds(facts.entries), listIds(itemsOf(facts.sent) ?? [])];
    const count = (ids: readonly string[], id: string) => ids.filter((one) => one === id).length;
    return [...new Set(expected)].map((id): Claim => {
      const counts = `${count(expected, id)} entries must have the fileID ${id}`;
      return [count(actual, id) === count(expected, id), `${counts}, but ${count(actual, id)} do`];
    });
  }),
};

/** Checks a response against the document of its operation. */
function checkSchema({ validator, operationId, received }: Facts, api: Api): (Claim | Finding)[] {
  const findings = validator.checkResponse({ api, operationId }, received);
  return findings.length > 0 ? findings : [[true, '']];
}

/** Maximum number of findings that are kept for each invariant. */
const MAX_FINDINGS = 20;

/** What the responses of a run show about one invariant. */
interface Observed {
  responses: number;
  violations: number;
  assertions: number;
  readonly findings: Finding[];
}

/** Checks every response of a run against the invariants. */
export class Observer {
  readonly #settings: Settings;
  readonly #validator: ResponseValidator;
  readonly #invariants: readonly (readonly [SentenceId, Invariant])[];
  readonly #toEvidence: (exchange: Exchange) => Partial<Finding>;
  readonly #observed = new Map<SentenceId, Observed>();

  /**
   * @param isSelected whether the operator has selected a sentence
   * @param toEvidence turns an exchange into what a finding shows of it
   */
  constructor(
    settings: Settings,
    isSelected: (id: SentenceId) => boolean,
    toEvidence: (exchange: Exchange) => Partial<Finding>,
  ) {
    this.#settings = settings;
    this.#validator = new ResponseValidator(toContract(settings.wireProfile));
    this.#toEvidence = toEvidence;
    const all = Object.entries(INVARIANTS) as [SentenceId, Invariant][];
    this.#invariants = all.filter(([id]) => isSelected(id));
  }

  /** Checks a response against all invariants that apply to it. */
  observe(exchange: Exchange): void {
    const operationId = this.#findOperation(exchange);
    if (operationId === undefined) return;
    const facts = this.#toFacts(exchange, operationId);
    for (const [id, invariant] of this.#invariants) this.#record(id, invariant(facts), facts);
  }

  /** Returns how a response violates the rules with level MUST, whatever the operator has selected. */
  validate(exchange: Exchange): Finding[] {
    const operationId = this.#findOperation(exchange);
    if (operationId === undefined) return [];
    const facts = this.#toFacts(exchange, operationId);
    const all = Object.entries(INVARIANTS) as [SentenceId, Invariant][];
    return all
      .filter(([id]) => findRule(id).level === 'must')
      .flatMap(([id, invariant]) => toFindings(id, invariant(facts)));
  }

  /** Returns what was observed; undefined if no response was one that the invariant is about. */
  resultOf(id: SentenceId): Observed | undefined {
    return this.#observed.get(id);
  }

  #toFacts(exchange: Exchange, operationId: string): Facts {
    const reply = readReply(exchange, this.#settings.wireProfile.envelope);
    return { ...reply, operationId, settings: this.#settings, validator: this.#validator };
  }

  #record(id: SentenceId, results: readonly (Claim | Finding)[], facts: Facts): void {
    // The sentence is not about this response.
    if (results.length === 0) return;
    const observed = this.#observed.get(id) ?? {
      responses: 0,
      violations: 0,
      assertions: 0,
      findings: [],
    };
    this.#observed.set(id, observed);
    const findings = toFindings(id, results);
    observed.responses += 1;
    observed.assertions += results.length;
    if (findings.length === 0) return;
    observed.violations += 1;
    for (const finding of findings) {
      if (observed.findings.length >= MAX_FINDINGS) return;
      observed.findings.push({ ...finding, ...this.#toEvidence(facts) });
    }
  }

  /** Returns the operation that a call is for; undefined for any other request. */
  #findOperation({ sent: { method, url } }: Exchange): string | undefined {
    const { gatewayUrl, storageUrl } = this.#settings;
    const [path = ''] = url.split('?', 1);
    const gateway = `${gatewayUrl.replace(/\/+$/, '')}/v1/cloudrun/`;
    if ((method === 'GET' || method === 'POST') && path.startsWith(gateway)) {
      const [name, ...rest] = path.slice(gateway.length).split('/');
      const isRoot = rest.join('/') === '';
      return name === '' ? undefined : `cloudrun-${method.toLowerCase()}${isRoot ? '-root' : ''}`;
    }
    const storage = `${storageUrl.replace(/\/+$/, '')}/api/v2/envs/`;
    if (method !== 'POST' || !path.startsWith(storage)) return undefined;
    const [, name = ''] = /^[^/]+\/storages:(\w+)$/.exec(path.slice(storage.length)) ?? [];
    return this.#validator.hasOperation('storage', name) ? name : undefined;
  }
}

function toFindings(id: SentenceId, results: readonly (Claim | Finding)[]): Finding[] {
  const where = findRule(id).places[0] ?? id;
  return results.flatMap((result): Finding[] => {
    if ('message' in result) return [result];
    return result[0] ? [] : [{ message: result[1], where }];
  });
}

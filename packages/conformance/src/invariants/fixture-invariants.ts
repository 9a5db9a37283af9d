import { createHash } from 'node:crypto';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type Exchange, type HeaderList, readAll, splitTarget } from '../http/exchange.ts';
import { toMediaType } from '../http/media-type.ts';
import type { Settings } from '../options.ts';
import { type Claim, cite, claimEach, claimSameHeaders } from '../validation/claims.ts';
import { type Echo, readEcho } from '../validation/read-gateway.ts';

export interface FixtureFacts extends Exchange {
  readonly settings: Pick<Settings, 'service'>;
}

/** What follows `/v1/cloudrun/` and the name of the service in the path of a call; empty if they are not in it. */
function readAnyPath({ sent, settings }: FixtureFacts): string {
  const { pathname } = splitTarget(sent.url);
  const prefix = `/v1/cloudrun/${settings.service}`;
  const start = pathname.indexOf(prefix);
  return start < 0 ? '' : pathname.slice(start + prefix.length);
}

/** What the fixture service sent, read from the request for it: `/respond?status=404&header=…`. */
interface SentResponse {
  status: number;
  headers: HeaderList;
  /** Absent if the request does not say what it is: `/events`, `/socket`. */
  body?: () => Buffer;
}

/** Statuses with which a gateway may reject any call itself. */
const ANY_TIME = [401, 429];

/** Returns what the fixture service sent, if a response is certainly that one. */
export function readSentResponse(facts: FixtureFacts): SentResponse | undefined {
  const { sent, received } = facts;
  const query = new URLSearchParams(splitTarget(sent.url).search);
  const response = toSentResponse(readAnyPath(facts), query);
  if (response?.status !== received.status || readEcho(facts) !== undefined) return undefined;
  if (!ANY_TIME.includes(received.status)) return response;
  // A refusal of the gateway, or of a proxy in front of it, does not have the service's ETag.
  const [, tag] = response.headers.find(([name]) => name.toLowerCase() === 'etag') ?? [];
  const isRefusal = Object(received.json).requestId !== undefined;
  return tag !== undefined && received.header('etag') === tag && !isRefusal ? response : undefined;
}

function toSentResponse(anyPath: string, query: URLSearchParams): SentResponse | undefined {
  const type = query.get('type') ?? (anyPath === '/events' ? 'text/event-stream' : null);
  const headers = [...query.getAll('header'), ...(type === null ? [] : [`Content-Type:${type}`])]
    .map((line) => /^([^:]*):?(.*)$/s.exec(line) ?? [])
    .map(([, name = '', value = '']): [string, string] => [name, value]);
  if (anyPath === '/events') return { status: 200, headers };
  if (anyPath === '/socket') return { status: Number(query.get('refuse') ?? 101), headers };
  if (anyPath !== '/respond') return undefined;
  const status = Number(query.get('status') ?? 200);
  return { status, headers, body: () => toBody(status, query) };
}

function toBody(status: number, query: URLSearchParams): Buffer {
  if (status === 204 || status === 304) return Buffer.alloc(0);
  const size = query.get('size');
  const text = query.get('body');
  if (text !== null) return Buffer.from(text);
  if (size === null) return Buffer.from(query.get('body64') ?? '', 'base64url');
  return Buffer.from(Uint8Array.from({ length: Number(size) }, (_, index) => index % 251));
}

/** Returns the names of hop-by-hop headers, which include those listed in `Connection`. */
function listHops(headers: HeaderList): string[] {
  const listed = readAll(headers, 'connection').join().toLowerCase().split(',');
  const names = ['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade'];
  return [...names, ...listed.map((name) => name.trim())];
}

const REPLACED = ['x-request-id', 'content-disposition'];

/** See `Invariant`. */
type FixtureInvariant = (facts: FixtureFacts) => Claim[] | undefined;

const ofResponses =
  (check: (sent: SentResponse, facts: FixtureFacts) => Claim[] | undefined): FixtureInvariant =>
  (facts) => {
    const sent = readSentResponse(facts);
    return sent && check(sent, facts);
  };

const ofEchoes =
  (check: (echo: Echo, facts: FixtureFacts) => Claim[] | undefined): FixtureInvariant =>
  (facts) => {
    const echo = readEcho(facts);
    return echo && check(echo, facts);
  };

const STREAM = 'text/event-stream';

const claimBody = ({ body }: SentResponse, { received }: Exchange): Claim[] | undefined => {
  if (body === undefined) return undefined;
  const expected = body();
  const actual = received.body;
  const at = expected.findIndex((byte, index) => byte !== actual[index]);
  const difference = at < 0 || at >= actual.length ? '' : `, which differ from offset ${at} on`;
  const message = `the caller must receive the ${expected.length} bytes that the service sent, but received ${actual.length} bytes${difference}`;
  return [[expected.equals(actual), message]];
};

/** Returns the number of the sentence of GW-PATH that is about a path. */
function sentenceOf(anyPath: string): number {
  if (anyPath === '') return 2;
  if (anyPath === '/') return 3;
  if (anyPath.includes('//')) return 6;
  if (anyPath.includes('%')) return 5;
  return anyPath.lastIndexOf('/') > 0 ? 4 : 1;
}

const ofPath = (sentence: number): FixtureInvariant =>
  ofEchoes(({ target }, facts) => {
    if (sentenceOf(readAnyPath(facts)) !== sentence) return undefined;
    const expected = readAnyPath(facts) || '/';
    const { pathname } = splitTarget(target);
    const message = `the service must receive the path ${expected}, but received ${pathname}`;
    return [[pathname === expected, message]];
  });

export const FIXTURE_INVARIANTS = {
  'GW-PATH/1': ofPath(1),
  'GW-PATH/2': ofPath(2),
  'GW-PATH/3': ofPath(3),
  'GW-PATH/4': ofPath(4),
  'GW-PATH/5': ofPath(5),
  'GW-PATH/6': ofPath(6),
  'GW-QUERY-RAW': ofEchoes(({ target }, { sent }) => {
    const [expected = '', actual] = [sent.url, target].map((url) => splitTarget(url).search);
    const message = `the service must receive the query ${expected}, but received ${actual || 'none'}`;
    return expected === '' ? undefined : [[actual === expected, message]];
  }),
  'GW-FORWARD-METHOD': ofEchoes(({ method }, { sent }) => [
    [method === sent.method, `the service must receive a ${sent.method}, but received a ${method}`],
  ]),
  'GW-FORWARD-BODY': ofEchoes(({ body: { size, sha256 } }, { sent }) => {
    if (sent.method !== 'POST') return undefined;
    const message = `the service must receive the body unchanged, but its ${sent.body.length} bytes arrived as ${size} bytes with the SHA-256 ${sha256}`;
    return [[sha256 === createHash('sha256').update(sent.body).digest('hex'), message]];
  }),
  'GW-BODY': ofResponses(claimBody),
  'GW-SSE': ofResponses((sent, facts) => {
    const { mediaType } = facts.received;
    if (toMediaType(readAll(sent.headers, 'content-type').join()) !== STREAM) return undefined;
    const message = `the content type must be ${STREAM}, not ${cite(mediaType)}`;
    return [[mediaType === STREAM, message], ...(claimBody(sent, facts) ?? [])];
  }),
  'GW-HEADERS': ofResponses(({ headers }, { received }) => {
    const names = [...listHops(headers), ...REPLACED];
    const forwarded = headers.filter(([name]) => !names.includes(name.toLowerCase()));
    return forwarded.length === 0 ? undefined : claimSameHeaders(forwarded, received.headers);
  }),
  'GW-HOP-BY-HOP': ofResponses(({ headers }, { received }) => {
    const hops = listHops(headers);
    // An empty value cannot be told from one that the gateway sends itself.
    const sent = headers.filter(
      ([name, value]) => hops.includes(name.toLowerCase()) && value.trim() !== '',
    );
    return claimEach(sent, ([name, value]) => {
      const actual = readAll(received.headers, name).join(', ');
      // The gateway has a `Connection` header of its own, unrelated to the names that the service listed.
      const isConnection = name.toLowerCase() === 'connection';
      const isKept = isConnection ? /x-conformance/i.test(actual) : actual.includes(value.trim());
      return [!isKept, `the service's ${name} must not reach the caller, but it did: ${actual}`];
    });
  }),
  'GW-REQUEST-ID-NEW/2': ofResponses(({ headers }, { received }) => {
    const ofService = readAll(headers, 'x-request-id');
    const actual = readAll(received.headers, 'x-request-id');
    if (ofService.length === 0 || actual.length === 0) return undefined;
    const isReplaced =
      actual.length === 1 && !ofService.some((id) => actual[0]?.includes(id.trim()));
    const message = `X-Request-Id must have exactly one value, set by the gateway, but was ${actual.join(' and ')}`;
    return [[isReplaced, message]];
  }),
} satisfies Partial<Record<SentenceId, FixtureInvariant>>;

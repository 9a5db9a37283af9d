import { setTimeout as wait } from 'node:timers/promises';
import { toRefusal } from '../mutants/hooks/gateway.ts';
import { toStorageRefusal } from '../mutants/hooks/storage.ts';
import type { Headers, Hooks, MutatedRequest } from '../proxy/messages.ts';
import type { Variants } from './combine.ts';

const headers = (change: (headers: Headers) => void): Hooks => ({
  response: (response) => change(response.headers),
});

/** Rejects one of this many calls with 429; the gateway names a date, and the storage API a number of seconds. */
const limited = (share: number) => () => {
  let count = 0;
  return {
    request({ isGateway, isHandshake, operation }: MutatedRequest) {
      if (isHandshake || !(isGateway || operation) || ++count % share !== 0) return;
      const create = isGateway ? toRefusal : toStorageRefusal;
      const response = create(429, 'EXCEED_RATELIMIT');
      const date = new Date(Date.now() + 500).toUTCString();
      response.headers.set('Retry-After', isGateway ? date : '1');
      return response;
    },
  };
};

/** Counts responses, and delays one of this many. */
const slow = (share: number, milliseconds: number) => () => {
  let count = 0;
  return {
    async response({ headers }: { headers: Headers }) {
      count += 1;
      if (count % share !== 0) return;
      await wait(milliseconds);
      headers.add('Server-Timing', `queue;dur=${milliseconds}`);
    },
  };
};

export const everywhere: Variants = {
  // D7: HTTP allows an intermediary to add or replace these headers.
  'headers of an intermediary are added': headers((all) => {
    all.add('Via', '1.1 edge-7 (proxy)');
    all.add('Age', '0');
    all.add('Alt-Svc', 'h3=":443"; ma=86400');
    all.set('Server', 'edge');
    all.set('Strict-Transport-Security', 'max-age=31536000');
  }),
  // RFC 9110, section 5.1: field names are case-insensitive.
  'header names are lower case': headers((all) => {
    all.list = all.list.map(([name, value]) => [name.toLowerCase(), value]);
  }),
  // D7; RFC 9110, section 8.3.1: type and subtype are case-insensitive.
  'media types are written as Application/JSON; Charset': headers((all) => {
    const [type = '', ...parameters] = (all.get('content-type') ?? '').split(/\s*;\s*/);
    if (type === '' || type.startsWith('multipart/') || /["%]/.test(parameters.join())) return;
    const spelled = type
      .replaceAll(/(^|[/+])[a-z]/g, (one) => one.toUpperCase())
      .replace('Json', 'JSON');
    all.set('Content-Type', [spelled, ...parameters].join('; '));
  }),
  // RFC 9112, section 7.1: chunks instead of a length; D7: framing is not checked.
  'bodies are sent in chunks of a few bytes': {
    response(response) {
      response.chunkBytes = 61;
    },
  },
  // RFC 9112, section 9.6: either side may close.
  'each connection is closed after its response': {
    response(response) {
      if (response.status !== 101) response.headers.set('Connection', 'close');
    },
  },
  // RFC 8297; RFC 9110, section 15.2: a client accepts unexpected 1xx responses.
  'a 103 precedes each response': {
    response(response) {
      response.early = { link: '</style.css>; rel=preload; as=style' };
    },
  },
  // RFC 9110, section 10.2.3: seconds or a date. Rate limits are not specified.
  'every 60th call gets 429 with Retry-After': limited(60),
  // D13: only a response that does not begin within 60 s is an error.
  'some responses are slow': slow(50, 250),
};

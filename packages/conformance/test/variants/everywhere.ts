import type { Headers } from '../proxy/messages.ts';
import { allow, oneOf, type Variant } from './variant.ts';

/** Changes the headers of every response, including those of a WebSocket handshake. */
const ofAll = (change: (headers: Headers) => void) => ({
  response: ({ headers }: { headers: Headers }) => change(headers),
  upgraded: ({ headers }: { headers: Headers }) => change(headers),
});
const adding = (name: string, value: string) => ofAll((headers) => headers.add(name, value));

/** Replaces each media type with an equivalent spelling. */
const typedAs = (write: (type: string, parameters: readonly [string, string][]) => string) =>
  ofAll((headers) => {
    const [type = '', ...rest] = (headers.get('content-type') ?? '').split(/\s*;\s*/);
    if (type === '' || type.startsWith('multipart/') || /["%]/.test(rest.join())) return;
    const parameters = rest.map((one) => one.split('=') as [string, string]);
    headers.set('Content-Type', write(type, parameters));
  });

const spell = (change: (name: string) => string) =>
  ofAll((headers) => {
    headers.list = headers.list.map(([name, value]) => [change(name), value]);
  });

const INTERMEDIARY = 'D7: what HTTP lets every intermediary add or rewrite is not checked';

/** Variants that a deployment may apply to each of its responses. */
export const everywhere: readonly Variant[] = [
  ...allow(INTERMEDIARY, {
    'Via is added': adding('Via', '1.1 edge-7 (proxy)'),
  }),
  ...oneOf('names', 'RFC 9110, section 5.1: field names are case-insensitive', {
    'header names are lower case': spell((name) => name.toLowerCase()),
  }),
  ...oneOf('media types', 'D7; RFC 9110, section 8.3.1: type and subtype are case-insensitive', {
    'media types are written as Application/JSON': typedAs((type, parameters) =>
      [
        type.replaceAll(/(^|[/+])[a-z]/g, (one) => one.toUpperCase()).replace('Json', 'JSON'),
        ...parameters.map((one) => one.join('=')),
      ].join('; '),
    ),
  }),
  ...oneOf(
    'framing',
    'RFC 9112, section 7.1: chunks instead of a length; D7: framing is not checked',
    {
      'bodies are sent in chunks of a few bytes': { chunkBytes: 61 },
    },
  ),
  ...allow('RFC 9112, section 9.6: either side may close', {
    'each connection is closed after its response': {
      response: ({ headers }) => headers.set('Connection', 'close'),
    },
  }),
  ...oneOf('1xx', 'RFC 8297; RFC 9110, section 15.2: a client accepts unexpected 1xx responses', {
    'a 103 precedes each response': {
      early: (outgoing) =>
        outgoing.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' }),
    },
  }),
];

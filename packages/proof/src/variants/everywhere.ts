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
  ...oneOf('Server', INTERMEDIARY, {
    'Server is replaced': ofAll((headers) => headers.set('Server', 'nginx/1.27.2')),
    'Server is removed': ofAll((headers) => headers.remove('Server')),
    'a second product is added to Server': ofAll((headers) =>
      headers.set('Server', `${headers.get('Server') ?? 'edge'} (proxied)`),
    ),
  }),
  ...allow(INTERMEDIARY, {
    'Via is added': adding('Via', '1.1 edge-7 (proxy)'),
    'Age is added': adding('Age', '0'),
    'Alt-Svc is added': adding('Alt-Svc', 'h3=":443"; ma=86400'),
    'Strict-Transport-Security is added': adding(
      'Strict-Transport-Security',
      'max-age=31536000; includeSubDomains',
    ),
    'Date is that of the intermediary': ofAll((headers) =>
      headers.set('Date', new Date(Date.now() - 2000).toUTCString()),
    ),
  }),
  ...oneOf('Vary', INTERMEDIARY, {
    'Origin is added to Vary, in a separate header line': adding('Vary', 'Origin'),
    'members are added to Vary, in lower case': ofAll((headers) => {
      const own = headers.get('Vary')?.toLowerCase().replaceAll(', ', ',');
      headers.set('Vary', ['origin,accept-encoding', own].filter(Boolean).join(','));
    }),
  }),
  ...oneOf('CORS', 'D7, D11: CORS is up to each deployment', {
    'CORS headers are added': ofAll((headers) => {
      headers.set('Access-Control-Allow-Origin', 'https://app.example');
      headers.set('Access-Control-Allow-Credentials', 'true');
      headers.set('Access-Control-Expose-Headers', 'X-Request-Id');
    }),
  }),
  ...oneOf('CORS', 'D11: CORS is up to each deployment', {
    'CORS is missing': ofAll((headers) => {
      headers.list = headers.list.filter(([name]) => !/^access-control-/i.test(name));
    }),
  }),
  ...allow("D7: the service's headers still pass unchanged", {
    'unrequested headers are added': ofAll((headers) => {
      headers.add('X-Frame-Options', 'DENY');
      headers.add('X-Content-Type-Options', 'nosniff');
      headers.add('Server-Timing', 'edge;dur=1.2');
      headers.add('X-Cache', 'MISS from edge-7');
    }),
    'a cookie of the load balancer is added': adding('Set-Cookie', 'lb=7; Path=/; HttpOnly'),
  }),
  ...oneOf('names', 'RFC 9110, section 5.1: field names are case-insensitive', {
    'header names are lower case': spell((name) => name.toLowerCase()),
    'header names are upper case': spell((name) => name.toUpperCase()),
  }),
  ...oneOf('media types', 'D7; RFC 9110, section 8.3.1: type and subtype are case-insensitive', {
    'media types are written as Application/JSON': typedAs((type, parameters) =>
      [
        type.replaceAll(/(^|[/+])[a-z]/g, (one) => one.toUpperCase()).replace('Json', 'JSON'),
        ...parameters.map((one) => one.join('=')),
      ].join('; '),
    ),
  }),
  ...oneOf('media types', 'RFC 9110, section 5.6.6: a value may be a token or a quoted string', {
    'parameters of media types are quoted': typedAs((type, parameters) =>
      [type, ...parameters.map(([name, value]) => `${name}="${value}"`)].join(';'),
    ),
  }),
  ...oneOf(
    'media types',
    'RFC 9110, section 5.6.6: names are case-insensitive, and white space is allowed around ";"',
    {
      'parameter names are upper case, with spaces around the semicolons': typedAs(
        (type, parameters) =>
          [type, ...parameters.map(([name, value]) => `${name.toUpperCase()}=${value}`)].join(
            '  ;  ',
          ),
      ),
    },
  ),
  ...oneOf(
    'framing',
    'RFC 9112, section 7.1: chunks instead of a length; D7: framing is not checked',
    {
      'bodies are chunked': { chunkBytes: 1337 },
      'bodies are sent in chunks of a few bytes': { chunkBytes: 61 },
    },
  ),
  ...allow('RFC 9112, section 9.6: either side may close', {
    'each connection is closed after its response': {
      response: ({ headers }) => headers.set('Connection', 'close'),
    },
    'each connection is closed after its second response': () => {
      const used = new WeakSet<object>();
      return {
        response({ headers }, { connection }) {
          if (used.has(connection)) headers.set('Connection', 'close');
          used.add(connection);
        },
      };
    },
  }),
  ...oneOf('1xx', 'RFC 8297; RFC 9110, section 15.2: a client accepts unexpected 1xx responses', {
    'a 103 precedes each response': {
      early: (outgoing) =>
        outgoing.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' }),
    },
  }),
  ...oneOf('1xx', 'RFC 9110, section 15.2: a client accepts unexpected 1xx responses', {
    'a 100 and a 102 precede each response': {
      early(outgoing) {
        outgoing.writeContinue();
        outgoing.writeProcessing();
      },
    },
  }),
  ...allow('RFC 9112, section 4: a client ignores them', {
    'reason phrases differ': {
      early(outgoing) {
        outgoing.statusMessage = 'As You Like It';
      },
    },
  }),
];

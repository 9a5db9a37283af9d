import type { Headers } from '../proxy/messages.ts';
import { type Variant, variant } from './variant.ts';

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
  variant(
    'Server is replaced',
    INTERMEDIARY,
    ofAll((headers) => headers.set('Server', 'nginx/1.27.2')),
    { aspect: 'Server' },
  ),
  variant(
    'Server is removed',
    INTERMEDIARY,
    ofAll((headers) => headers.remove('Server')),
    { aspect: 'Server' },
  ),
  variant(
    'a second product is added to Server',
    INTERMEDIARY,
    ofAll((headers) => headers.set('Server', `${headers.get('Server') ?? 'edge'} (proxied)`)),
    { aspect: 'Server' },
  ),
  variant('Via is added', INTERMEDIARY, adding('Via', '1.1 edge-7 (proxy)')),
  variant('Age is added', INTERMEDIARY, adding('Age', '0')),
  variant('Alt-Svc is added', INTERMEDIARY, adding('Alt-Svc', 'h3=":443"; ma=86400')),
  variant(
    'Strict-Transport-Security is added',
    INTERMEDIARY,
    adding('Strict-Transport-Security', 'max-age=31536000; includeSubDomains'),
  ),
  variant(
    'Date is that of the intermediary',
    INTERMEDIARY,
    ofAll((headers) => headers.set('Date', new Date(Date.now() - 2000).toUTCString())),
  ),
  variant(
    'Origin is added to Vary, in a separate header line',
    INTERMEDIARY,
    adding('Vary', 'Origin'),
    {
      aspect: 'Vary',
    },
  ),
  variant(
    'members are added to Vary, in lower case',
    INTERMEDIARY,
    ofAll((headers) => {
      const own = headers.get('Vary')?.toLowerCase().replaceAll(', ', ',');
      headers.set('Vary', ['origin,accept-encoding', own].filter(Boolean).join(','));
    }),
    { aspect: 'Vary' },
  ),
  variant(
    'CORS headers are added',
    'D7, D11: CORS is up to each deployment',
    ofAll((headers) => {
      headers.set('Access-Control-Allow-Origin', 'https://app.example');
      headers.set('Access-Control-Allow-Credentials', 'true');
      headers.set('Access-Control-Expose-Headers', 'X-Request-Id');
    }),
    { aspect: 'CORS' },
  ),
  variant(
    'CORS is missing',
    'D11: CORS is up to each deployment',
    ofAll((headers) => {
      headers.list = headers.list.filter(([name]) => !/^access-control-/i.test(name));
    }),
    { aspect: 'CORS' },
  ),
  variant(
    'unrequested headers are added',
    "D7: the service's headers still pass unchanged",
    ofAll((headers) => {
      headers.add('X-Frame-Options', 'DENY');
      headers.add('X-Content-Type-Options', 'nosniff');
      headers.add('Server-Timing', 'edge;dur=1.2');
      headers.add('X-Cache', 'MISS from edge-7');
    }),
  ),
  variant(
    'a cookie of the load balancer is added',
    "D7: the service's headers still pass unchanged",
    adding('Set-Cookie', 'lb=7; Path=/; HttpOnly'),
  ),
  variant(
    'header names are lower case',
    'RFC 9110, section 5.1: field names are case-insensitive',
    spell((name) => name.toLowerCase()),
    { aspect: 'names' },
  ),
  variant(
    'header names are upper case',
    'RFC 9110, section 5.1: field names are case-insensitive',
    spell((name) => name.toUpperCase()),
    { aspect: 'names' },
  ),
  variant(
    'media types are written as Application/JSON',
    'D7; RFC 9110, section 8.3.1: type and subtype are case-insensitive',
    typedAs((type, parameters) =>
      [
        type.replaceAll(/(^|[/+])[a-z]/g, (one) => one.toUpperCase()).replace('Json', 'JSON'),
        ...parameters.map((one) => one.join('=')),
      ].join('; '),
    ),
    { aspect: 'media types' },
  ),
  variant(
    'parameters of media types are quoted',
    'RFC 9110, section 5.6.6: a value may be a token or a quoted string',
    typedAs((type, parameters) =>
      [type, ...parameters.map(([name, value]) => `${name}="${value}"`)].join(';'),
    ),
    { aspect: 'media types' },
  ),
  variant(
    'parameter names are upper case, with spaces around the semicolons',
    'RFC 9110, section 5.6.6: names are case-insensitive, and white space is allowed around ";"',
    typedAs((type, parameters) =>
      [type, ...parameters.map(([name, value]) => `${name.toUpperCase()}=${value}`)].join('  ;  '),
    ),
    { aspect: 'media types' },
  ),
  variant(
    'bodies are chunked',
    'RFC 9112, section 7.1: chunks instead of a length; D7: framing is not checked',
    { chunkBytes: 1337 },
    { aspect: 'framing' },
  ),
  variant(
    'bodies are sent in chunks of a few bytes',
    'RFC 9112, section 7.1: chunks instead of a length; D7: framing is not checked',
    { chunkBytes: 61 },
    { aspect: 'framing' },
  ),
  variant(
    'each connection is closed after its response',
    'RFC 9112, section 9.6: either side may close',
    { response: ({ headers }) => headers.set('Connection', 'close') },
  ),
  variant(
    'each connection is closed after its second response',
    'RFC 9112, section 9.6: either side may close',
    () => {
      const used = new WeakSet<object>();
      return {
        response({ headers }, { connection }) {
          if (used.has(connection)) headers.set('Connection', 'close');
          used.add(connection);
        },
      };
    },
  ),
  variant(
    'a 103 precedes each response',
    'RFC 8297; RFC 9110, section 15.2: a client accepts unexpected 1xx responses',
    {
      early: (outgoing) =>
        outgoing.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' }),
    },
    { aspect: '1xx' },
  ),
  variant(
    'a 100 and a 102 precede each response',
    'RFC 9110, section 15.2: a client accepts unexpected 1xx responses',
    {
      early(outgoing) {
        outgoing.writeContinue();
        outgoing.writeProcessing();
      },
    },
    { aspect: '1xx' },
  ),
  variant('reason phrases differ', 'RFC 9112, section 4: a client ignores them', {
    early(outgoing) {
      outgoing.statusMessage = 'As You Like It';
    },
  }),
];

import type { RuleId } from '../../../../conformance/src/generated/rule-ids.gen.ts';
import type { MutatedRequest } from '../../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import {
  keepHeaders,
  passHeader,
  removeHeader,
  rewriteHeaders,
  serviceResponse,
  setHeader,
  statuses,
  valuesOfService,
} from '../support/gateway.ts';

/** The names in the service's `Connection` header. */
const connectionNames = (request: MutatedRequest) =>
  valuesOfService(request, 'Connection')
    .join(',')
    .split(',')
    .map((name) => name.trim());

/** Mutants that forward hop-by-hop headers. */
export const hops: readonly Mutant[] = [
  ...mutantsOf('GW-HOP-BY-HOP', {
    'a header named in Connection in another case passes': serviceResponse(
      {},
      ({ headers }, request) => {
        const sent = new URLSearchParams(request.query).getAll('header');
        for (const name of connectionNames(request)) {
          for (const [key, value = ''] of sent.map((line) => line.split(/:\s*/))) {
            if (key && key !== name && key.toLowerCase() === name.toLowerCase())
              headers.add(key, value);
          }
        }
      },
    ),
    'only the first header named in Connection is removed': serviceResponse(
      {},
      (response, request) => {
        for (const name of connectionNames(request).slice(1))
          if (!/^(keep-alive|close)$/i.test(name)) passHeader(name, 'add')(response, request);
      },
    ),
  }),
  ...['Keep-Alive', 'Proxy-Connection', 'TE', 'Upgrade'].map((name) =>
    mutant('GW-HOP-BY-HOP', `${name} passes`, serviceResponse({}, passHeader(name))),
  ),
  mutant(
    'GW-HOP-BY-HOP',
    'headers named in Connection pass with an error',
    serviceResponse({ status: statuses(4, 5) }, (response, request) => {
      for (const name of connectionNames(request)) passHeader(name, 'add')(response, request);
    }),
  ),
];

const RULE: RuleId = 'GW-HEADERS';

const charset = (type: string) =>
  serviceResponse({ contentType: type }, setHeader('Content-Type', `${type}; charset=utf-8`));

const OWN = /^(content-|x-request-id|x-svc|date|connection)/i;

/** Mutants that change response headers, as some real gateways do. */
export const responseHeaders: readonly Mutant[] = [
  ...mutantsOf(RULE, {
    'cookies are joined into one header': serviceResponse(
      {},
      setHeader('Set-Cookie', (cookies) => cookies || undefined),
    ),
    'only the first of a repeated header is kept': serviceResponse({}, ({ headers }) => {
      for (const name of new Set(headers.list.map(([key]) => key.toLowerCase()))) {
        const [first = '', ...more] = headers.all(name);
        if (more.length > 0 && name !== 'content-disposition') headers.set(name, first);
      }
    }),
    'JSON gets a charset': charset('application/json'),
    'text/html gets a charset': charset('text/html'),
    'a strong ETag becomes a weak one': serviceResponse(
      {},
      rewriteHeaders(/^etag$/i, (value) => value.replace(/^"/, 'W/"')),
    ),
    'Location is made absolute': ({ publicUrl }) =>
      serviceResponse(
        {},
        rewriteHeaders(/^location$/i, (value) => value.replace(/^\//, `${publicUrl}/`)),
      ),
    'headers of a service error are lost': serviceResponse(
      { status: statuses(4, 5) },
      keepHeaders((name) => OWN.test(name)),
    ),
    'headers with an empty value are lost': serviceResponse(
      {},
      keepHeaders((_, value) => value !== ''),
    ),
    'Cache-Control of a POST becomes no-store': serviceResponse(
      { method: 'POST' },
      rewriteHeaders(/^cache-control$/i, () => 'no-store'),
    ),
    'a long value is truncated': serviceResponse(
      {},
      rewriteHeaders(/^/, (value) => value.slice(0, 1_000)),
    ),
    'values of unknown headers are lower-cased': serviceResponse(
      {},
      rewriteHeaders(/^x-(?!request-id)/i, (value) => value.toLowerCase()),
    ),
  }),
  ...[
    ...['Set-Cookie', 'WWW-Authenticate', 'Last-Modified', 'Link', 'Vary', 'X-Powered-By'],
    ...['Retry-After', 'Content-Language'],
  ].map((name) => mutant(RULE, `${name} is lost`, serviceResponse({}, removeHeader(name)))),
];

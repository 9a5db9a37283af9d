import type { RuleId } from '../../../../conformance/src/generated/rule-ids.gen.ts';
import type { MutatedRequest } from '../../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import {
  acceptIfSignedFor,
  acceptSigned,
  isSigned,
  readSignature,
  rejectSigned,
  signedNames,
} from '../support/credentials.ts';
import { callAgain, gatewayResponse } from '../support/gateway.ts';
import { readsRequests } from '../support/storage.ts';

/** Accepts what only this verifier accepts. */
const lax = (rule: RuleId, breaks: string, given: Parameters<typeof acceptIfSignedFor>[0]) =>
  mutant(rule, breaks, acceptIfSignedFor(given));

/** Rejects what only this verifier rejects. */
const strict = (rule: RuleId, breaks: string, ...given: Parameters<typeof rejectSigned>) =>
  mutant(rule, breaks, rejectSigned(...given));

const isUsual = (name: string) => /^(content-type|host)$/i.test(name);
const sorted = (query: string) => query.split('&').sort().join('&');
const isMultipart = ({ headers }: MutatedRequest) =>
  /^multipart/.test(headers.get('Content-Type') ?? '');

/** Returns the unescaped text, or the text as is if its escapes are not UTF-8. */
function decoded(text: string, decode: (text: string) => string): string {
  try {
    return decode(text);
  } catch {
    return text;
  }
}

/** Mutants that verify signatures too laxly or too strictly. */
export const signatures: readonly Mutant[] = [
  ...['Credential', 'SignedHeaders', 'Signature', 'Timestamp'].map((part) =>
    mutant(
      'AU-TC3-FORM',
      `the part ${part} may be missing`,
      acceptSigned((_, __, parts) => parts[part] === undefined),
    ),
  ),
  strict(
    'AU-TC3-FORM',
    'a header without a signature gets 500',
    (_, parts) => !parts.Signature,
    500,
  ),
  mutant(
    'AU-TC3-KEY',
    'the secret is not checked',
    acceptSigned((_, { keyPair }, { Credential }) => Credential?.startsWith(keyPair.id)),
  ),
  lax('AU-TC3-KEY', 'the key ID is not checked', (_, { keyPair }) => ({ secret: keyPair.secret })),
  lax('AU-TC3-KEY', 'another service name in the scope is accepted', { service: 'svc' }),
  lax('AU-TC3-KEY', 'the date of the scope is that of the timestamp', (request) => {
    const seconds = Number(readSignature(request)?.Timestamp);
    return { date: new Date(seconds * 1_000).toISOString().slice(0, 10) };
  }),
  mutant(
    'AU-TC3-TIMESTAMP',
    'a timestamp a little later than the signed one is accepted',
    acceptSigned((request, context, { Timestamp }) =>
      [1, 2, 5, 10, 30, 60].some((seconds) =>
        isSigned(request, context, { timestamp: Number(Timestamp) - seconds }),
      ),
    ),
  ),
  lax('AU-TC3-METHOD', 'a signature of GET is accepted for POST', { method: 'GET' }),
  lax('AU-TC3-METHOD', 'a signature of POST is accepted for GET', ({ method }) =>
    method === 'GET' ? { method: 'POST' } : undefined,
  ),
  mutant(
    'AU-TC3-PATH',
    'a trailing slash is not signed',
    acceptSigned((request, context) =>
      [request.path.replace(/\/$/, ''), `${request.path}/`].some((path) =>
        isSigned(request, context, { path }),
      ),
    ),
  ),
  lax('AU-TC3-PATH', 'the path is lower-cased before it is signed', ({ path }) => ({
    path: path.toLowerCase(),
  })),
  mutant(
    'AU-TC3-PATH',
    'the path is decoded before it is signed',
    acceptSigned((request, context) =>
      [decodeURI, decodeURIComponent].some((decode) =>
        isSigned(request, context, { path: decoded(request.path, decode) }),
      ),
    ),
  ),
  strict('AU-TC3-PATH', 'a signature of a path with escapes is rejected', ({ path }) =>
    path.includes('%'),
  ),
  strict('AU-TC3-PATH', 'a signature of a path with two slashes is rejected', ({ path }) =>
    path.includes('//'),
  ),
  lax('AU-TC3-QUERY', 'a signature without a query is accepted for every query', { query: '' }),
  lax('AU-TC3-QUERY', 'a signature of the sorted query is accepted', ({ query }) => ({
    query: sorted(query),
  })),
  lax('AU-TC3-QUERY', 'a signature of the decoded query is accepted', ({ query }) => ({
    query: decoded(query, decodeURIComponent),
  })),
  strict('AU-TC3-QUERY', 'a signature of a query with escapes is rejected', ({ query }) =>
    query.includes('%'),
  ),
  strict(
    'AU-TC3-QUERY',
    'a signature of an unsorted query is rejected',
    ({ query }) => sorted(query) !== query && !/\/(respond|events)\?/.test(query),
  ),
  lax('AU-TC3-BODY', 'a signature of an empty body is accepted for every body', { body: '' }),
  ...mutantsOf('AU-TC3-BODY', {
    'a body of less than 64 bytes is not hashed': acceptSigned(
      (request, context, { Signature, Credential, Timestamp }) => {
        const isShort = request.body.length > 0 && request.body.length < 64;
        const isComplete = Signature && Credential?.startsWith(context.keyPair.id) && Timestamp;
        return (
          isShort &&
          isComplete &&
          request.method === 'POST' &&
          /\/respond|\/[\w-]*$/.test(request.path) &&
          !isSigned(request, context)
        );
      },
    ),
    'the service is called before the body is hashed': (context) => ({
      ...readsRequests,
      ...gatewayResponse({ method: 'POST', status: 401 }, (_, request) =>
        request.headers.get('Authorization')?.startsWith('TC3')
          ? callAgain(context, request, { Authorization: context.authorization })
          : undefined,
      ),
    }),
  }),
  strict(
    'AU-TC3-SIGNED-HEADERS',
    'only content-type and host may be signed',
    (_, parts) => !signedNames(parts).every(isUsual),
  ),
  strict(
    'AU-SIGNATURE',
    'content-type must be signed',
    (_, parts) => !signedNames(parts).some((name) => /^content-type$/i.test(name)),
  ),
  mutant(
    'AU-TC3-SIGNED-HEADERS',
    'values of other signed headers are not checked',
    acceptSigned(
      (request, context, parts) =>
        !isSigned(request, context) && !signedNames(parts).every(isUsual),
    ),
  ),
  lax('AU-TC3-HOST', 'a signature without host is accepted', { anyHeaders: true }),
  strict(
    'AU-TC3-NORMAL-FORM',
    'a signed header with an upper case letter in its value is rejected',
    ({ headers }, parts) =>
      signedNames(parts).some((name) => !isUsual(name) && /[A-Z]/.test(headers.get(name) ?? '')),
  ),
  strict(
    'AU-TC3-NORMAL-FORM',
    'a content type with an upper case letter is rejected',
    ({ headers }, parts) =>
      signedNames(parts).includes('content-type') &&
      /[A-Z]/.test(headers.get('Content-Type')?.replace(/boundary=.*/, '') ?? ''),
  ),
  strict(
    'AU-TC3-MULTIPART',
    'a content type signed without its boundary is rejected',
    (request, _, context) => isMultipart(request) && isSigned(request, context),
  ),
  strict('AU-TC3-MULTIPART', 'every multipart body is rejected', isMultipart),
  strict('AU-TC3-SPACES', 'a header without spaces after its commas is rejected', ({ headers }) =>
    /,\S/.test(headers.get('Authorization') ?? ''),
  ),
  strict(
    'AU-SIGNATURE',
    'a header with spaces after its commas is rejected on POST',
    ({ headers, method }) => method === 'POST' && /,\s/.test(headers.get('Authorization') ?? ''),
  ),
];

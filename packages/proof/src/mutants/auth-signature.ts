import { eachOf, type Rows } from './mutant.ts';
import {
  acceptIfSignedFor,
  acceptSigned,
  isSigned,
  readSignature,
  reject,
  rejectSigned,
  signedNames,
} from './support/credentials.ts';
import { callAgain, gatewayRequest } from './support/gateway.ts';

const isForm = (type = '') => type.startsWith('multipart/form-data;');
const isUsual = (name: string) => /^(content-type|host)$/i.test(name);
const sorted = (query: string) => query.split('&').sort().join('&');

/** Returns the unescaped text, or the text as is if its escapes are not UTF-8. */
function decoded(text: string, decode: (text: string) => string): string {
  try {
    return decode(text);
  } catch {
    return text;
  }
}

export const authSignature: Rows = {
  'AU-TC3-FORM': {
    'a signature without Timestamp is accepted': [
      acceptSigned((_, __, { Timestamp }) => Timestamp === undefined),
      'AU-EACH-CALL',
    ],
    'an empty Signature is accepted': acceptSigned((_, __, { Signature }) => Signature === ''),
    ...eachOf(['Credential', 'SignedHeaders', 'Signature', 'Timestamp'], (part) => [
      `the part ${part} may be missing`,
      acceptSigned((_, __, parts) => parts[part] === undefined),
    ]),
    'a header without a signature gets 500': rejectSigned((_, parts) => !parts.Signature, 500),
  },
  'AU-TC3-KEY': {
    'the secret of an unknown key ID is empty': acceptSigned((request, context, { Credential }) => {
      const isKnown = Credential?.split('/')[0] === context.keyPair.id;
      return !isKnown && isSigned(request, context, { secret: '' });
    }),
    'the service name in the scope is not checked': acceptIfSignedFor({ service: 'svc' }),
    'the secret is not checked': acceptSigned((_, { keyPair }, { Credential }) =>
      Credential?.startsWith(keyPair.id),
    ),
    'the key ID is not checked': acceptIfSignedFor((_, { keyPair }) => ({
      secret: keyPair.secret,
    })),
    'the date of the scope is that of the timestamp': acceptIfSignedFor((request) => {
      const seconds = Number(readSignature(request)?.Timestamp);
      return { date: new Date(seconds * 1_000).toISOString().slice(0, 10) };
    }),
  },
  'AU-TC3-TIMESTAMP': {
    'the signed timestamp may differ from the one in the header by a few seconds': acceptSigned(
      (request, context, { Timestamp }) =>
        Array.from({ length: 11 }, (_, index) => Number(Timestamp) - 5 + index).some((timestamp) =>
          isSigned(request, context, { timestamp }),
        ),
    ),
    'a timestamp a little later than the signed one is accepted': acceptSigned(
      (request, context, { Timestamp }) =>
        [1, 2, 5, 10, 30, 60].some((seconds) =>
          isSigned(request, context, { timestamp: Number(Timestamp) - seconds }),
        ),
    ),
  },
  'AU-TC3-METHOD': {
    'every signature is verified as if the method were GET': acceptIfSignedFor({ method: 'GET' }),
    'a signature of POST is accepted for GET': acceptIfSignedFor(({ method }) =>
      method === 'GET' ? { method: 'POST' } : undefined,
    ),
  },
  'AU-TC3-PATH': {
    'the path is decoded before the signature is verified': acceptIfSignedFor(({ path }) => ({
      path: decodeURI(path),
    })),
    'a trailing slash in the path is not signed': acceptIfSignedFor(({ path }) => ({
      path: path.replace(/\/$/, ''),
    })),
    'a signed path with Chinese characters is rejected': rejectSigned(({ path }) =>
      /%E4/i.test(path),
    ),
    'the path is lower-cased before it is signed': acceptIfSignedFor(({ path }) => ({
      path: path.toLowerCase(),
    })),
    'a signature of a path with two slashes is rejected': rejectSigned(({ path }) =>
      path.includes('//'),
    ),
  },
  'AU-TC3-QUERY': {
    'a signature that does not cover the query is accepted': acceptIfSignedFor({ query: '' }),
    'a signature of the sorted query is accepted': acceptIfSignedFor(({ query }) => ({
      query: sorted(query),
    })),
    'a signature of the decoded query is accepted': acceptIfSignedFor(({ query }) => ({
      query: decoded(query, decodeURIComponent),
    })),
    'a signature of a query with escapes is rejected': rejectSigned(({ query }) =>
      query.includes('%'),
    ),
    'a signature of an unsorted query is rejected': rejectSigned(
      ({ query }) => sorted(query) !== query && !/\/(respond|events)\?/.test(query),
    ),
  },
  'AU-TC3-BODY': {
    'the body is parsed and serialized again before the signature is verified': acceptIfSignedFor(
      ({ json }) => (json === undefined ? undefined : { body: JSON.stringify(json) }),
    ),
    'a signature that does not cover the body is accepted': acceptIfSignedFor({ body: '' }),
    'the service is called before the hash of a large body is verified': (context) =>
      gatewayRequest(async (request) => {
        const isOfTc3 = request.headers.get('Authorization')?.startsWith('TC3');
        if (!isOfTc3 || request.body.length < 65_536) return;
        await callAgain(context, request, { Authorization: context.authorization });
      }),
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
  },
  'AU-TC3-SIGNED-HEADERS': {
    'the usual content type is signed instead of the one that was sent': acceptIfSignedFor({
      header: (name, value) =>
        name === 'content-type' ? 'application/json; charset=utf-8' : value,
    }),
    'only the first value of a repeated signed header is checked': acceptIfSignedFor({
      header: (_, value) => value.split(', ', 1)[0] ?? '',
    }),
    'a signature over more than ten headers is rejected': rejectSigned(
      (_, parts) => signedNames(parts).length > 10,
    ),
    'only content-type and host may be signed': rejectSigned(
      (_, parts) => !signedNames(parts).every(isUsual),
    ),
    'values of other signed headers are not checked': acceptSigned(
      (request, context, parts) =>
        !isSigned(request, context) && !signedNames(parts).every(isUsual),
    ),
  },
  'AU-TC3-HOST': {
    'the host header does not have to be signed': acceptSigned(
      (request, context, { SignedHeaders }) =>
        SignedHeaders === 'content-type' && isSigned(request, context, { anyHeaders: true }),
    ),
    'any header whose name ends in host counts as host': acceptSigned(
      (request, context, parts) =>
        signedNames(parts).some((name) => name.endsWith('-host')) &&
        isSigned(request, context, { anyHeaders: true }),
    ),
  },
  'AU-TC3-NORMAL-FORM': {
    'signed values are not lowercased': rejectSigned(({ headers }, parts) =>
      signedNames(parts).some(
        (name) => name.startsWith('x-') && /[A-Z]/.test(headers.get(name) ?? ''),
      ),
    ),
    'a signed content type is lowercased': rejectSigned(({ headers }, { SignedHeaders }) => {
      const type = headers.get('Content-Type') ?? '';
      const isCompared = SignedHeaders?.includes('content-type') && !type.startsWith('multipart/');
      return isCompared && /[A-Z]/.test(type);
    }),
  },
  'AU-TC3-MULTIPART': {
    'a signature that includes the boundary is rejected': rejectSigned(
      (request, _, context) =>
        isForm(request.headers.get('Content-Type')) && !isSigned(request, context),
    ),
    'a signature that omits the boundary is rejected': rejectSigned(
      (request, _, context) =>
        isForm(request.headers.get('Content-Type')) && isSigned(request, context),
    ),
  },
  'AU-TC3-SPACES': {
    'a signature without spaces after its commas is rejected': reject((value) =>
      /^TC3.*,\S/.test(value),
    ),
  },
};

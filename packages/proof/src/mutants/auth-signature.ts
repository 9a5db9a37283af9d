import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import {
  acceptIfSignedFor,
  acceptSigned,
  authenticate,
  isSigned,
  readSignature,
  reject,
  rejectSigned,
  signedNames,
} from './support/credentials.ts';
import { callAgain, gatewayRequest, toRefusal } from './support/gateway.ts';

const isForm = (type = '') => type.startsWith('multipart/form-data;');

export const authSignature: readonly Mutant[] = [
  ...mutantsOf('AU-TC3-FORM', {
    'a signature without Timestamp is accepted': acceptSigned(
      (_, __, { Timestamp }) => Timestamp === undefined,
    ),
    'an empty Signature is accepted': acceptSigned((_, __, { Signature }) => Signature === ''),
  }),
  ...mutantsOf('AU-TC3-KEY', {
    'the secret of an unknown key ID is empty': acceptSigned((request, context, { Credential }) => {
      const isKnown = Credential?.split('/')[0] === context.keyPair.id;
      return !isKnown && isSigned(request, context, { secret: '' });
    }),
    'the service name in the scope is not checked': acceptIfSignedFor({ service: 'svc' }),
  }),
  mutant(
    'AU-TC3-TIMESTAMP',
    'the signed timestamp may differ from the one in the header by a few seconds',
    acceptSigned((request, context, { Timestamp }) =>
      Array.from({ length: 11 }, (_, index) => Number(Timestamp) - 5 + index).some((timestamp) =>
        isSigned(request, context, { timestamp }),
      ),
    ),
  ),
  mutant(
    'AU-TC3-METHOD',
    'every signature is verified as if the method were GET',
    acceptIfSignedFor({ method: 'GET' }),
  ),
  ...mutantsOf('AU-TC3-PATH', {
    'the path is decoded before the signature is verified': acceptIfSignedFor(({ path }) => ({
      path: decodeURI(path),
    })),
    'a trailing slash in the path is not signed': acceptIfSignedFor(({ path }) => ({
      path: path.replace(/\/$/, ''),
    })),
    'a signed path with Chinese characters is rejected': rejectSigned(({ path }) =>
      /%E4/i.test(path),
    ),
  }),
  ...mutantsOf('AU-TC3-QUERY', {
    'a signature that does not cover the query is accepted': acceptIfSignedFor({ query: '' }),
    'the query is sorted before the signature is verified': (context) =>
      gatewayRequest((request) => {
        const query = request.query.split('&').sort().join('&');
        if (isSigned(request, context, { query })) authenticate(request, context);
        else if (readSignature(request) && query !== request.query)
          return toRefusal(401, 'SIGNATURE_WRONG');
        return undefined;
      }),
  }),
  ...mutantsOf('AU-TC3-BODY', {
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
  }),
  ...mutantsOf('AU-TC3-SIGNED-HEADERS', {
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
  }),
  ...mutantsOf('AU-TC3-HOST', {
    'the host header does not have to be signed': acceptSigned(
      (request, context, { SignedHeaders }) =>
        SignedHeaders === 'content-type' && isSigned(request, context, { anyHeaders: true }),
    ),
    'any header whose name ends in host counts as host': acceptSigned(
      (request, context, parts) =>
        signedNames(parts).some((name) => name.endsWith('-host')) &&
        isSigned(request, context, { anyHeaders: true }),
    ),
  }),
  ...mutantsOf('AU-TC3-NORMAL-FORM', {
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
  }),
  ...mutantsOf('AU-TC3-MULTIPART', {
    'a signature that includes the boundary is rejected': rejectSigned(
      (request, _, context) =>
        isForm(request.headers.get('Content-Type')) && !isSigned(request, context),
    ),
    'a signature that omits the boundary is rejected': rejectSigned(
      (request, _, context) =>
        isForm(request.headers.get('Content-Type')) && isSigned(request, context),
    ),
  }),
  mutant(
    'AU-TC3-SPACES',
    'a signature without spaces after its commas is rejected',
    reject((value) => /^TC3.*,\S/.test(value)),
  ),
];

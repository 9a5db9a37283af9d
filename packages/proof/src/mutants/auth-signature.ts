import { type Mutant, mutant } from './mutant.ts';
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
  mutant(
    'AU-TC3-FORM',
    'a signature without Timestamp is let in',
    acceptSigned((_, __, { Timestamp }) => Timestamp === undefined),
  ),
  mutant(
    'AU-TC3-FORM',
    'an empty Signature is let in',
    acceptSigned((_, __, { Signature }) => Signature === ''),
  ),
  mutant(
    'AU-TC3-KEY',
    'an unknown id has an empty secret',
    acceptSigned((request, context, { Credential }) => {
      const isKnown = Credential?.split('/')[0] === context.keyPair.id;
      return !isKnown && isSigned(request, context, { secret: '' });
    }),
  ),
  mutant(
    'AU-TC3-KEY',
    'the service of the scope is not compared',
    acceptIfSignedFor({ service: 'svc' }),
  ),
  mutant(
    'AU-TC3-TIMESTAMP',
    'the timestamp that is signed may be some seconds off the one that is sent',
    acceptSigned((request, context, { Timestamp }) =>
      Array.from({ length: 11 }, (_, index) => Number(Timestamp) - 5 + index).some((timestamp) =>
        isSigned(request, context, { timestamp }),
      ),
    ),
  ),
  mutant(
    'AU-TC3-METHOD',
    'the method is taken for GET whatever it is',
    acceptIfSignedFor({ method: 'GET' }),
  ),
  mutant(
    'AU-TC3-PATH',
    'the path is decoded before it is compared',
    acceptIfSignedFor(({ path }) => ({ path: decodeURI(path) })),
  ),
  mutant(
    'AU-TC3-PATH',
    'a slash at the end of the path does not count',
    acceptIfSignedFor(({ path }) => ({ path: path.replace(/\/$/, '') })),
  ),
  mutant(
    'AU-TC3-PATH',
    'a signed path with Chinese characters is refused',
    rejectSigned(({ path }) => /%E4/i.test(path)),
  ),
  mutant(
    'AU-TC3-QUERY',
    'a signature without the query is let in',
    acceptIfSignedFor({ query: '' }),
  ),
  mutant('AU-TC3-QUERY', 'the query is sorted before it is compared', (context) =>
    gatewayRequest((request) => {
      const query = request.query.split('&').sort().join('&');
      if (isSigned(request, context, { query })) authenticate(request, context);
      else if (readSignature(request) && query !== request.query)
        return toRefusal(401, 'SIGNATURE_WRONG');
      return undefined;
    }),
  ),
  mutant(
    'AU-TC3-BODY',
    'the body is parsed and written anew before it is compared',
    acceptIfSignedFor(({ json }) =>
      json === undefined ? undefined : { body: JSON.stringify(json) },
    ),
  ),
  mutant('AU-TC3-BODY', 'a signature without the body is let in', acceptIfSignedFor({ body: '' })),
  mutant('AU-TC3-BODY', 'the service is called before a large body is compared', (context) =>
    gatewayRequest(async (request) => {
      const isOfTc3 = request.headers.get('Authorization')?.startsWith('TC3');
      if (!isOfTc3 || request.body.length < 65_536) return;
      await callAgain(context, request, { Authorization: context.authorization });
    }),
  ),
  mutant(
    'AU-TC3-SIGNED-HEADERS',
    'the content type is compared as it usually is, not as it was sent',
    acceptIfSignedFor({
      header: (name, value) =>
        name === 'content-type' ? 'application/json; charset=utf-8' : value,
    }),
  ),
  mutant(
    'AU-TC3-SIGNED-HEADERS',
    'of a signed header that stands twice the first is compared',
    acceptIfSignedFor({ header: (_, value) => value.split(', ', 1)[0] ?? '' }),
  ),
  mutant(
    'AU-TC3-SIGNED-HEADERS',
    'a signature over more than ten headers is refused',
    rejectSigned((_, parts) => signedNames(parts).length > 10),
  ),
  mutant(
    'AU-TC3-HOST',
    'host need not be signed',
    acceptSigned(
      (request, context, { SignedHeaders }) =>
        SignedHeaders === 'content-type' && isSigned(request, context, { anyHeaders: true }),
    ),
  ),
  mutant(
    'AU-TC3-HOST',
    'any header whose name ends in host is taken for host',
    acceptSigned(
      (request, context, parts) =>
        signedNames(parts).some((name) => name.endsWith('-host')) &&
        isSigned(request, context, { anyHeaders: true }),
    ),
  ),
  mutant(
    'AU-TC3-NORMAL-FORM',
    'signed values are not lower-cased',
    rejectSigned(({ headers }, parts) =>
      signedNames(parts).some(
        (name) => name.startsWith('x-') && /[A-Z]/.test(headers.get(name) ?? ''),
      ),
    ),
  ),
  mutant(
    'AU-TC3-NORMAL-FORM',
    'a signed content type is lower-cased',
    rejectSigned(({ headers }, { SignedHeaders }) => {
      const type = headers.get('Content-Type') ?? '';
      const isCompared = SignedHeaders?.includes('content-type') && !type.startsWith('multipart/');
      return isCompared && /[A-Z]/.test(type);
    }),
  ),
  mutant(
    'AU-TC3-MULTIPART',
    'a signature over the boundary is refused',
    rejectSigned(
      (request, _, context) =>
        isForm(request.headers.get('Content-Type')) && !isSigned(request, context),
    ),
  ),
  mutant(
    'AU-TC3-MULTIPART',
    'a signature without the boundary is refused',
    rejectSigned(
      (request, _, context) =>
        isForm(request.headers.get('Content-Type')) && isSigned(request, context),
    ),
  ),
  mutant(
    'AU-TC3-SPACES',
    'a signature without spaces after its commas is refused',
    reject((value) => /^TC3.*,\S/.test(value)),
  ),
];

import {
  acceptIfSignedFor,
  acceptSigned,
  isSigned,
  rejectSigned,
  signedNames,
} from './hooks/credentials.ts';
import type { Rows } from './mutant.ts';

const isForm = (type = '') => type.startsWith('multipart/form-data;');
const isUsual = (name: string) => /^(content-type|host)$/i.test(name);

export const authSignature: Rows = {
  'AU-TC3-FORM: a signature without Timestamp is accepted': acceptSigned(
    (_, __, { Timestamp }) => Timestamp === undefined,
  ),
  'AU-TC3-FORM: a header without a signature gets 500': rejectSigned(
    (_, parts) => !parts.Signature,
    500,
  ),
  'AU-TC3-KEY: the service name in the scope is not checked': acceptIfSignedFor({ service: 'svc' }),
  'AU-TC3-KEY: the secret is not checked': acceptSigned((_, { keyPair }, { Credential }) =>
    Credential?.startsWith(keyPair.id),
  ),
  'AU-TC3-COVERS/1: the signed timestamp may differ from the one in the header by a few seconds':
    acceptSigned((request, context, { Timestamp }) =>
      Array.from({ length: 11 }, (_, index) => Number(Timestamp) - 5 + index).some((timestamp) =>
        isSigned(request, context, { timestamp }),
      ),
    ),
  'AU-TC3-COVERS/2: every signature is verified as if the method were GET': acceptIfSignedFor({
    method: 'GET',
  }),
  'AU-TC3-COVERS/3: the path is decoded before the signature is verified': acceptSigned(
    (request, context) => isSigned(request, context, { path: decodeURI(request.path) }),
  ),
  'AU-TC3-COVERS/4: a signature that does not cover the query is accepted': acceptIfSignedFor({
    query: '',
  }),
  'AU-TC3-COVERS/5: a signature that does not cover the body is accepted': acceptIfSignedFor({
    body: '',
  }),
  'AU-TC3-SIGNED-HEADERS/1: only the first value of a repeated signed header is checked':
    acceptIfSignedFor({ header: (_, value) => value.split(', ', 1)[0] ?? '' }),
  'AU-TC3-SIGNED-HEADERS/1: only content-type and host may be signed': rejectSigned(
    (_, parts) => !signedNames(parts).every(isUsual),
  ),
  'AU-TC3-SIGNED-HEADERS/2: any header whose name ends in host counts as host': acceptSigned(
    (request, context, parts) =>
      signedNames(parts).some((name) => name.endsWith('-host')) &&
      isSigned(request, context, { anyHeaders: true }),
  ),
  'AU-TC3-NORMAL-FORM/1: signed values are not lowercased': rejectSigned(({ headers }, parts) =>
    signedNames(parts).some(
      (name) => name.startsWith('x-') && /[A-Z]/.test(headers.get(name) ?? ''),
    ),
  ),
  'AU-TC3-NORMAL-FORM/2: a signature that includes the boundary is rejected': rejectSigned(
    (request, _, context) =>
      isForm(request.headers.get('Content-Type')) && !isSigned(request, context),
  ),
  'AU-TC3-NORMAL-FORM/2: a signature that omits the boundary is rejected': rejectSigned(
    (request, _, context) =>
      isForm(request.headers.get('Content-Type')) && isSigned(request, context),
  ),
  'AU-TC3-FORM: a signature without spaces after its commas is rejected': rejectSigned(
    ({ headers }) => /,\S/.test(headers.get('Authorization') ?? ''),
  ),
};

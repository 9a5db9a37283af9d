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
  'AU-TC3-FORM: Timestamp may be missing': acceptSigned(
    (_, __, { Timestamp }) => Timestamp === undefined,
  ),
  'AU-TC3-FORM: no Signature causes a 500': rejectSigned((_, parts) => !parts.Signature, 500),
  'AU-TC3-FORM: commas need a space': rejectSigned(({ headers }) =>
    /,\S/.test(headers.get('Authorization') ?? ''),
  ),
  'AU-TC3-KEY: the service name in the scope is not checked': acceptIfSignedFor({ service: 'svc' }),
  'AU-TC3-KEY: only the ID is checked': acceptSigned((_, { keyPair }, { Credential }) =>
    Credential?.startsWith(keyPair.id),
  ),
  'AU-TC3-COVERS/1: the signed timestamp may differ from the one in the header by a few seconds':
    acceptSigned((request, context, { Timestamp }) =>
      Array.from({ length: 11 }, (_, index) => Number(Timestamp) - 5 + index).some((timestamp) =>
        isSigned(request, context, { timestamp }),
      ),
    ),
  'AU-TC3-COVERS/2: all calls are verified as a GET': acceptIfSignedFor({ method: 'GET' }),
  'AU-TC3-COVERS/3: the path is decoded first': acceptSigned((request, context) =>
    isSigned(request, context, { path: decodeURI(request.path) }),
  ),
  'AU-TC3-COVERS/4: the query is not verified': acceptIfSignedFor({ query: '' }),
  'AU-TC3-COVERS/5: the body is not verified': acceptIfSignedFor({ body: '' }),
  'AU-TC3-SIGNED-HEADERS/1: only the first value of a repeated signed header is checked':
    acceptIfSignedFor({ header: (_, value) => value.split(', ', 1)[0] ?? '' }),
  'AU-TC3-SIGNED-HEADERS/1: only two headers may be signed': rejectSigned(
    (_, parts) => !signedNames(parts).every(isUsual),
  ),
  'AU-TC3-SIGNED-HEADERS/2: x-host counts as host': acceptSigned(
    (request, context, parts) =>
      signedNames(parts).some((name) => name.endsWith('-host')) &&
      isSigned(request, context, { anyHeaders: true }),
  ),
  'AU-TC3-NORMAL-FORM/1: signed values are not lowercased': rejectSigned(({ headers }, parts) =>
    signedNames(parts).some((name) => /^x-/.test(name) && /[A-Z]/.test(headers.get(name) ?? '')),
  ),
  'AU-TC3-NORMAL-FORM/2: a signature that includes the boundary is rejected': rejectSigned(
    (request, _, context) =>
      isForm(request.headers.get('Content-Type')) && !isSigned(request, context),
  ),
  'AU-TC3-NORMAL-FORM/2: a signature that omits the boundary is rejected': rejectSigned(
    (request, _, context) =>
      isForm(request.headers.get('Content-Type')) && isSigned(request, context),
  ),
};

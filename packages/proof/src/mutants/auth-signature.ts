import type { Mutant } from './mutant.ts';
import { toRefusal } from './support/refusals.ts';
import { fitsSignature, letIn, readSignature } from './support/signature.ts';

export const authSignature: readonly Mutant[] = [
  {
    rule: 'AU-TC3-FORM',
    breaks: 'a signature without Timestamp is let in',
    companions: [],
    create: (context) => ({
      request(request) {
        const parts = readSignature(request);
        if (parts && parts.Timestamp === undefined) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-FORM',
    breaks: 'an empty Signature is let in',
    companions: [],
    create: (context) => ({
      request(request) {
        if (readSignature(request)?.Signature === '') letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-KEY',
    breaks: 'an unknown id has an empty secret',
    companions: [],
    create: (context) => ({
      request(request) {
        const [id] = readSignature(request)?.Credential?.split('/') ?? [];
        const isUnknown = id !== undefined && id !== context.keyPair.id;
        if (isUnknown && fitsSignature(request, context, { secret: '' })) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-KEY',
    breaks: 'the service of the scope is not compared',
    companions: [],
    create: (context) => ({
      request(request) {
        const service = 'svc';
        if (!fitsSignature(request, context) && fitsSignature(request, context, { service })) {
          letIn(request, context);
        }
      },
    }),
  },
  {
    rule: 'AU-TC3-TIMESTAMP',
    breaks: 'the timestamp that is signed may be some seconds off the one that is sent',
    companions: [],
    create: (context) => ({
      request(request) {
        const sent = Number(readSignature(request)?.Timestamp);
        for (let timestamp = sent - 5; timestamp <= sent + 5; timestamp += 1) {
          if (fitsSignature(request, context, { timestamp })) letIn(request, context);
        }
      },
    }),
  },
  {
    rule: 'AU-TC3-METHOD',
    breaks: 'the method is taken for GET whatever it is',
    companions: [],
    create: (context) => ({
      request(request) {
        if (fitsSignature(request, context, { method: 'GET' })) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-PATH',
    breaks: 'the path is decoded before it is compared',
    companions: [],
    create: (context) => ({
      request(request) {
        const path = decodeURI(request.path);
        if (fitsSignature(request, context, { path })) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-PATH',
    breaks: 'a slash at the end of the path does not count',
    companions: [],
    create: (context) => ({
      request(request) {
        const path = request.path.replace(/\/$/, '');
        if (fitsSignature(request, context, { path })) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-PATH',
    breaks: 'a signed path with Chinese characters is refused',
    companions: [],
    create: () => ({
      request(request) {
        const isSigned = readSignature(request) !== undefined;
        if (isSigned && /%E4/i.test(request.path)) return toRefusal(401, 'SIGNATURE_WRONG');
        return undefined;
      },
    }),
  },
  {
    rule: 'AU-TC3-QUERY',
    breaks: 'a signature without the query is let in',
    companions: [],
    create: (context) => ({
      request(request) {
        if (fitsSignature(request, context, { query: '' })) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-QUERY',
    breaks: 'the query is sorted before it is compared',
    companions: [],
    create: (context) => ({
      request(request) {
        const query = request.query.split('&').sort().join('&');
        if (fitsSignature(request, context, { query })) letIn(request, context);
        const isUnsorted = readSignature(request) !== undefined && query !== request.query;
        return isUnsorted ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
      },
    }),
  },
  {
    rule: 'AU-TC3-BODY',
    breaks: 'the body is parsed and written anew before it is compared',
    companions: [],
    create: (context) => ({
      request(request) {
        const { json } = request;
        if (json === undefined) return;
        const body = JSON.stringify(json);
        if (fitsSignature(request, context, { body })) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-BODY',
    breaks: 'a signature without the body is let in',
    companions: [],
    create: (context) => ({
      request(request) {
        if (fitsSignature(request, context, { body: '' })) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-BODY',
    breaks: 'the service is called before a large body is compared',
    companions: [],
    create: (context) => ({
      async request(request) {
        const { method, target, headers, body } = request;
        if (readSignature(request) === undefined || body.length < 65_536) return;
        const Host = headers.get('Host') ?? '';
        const given = { Host, Authorization: context.authorization };
        await context.call({ method, target, headers: given, body });
      },
    }),
  },
  {
    rule: 'AU-TC3-SIGNED-HEADERS',
    breaks: 'the content type is compared as it usually is, not as it was sent',
    companions: [],
    create: (context) => ({
      request(request) {
        const usual = 'application/json; charset=utf-8';
        const header = (name: string, value: string) => (name === 'content-type' ? usual : value);
        if (fitsSignature(request, context, { header })) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-SIGNED-HEADERS',
    breaks: 'of a signed header that stands twice the first is compared',
    companions: [],
    create: (context) => ({
      request(request) {
        const header = (_: string, value: string) => value.split(', ', 1)[0] ?? '';
        if (fitsSignature(request, context, { header })) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-SIGNED-HEADERS',
    breaks: 'a signature over more than ten headers is refused',
    companions: [],
    create: () => ({
      request(request) {
        const names = readSignature(request)?.SignedHeaders?.split(';') ?? [];
        return names.length > 10 ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
      },
    }),
  },
  {
    rule: 'AU-TC3-HOST',
    breaks: 'host need not be signed',
    companions: [],
    create: (context) => ({
      request(request) {
        const names = readSignature(request)?.SignedHeaders?.split(';');
        if (
          names?.join() === 'content-type' &&
          fitsSignature(request, context, { anyHeaders: true })
        ) {
          letIn(request, context);
        }
      },
    }),
  },
  {
    rule: 'AU-TC3-HOST',
    breaks: 'any header whose name ends in host is taken for host',
    companions: [],
    create: (context) => ({
      request(request) {
        const names = readSignature(request)?.SignedHeaders?.split(';');
        const hasOther = names?.some((name) => name.endsWith('-host'));
        if (hasOther && fitsSignature(request, context, { anyHeaders: true }))
          letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-TC3-NORMAL-FORM',
    breaks: 'signed values are not lower-cased',
    companions: [],
    create: () => ({
      request(request) {
        const names = readSignature(request)?.SignedHeaders?.split(';') ?? [];
        const values = names
          .filter((name) => name.startsWith('x-'))
          .map((name) => request.headers.get(name));
        const isRefused = values.some((value) => /[A-Z]/.test(value ?? ''));
        return isRefused ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
      },
    }),
  },
  {
    rule: 'AU-TC3-NORMAL-FORM',
    breaks: 'a signed content type is lower-cased',
    companions: [],
    create: () => ({
      request(request) {
        const isSigned = readSignature(request)?.SignedHeaders?.includes('content-type');
        const type = request.headers.get('Content-Type') ?? '';
        const isForm = type.startsWith('multipart/');
        const isRefused = isSigned && !isForm && /[A-Z]/.test(type);
        return isRefused ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
      },
    }),
  },
  {
    rule: 'AU-TC3-MULTIPART',
    breaks: 'a signature over the boundary is refused',
    companions: [],
    create: (context) => ({
      request(request) {
        const isForm = request.headers.get('Content-Type')?.startsWith('multipart/form-data;');
        const isKept = isForm && readSignature(request) && !fitsSignature(request, context);
        return isKept ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
      },
    }),
  },
  {
    rule: 'AU-TC3-MULTIPART',
    breaks: 'a signature without the boundary is refused',
    companions: [],
    create: (context) => ({
      request(request) {
        const isForm = request.headers.get('Content-Type')?.startsWith('multipart/form-data;');
        const isCut = isForm && fitsSignature(request, context);
        return isCut ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
      },
    }),
  },
  {
    rule: 'AU-TC3-SPACES',
    breaks: 'a signature without spaces after its commas is refused',
    companions: [],
    create: () => ({
      request({ headers }) {
        const value = headers.get('Authorization') ?? '';
        const isTight = /^TC3.*,\S/.test(value);
        return isTight ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
      },
    }),
  },
];

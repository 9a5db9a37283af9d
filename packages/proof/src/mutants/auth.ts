import type { Mutant } from './mutant.ts';
import { toRefusal } from './support/refusals.ts';
import { letIn, readSignature } from './support/signature.ts';

function readClaims(payload: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  } catch {
    return {};
  }
}

export const auth: readonly Mutant[] = [
  {
    rule: 'AU-BEARER',
    breaks: 'only signatures are let through',
    companions: [],
    create: () => ({
      request({ isGateway, headers }) {
        const isBearer = headers.get('Authorization')?.startsWith('Bearer ');
        return isGateway && isBearer ? toRefusal(401, 'SIGNATURE_REQUIRED') : undefined;
      },
      upgrade({ headers }) {
        const isBearer = headers.get('Authorization')?.startsWith('Bearer ');
        return isBearer ? toRefusal(401, 'SIGNATURE_REQUIRED') : undefined;
      },
    }),
  },
  {
    rule: 'AU-BEARER-ENV',
    breaks: 'a token of another environment is let in on GET',
    companions: [],
    create: (context) => ({
      request(request) {
        const isOther = request.headers.get('Authorization') === context.otherAuthorization;
        if (request.method === 'GET' && isOther) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-SIGNATURE',
    breaks: 'only tokens are let through on POST',
    companions: [],
    create: () => ({
      request(request) {
        const isSigned = readSignature(request) !== undefined;
        if (isSigned && request.method === 'POST') return toRefusal(401, 'TOKEN_REQUIRED');
        return undefined;
      },
    }),
  },
  {
    rule: 'AU-NONE',
    breaks: 'a POST to the root needs no credentials',
    companions: [],
    create: (context) => ({
      request(request) {
        const { isGateway, method, path, service, headers } = request;
        if (!isGateway || method !== 'POST' || path !== `/v1/cloudrun/${service}`) return;
        if (headers.get('Authorization') === undefined) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-NONE',
    breaks: 'a POST without credentials is refused after the service was called',
    companions: [],
    create: (context) => ({
      async request({ isGateway, method, target, headers, body }) {
        if (!isGateway || method !== 'POST' || headers.get('Authorization') !== undefined) return;
        const Host = headers.get('Host') ?? '';
        const given = { Host, Authorization: context.authorization };
        await context.call({ method, target, headers: given, body });
      },
    }),
  },
  {
    rule: 'AU-NONE',
    breaks: 'a GET of a path without credentials is sent to a login page',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method, path, headers }) {
        const isBare = isGateway && !headers.get('Authorization') && !headers.get('Upgrade');
        if (!isBare || method !== 'GET' || path.split('/').length < 5) return;
        answer.status = 302;
        answer.headers.set('Location', '/login');
      },
    }),
  },
  {
    rule: 'AU-BEARER-BAD',
    breaks: 'a token of algorithm none is let in',
    companions: [],
    create: (context) => ({
      request(request) {
        const [, header = ''] =
          /^Bearer ([\w-]+)\.[\w-]+\.$/.exec(request.headers.get('Authorization') ?? '') ?? [];
        const text = Buffer.from(header, 'base64url').toString();
        if (text.includes('"alg":"none"')) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-BEARER-BAD',
    breaks: 'an expired token is let in',
    companions: [],
    create: (context) => ({
      request(request) {
        const [, payload = ''] = request.headers.get('Authorization')?.split('.') ?? [];
        const { exp } = readClaims(payload);
        if (typeof exp === 'number' && exp * 1000 < Date.now()) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-BEARER-BAD',
    breaks: 'the signature of a token is not looked at',
    companions: [],
    create: (context) => ({
      request(request) {
        const [head, payload] = context.authorization.split('.');
        const [givenHead, givenPayload, signature] =
          request.headers.get('Authorization')?.split('.') ?? [];
        const isSame = givenHead === head && givenPayload === payload;
        if (isSame && signature) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-BEARER-BAD',
    breaks: 'a token that is no JSON Web Token is answered with 500',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, headers }) {
        const value = headers.get('Authorization') ?? '';
        if (isGateway && value === 'Bearer undefined') answer.status = 500;
      },
    }),
  },
  {
    rule: 'AU-SCHEME-UNKNOWN',
    breaks: 'whoever comes with Basic is let in',
    companions: [],
    create: (context) => ({
      request(request) {
        const value = request.headers.get('Authorization') ?? '';
        if (/^Basic \S/.test(value)) letIn(request, context);
      },
    }),
  },
  {
    rule: 'AU-SCHEME-UNKNOWN',
    breaks: 'a good token is let in whatever the word before it',
    companions: [],
    create: (context) => ({
      request(request) {
        const [token] = context.authorization.split(' ').slice(-1);
        const value = request.headers.get('Authorization') ?? '';
        if (value.endsWith(` ${token}`)) letIn(request, context);
      },
    }),
  },
];

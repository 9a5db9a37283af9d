import { MutatedAnswer, type MutatedRequest } from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import { toRefusal } from '../support/refusals.ts';
import { letIn } from '../support/signature.ts';
import { fault } from './fault.ts';

const lax = (
  rule: Mutant['rule'],
  breaks: string,
  isTaken: (value: string | undefined, request: MutatedRequest, context: MutantContext) => boolean,
): Mutant =>
  fault(rule, breaks, (context) => ({
    request(request) {
      if (request.isGateway && isTaken(request.headers.get('Authorization'), request, context))
        letIn(request, context);
    },
  }));
const strict = (
  rule: Mutant['rule'],
  breaks: string,
  isRefused: (value: string, request: MutatedRequest) => boolean,
): Mutant =>
  fault(rule, breaks, {
    request(request) {
      const value = request.headers.get('Authorization');
      return request.isGateway && value && isRefused(value, request)
        ? toRefusal(401, 'INVALID_CREDENTIALS')
        : undefined;
    },
  });
const payloadOf = (value = ''): { aud?: unknown; exp?: number } | undefined => {
  try {
    return JSON.parse(Buffer.from(value.split('.')[1] ?? '', 'base64url').toString());
  } catch {
    return undefined;
  }
};
const isOf = ({ env }: MutantContext, value?: string) =>
  [payloadOf(value)?.aud].flat().includes(env);
const isLive = (value?: string) => (payloadOf(value)?.exp ?? 0) > Date.now() / 1_000;
const tokenOf = (context: MutantContext) => context.authorization.replace('Bearer ', '');

/** How gateways look at credentials. */
const gateway: readonly Mutant[] = [
  strict(
    'AU-BEARER',
    'a bearer token does not suffice on POST',
    (value, { method }) => value.startsWith('Bearer') && method === 'POST',
  ),
  strict(
    'AU-BEARER',
    'a bearer token does not suffice at the root of a service',
    (value, { path }) => value.startsWith('Bearer') && path.split('/').length === 4,
  ),
  lax(
    'AU-BEARER-ENV',
    'a token of another environment is taken',
    (value, _, { otherAuthorization }) => value === otherAuthorization,
  ),
  lax(
    'AU-BEARER-ENV',
    'a token of another environment is taken on POST',
    (value, { method }, { otherAuthorization }) =>
      method === 'POST' && value === otherAuthorization,
  ),
  lax(
    'AU-BEARER-ENV',
    'a token of another environment is taken at the root',
    (value, { path }, { otherAuthorization }) =>
      path.split('/').length < 5 && value === otherAuthorization,
  ),
  strict(
    'AU-SIGNATURE',
    'a signature does not suffice on GET',
    (value, { method }) => value.startsWith('TC3') && method === 'GET',
  ),
  lax(
    'AU-NONE',
    'none are needed at the root of a service on GET',
    (value, { method, path }) => !value && method === 'GET' && path.split('/').length < 5,
  ),
  lax('AU-NONE', 'none are needed on POST', (value, { method }) => !value && method === 'POST'),
  lax('AU-NONE', 'an empty header is taken', (value) => value === ''),
  fault(
    'AU-NONE',
    'it is answered with a redirect to a page',
    {
      request: ({ isGateway, headers, method }) =>
        isGateway && !headers.get('Authorization') && method !== 'OPTIONS'
          ? new MutatedAnswer(302, { Location: '/login', 'X-Request-Id': crypto.randomUUID() })
          : undefined,
    },
    ['GW-ERROR-BODY', 'GW-ERROR-CODE', 'GW-ERROR-MESSAGE', 'GW-ERROR-REQUEST-ID'],
  ),
  fault(
    'AU-NONE',
    'it is answered without a body',
    {
      request: ({ isGateway, headers, method }) =>
        isGateway && !headers.get('Authorization') && method !== 'OPTIONS'
          ? new MutatedAnswer(401, {
              'WWW-Authenticate': 'Bearer',
              'X-Request-Id': crypto.randomUUID(),
            })
          : undefined,
    },
    [
      'GW-ERROR-BODY',
      'GW-ERROR-CODE',
      'GW-ERROR-MESSAGE',
      'GW-ERROR-REQUEST-ID',
      'GW-REQUEST-ID-EQUAL',
    ],
  ),
  fault('AU-NONE', 'the service is called all the same, and its answer withheld', (context) => ({
    async request({ isGateway, method, target, headers, body }) {
      if (!isGateway || headers.get('Authorization') || method === 'OPTIONS') return;
      const passed = Object.fromEntries(
        headers.list.filter(([name]) => !/^(content-length|transfer-encoding)$/i.test(name)),
      );
      await context.call({
        method,
        target,
        headers: { ...passed, Authorization: context.authorization },
        body,
      });
    },
  })),
  lax(
    'AU-BEARER-BAD',
    'an expired token is taken',
    (value, _, context) => isOf(context, value) && !isLive(value),
  ),
  lax(
    'AU-BEARER-BAD',
    'the signature of a token is not looked at',
    (value, _, context) => isOf(context, value) && isLive(value),
  ),
  lax(
    'AU-BEARER-BAD',
    'a token is compared by its first 100 characters',
    (value, _, context) => value?.slice(0, 107) === context.authorization.slice(0, 107),
  ),
  lax(
    'AU-BEARER-BAD',
    'what follows a token is not looked at',
    (value, _, { authorization }) => value?.startsWith(authorization) ?? false,
  ),
  lax(
    'AU-BEARER-BAD',
    'a token may lack its end',
    (value, _, { authorization }) =>
      (value?.length ?? 0) > 40 && authorization.startsWith(value ?? ''),
  ),
  lax('AU-BEARER-BAD', 'an empty token is taken', (value) => /^Bearer\s*$/.test(value ?? '')),
  lax('AU-BEARER-BAD', 'a token with the algorithm none is taken', (value) => {
    const head = Buffer.from(
      value?.replace(/^Bearer /, '').split('.')[0] ?? '',
      'base64url',
    ).toString();
    return /"alg":\s*"none"/i.test(head);
  }),
  fault('AU-BEARER-BAD', 'a token that is no token ends in 500', {
    request({ isGateway, headers }) {
      const value = headers.get('Authorization') ?? '';
      return isGateway && value.startsWith('Bearer ') && payloadOf(value) === undefined
        ? toRefusal(500, 'SYS_ERR')
        : undefined;
    },
  }),
  fault(
    'AU-BEARER-BAD',
    'an expired token gets a page',
    {
      request({ isGateway, headers }) {
        const value = headers.get('Authorization') ?? '';
        const isExpired =
          isGateway && value.startsWith('Bearer ') && payloadOf(value)?.exp && !isLive(value);
        return isExpired
          ? new MutatedAnswer(
              401,
              { 'Content-Type': 'text/html', 'X-Request-Id': crypto.randomUUID() },
              '<h1>expired</h1>',
            )
          : undefined;
      },
    },
    ['GW-ERROR-BODY'],
  ),
  lax('AU-SCHEME-UNKNOWN', 'Basic is taken', (value) => value?.startsWith('Basic') ?? false),
  lax(
    'AU-SCHEME-UNKNOWN',
    'any scheme before a good token is taken',
    (value, _, context) => value?.split(' ')[1] === tokenOf(context),
  ),
  lax(
    'AU-SCHEME-UNKNOWN',
    'a good token without a scheme is taken',
    (value, _, context) => value === tokenOf(context),
  ),
  lax('AU-SCHEME-UNKNOWN', 'Digest is taken', (value) => value?.startsWith('Digest') ?? false),
  lax(
    'AU-SCHEME-UNKNOWN',
    'a scheme that begins with Bearer is taken',
    (value, _, context) =>
      /^Bearer\S/.test(value ?? '') && (value?.endsWith(tokenOf(context)) ?? false),
  ),
  lax('AU-SCHEME-UNKNOWN', 'a good token as password of Basic is taken', (value, _, context) =>
    Buffer.from(value?.replace(/^Basic /, '') ?? '', 'base64')
      .toString()
      .includes(tokenOf(context)),
  ),
  fault('AU-SCHEME-UNKNOWN', 'any but Bearer and TC3 ends in 500', {
    request({ isGateway, headers }) {
      return isGateway && !/^(Bearer|TC3|$)/.test(headers.get('Authorization') ?? '')
        ? toRefusal(500, 'SYS_ERR')
        : undefined;
    },
  }),
];

/** How storage services look at credentials. */
const OPERATIONS = ['getUploadMetaData', 'batchGetTempUrls', 'batchDelete', 'batchCopyFile'];
const CREDENTIALS = ['X-Svc-Authorization', 'X-Svc-SessionToken', 'X-Svc-TimeStamp'];
const admit = ({ headers }: MutatedRequest, context: MutantContext) => {
  for (const [name, value] of Object.entries(context.storageHeaders())) headers.set(name, value);
};

const storage: readonly Mutant[] = [
  ...OPERATIONS.map((wanted) =>
    fault('AU-STORAGE-NONE', `${wanted} needs none`, (context) => ({
      request(request) {
        if (request.operation === wanted && CREDENTIALS.every((name) => !request.headers.get(name)))
          admit(request, context);
      },
    })),
  ),
  fault('AU-STORAGE-AUTHORIZATION', 'a time alone suffices', (context) => ({
    request(request) {
      if (
        request.operation &&
        !request.headers.get('X-Svc-Authorization') &&
        request.headers.get('X-Svc-TimeStamp')
      )
        admit(request, context);
    },
  })),
  ...OPERATIONS.map((wanted) =>
    fault('AU-STORAGE-WRONG', `${wanted} takes any credential`, (context) => ({
      request(request) {
        if (request.operation === wanted && request.headers.get('X-Svc-Authorization'))
          admit(request, context);
      },
    })),
  ),
  fault('AU-STORAGE-WRONG', 'a credential is compared by its beginning', (context) => ({
    request(request) {
      const length = context.storageHeaders()['X-Svc-Authorization']?.length ?? 0;
      const value = request.headers.get('X-Svc-Authorization');
      if (request.operation && value?.length === length && value.includes(context.keyPair.id))
        admit(request, context);
    },
  })),
  ...OPERATIONS.map((wanted) =>
    fault('AU-STORAGE-ENV', `the environment of ${wanted} is not looked at`, (context) => ({
      request(request) {
        if (request.operation === wanted)
          request.target = request.target.replace(/(?<=\/envs\/)[^/]+/, context.env);
      },
    })),
  ),
  fault('AU-STORAGE-ENV', 'environments are compared by their beginning', (context) => ({
    request(request) {
      if (request.operation)
        request.target = request.target.replace(/(?<=\/envs\/)[^/]+/, (env) =>
          env.startsWith(context.env) ? context.env : env,
        );
    },
  })),
];

export const credentials: readonly Mutant[] = [...gateway, ...storage];

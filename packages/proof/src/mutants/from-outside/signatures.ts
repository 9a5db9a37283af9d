import type { MutatedRequest } from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import { seesItems } from '../support/answers.ts';
import { toRefusal } from '../support/refusals.ts';
import { fitsSignature, letIn, readSignature } from '../support/signature.ts';
import { fault } from './fault.ts';

/** Lets a call in whose signature only this verifier takes. */
const lax = (
  rule: Mutant['rule'],
  breaks: string,
  isTaken: (request: MutatedRequest, context: MutantContext) => boolean,
): Mutant =>
  fault(rule, breaks, (context) => ({
    request(request) {
      if (
        request.isGateway &&
        request.headers.get('Authorization')?.startsWith('TC3') &&
        isTaken(request, context)
      )
        letIn(request, context);
    },
  }));
/** Refuses what only this verifier refuses. */
const strict = (
  rule: Mutant['rule'],
  breaks: string,
  isRefused: (request: MutatedRequest, parts: Record<string, string>) => boolean,
  companions: Mutant['companions'] = [],
): Mutant =>
  fault(
    rule,
    breaks,
    {
      request(request) {
        const parts = readSignature(request);
        return request.isGateway && parts && isRefused(request, parts)
          ? toRefusal(401, 'INVALID_CREDENTIALS')
          : undefined;
      },
    },
    companions,
  );
const namesOf = (parts: Record<string, string>) => (parts.SignedHeaders ?? '').split(';');
const without = (part: string) =>
  lax('AU-TC3-FORM', `the part ${part} may be missing`, (request) => {
    const parts = readSignature(request) ?? {};
    return parts[part] === undefined;
  });

/** How verifiers of signatures are lax, or too strict. */
export const signatures: readonly Mutant[] = [
  ...['Credential', 'SignedHeaders', 'Signature', 'Timestamp'].map(without),
  fault('AU-TC3-FORM', 'a header without a signature ends in 500', {
    request(request) {
      const parts = readSignature(request);
      return request.isGateway && parts && !parts.Signature ? toRefusal(500, 'SYS_ERR') : undefined;
    },
  }),
  lax(
    'AU-TC3-KEY',
    'the secret is not looked at',
    (request, { keyPair }) => readSignature(request)?.Credential?.startsWith(keyPair.id) ?? false,
  ),
  lax('AU-TC3-KEY', 'the id is not looked at', (request, context) =>
    fitsSignature(request, context, { secret: context.keyPair.secret }),
  ),
  lax('AU-TC3-KEY', 'a service of another name in the scope is taken for svc', (request, context) =>
    fitsSignature(request, context, { service: 'svc' }),
  ),
  lax('AU-TC3-KEY', 'the date of the scope is that of the timestamp', (request, context) => {
    const { Credential = '', Timestamp } = readSignature(request) ?? {};
    const date = new Date(Number(Timestamp) * 1_000).toISOString().slice(0, 10);
    const clone = Object.assign(Object.create(Object.getPrototypeOf(request)), request);
    clone.headers = Object.assign(Object.create(Object.getPrototypeOf(request.headers)), {
      list: request.headers.list.map(([name, value]) => [
        name,
        /^authorization$/i.test(name)
          ? value.replace(Credential, Credential.replace(/\d{4}-\d\d-\d\d/, date))
          : value,
      ]),
    });
    return fitsSignature(clone, context);
  }),
  lax(
    'AU-TC3-TIMESTAMP',
    'a timestamp a little later than the signed one is taken',
    (request, context) => {
      const { Timestamp } = readSignature(request) ?? {};
      return [1, 2, 5, 10, 30, 60].some((seconds) =>
        fitsSignature(request, context, { timestamp: Number(Timestamp) - seconds }),
      );
    },
  ),
  lax('AU-TC3-METHOD', 'a signature of GET lets a POST through', (request, context) =>
    fitsSignature(request, context, { method: 'GET' }),
  ),
  lax(
    'AU-TC3-METHOD',
    'a signature of POST lets a GET through',
    (request, context) =>
      request.method === 'GET' && fitsSignature(request, context, { method: 'POST' }),
  ),
  lax(
    'AU-TC3-PATH',
    'a slash at the end is not signed',
    (request, context) =>
      fitsSignature(request, context, { path: request.path.replace(/\/$/, '') }) ||
      fitsSignature(request, context, { path: `${request.path}/` }),
  ),
  lax('AU-TC3-PATH', 'the path is lower-cased before it is signed', (request, context) =>
    fitsSignature(request, context, { path: request.path.toLowerCase() }),
  ),
  lax('AU-TC3-PATH', 'the path is decoded before it is signed', (request, context) => {
    try {
      return (
        fitsSignature(request, context, { path: decodeURI(request.path) }) ||
        fitsSignature(request, context, { path: decodeURIComponent(request.path) })
      );
    } catch {
      return false;
    }
  }),
  strict('AU-TC3-PATH', 'a signature of a path with escapes is refused', ({ path }) =>
    path.includes('%'),
  ),
  strict('AU-TC3-PATH', 'a signature of a path with two slashes is refused', ({ path }) =>
    path.includes('//'),
  ),
  lax('AU-TC3-QUERY', 'a signature without a query lets every query through', (request, context) =>
    fitsSignature(request, context, { query: '' }),
  ),
  lax('AU-TC3-QUERY', 'a signature of the sorted query is taken', (request, context) =>
    fitsSignature(request, context, { query: request.query.split('&').sort().join('&') }),
  ),
  lax('AU-TC3-QUERY', 'a signature of the decoded query is taken', (request, context) => {
    try {
      return fitsSignature(request, context, { query: decodeURIComponent(request.query) });
    } catch {
      return false;
    }
  }),
  strict('AU-TC3-QUERY', 'a signature of a query with escapes is refused', ({ query }) =>
    query.includes('%'),
  ),
  strict(
    'AU-TC3-QUERY',
    'a signature of a query that is not sorted is refused',
    ({ query }) =>
      query.split('&').sort().join('&') !== query && !/\/(answer|events)\?/.test(query),
  ),
  lax('AU-TC3-BODY', 'a signature of an empty body lets every body through', (request, context) =>
    fitsSignature(request, context, { body: '' }),
  ),
  ...[64].map((size) =>
    fault(
      'AU-TC3-BODY',
      `a body of less than ${size} bytes is not hashed`,
      (context) => {
        // The signed body is not known here: what is refused for its signature alone is let in.
        return {
          async request(request) {
            if (
              !request.isGateway ||
              request.method !== 'POST' ||
              request.body.length >= size ||
              request.body.length === 0
            )
              return;
            const parts = readSignature(request);
            if (
              !parts?.Signature ||
              !parts.Credential?.startsWith(context.keyPair.id) ||
              !parts.Timestamp
            )
              return;
            if (!/\/answer|\/[\w-]*$/.test(request.path) || fitsSignature(request, context)) return;
            letIn(request, context);
          },
        };
      },
      [
        'AU-TC3-KEY',
        'AU-TC3-METHOD',
        'AU-TC3-TIMESTAMP',
        'AU-TC3-PATH',
        'AU-TC3-QUERY',
        'AU-TC3-SIGNED-HEADERS',
        'AU-TC3-HOST',
        'AU-TC3-FORM',
        'AU-TC3-MULTIPART',
        'AU-TC3-NORMAL-FORM',
        'AU-SIGNATURE',
      ],
    ),
  ),
  fault('AU-TC3-BODY', 'the service is called before the body is hashed', (context) => ({
    async answer(answer, { isGateway, method, target, headers, body }) {
      if (
        !isGateway ||
        method !== 'POST' ||
        answer.status !== 401 ||
        !headers.get('Authorization')?.startsWith('TC3')
      )
        return;
      const passed = Object.fromEntries(
        headers.list.filter(
          ([name]) => !/^(content-length|transfer-encoding|authorization)$/i.test(name),
        ),
      );
      await context.call({
        method,
        target,
        headers: { ...passed, Authorization: context.authorization },
        body,
      });
    },
    ...seesItems,
  })),
  strict('AU-TC3-SIGNED-HEADERS', 'only content-type and host may be signed', (_, parts) =>
    namesOf(parts).some((name) => !/^(content-type|host)$/i.test(name)),
  ),
  strict(
    'AU-SIGNATURE',
    'content-type has to be signed',
    (_, parts) => !namesOf(parts).some((name) => /^content-type$/i.test(name)),
  ),
  fault(
    'AU-TC3-SIGNED-HEADERS',
    'values of further signed headers are not looked at',
    (context) => ({
      request(request) {
        const parts = readSignature(request);
        if (!request.isGateway || !parts || fitsSignature(request, context)) return;
        const more = namesOf(parts).filter((name) => !/^(content-type|host)$/i.test(name));
        if (more.length > 0) letIn(request, context);
      },
    }),
    ['AU-TC3-NORMAL-FORM'],
  ),
  lax('AU-TC3-HOST', 'a signature without host is taken', (request, context) =>
    fitsSignature(request, context, { anyHeaders: true }),
  ),
  strict(
    'AU-TC3-NORMAL-FORM',
    'a signed header with a capital letter in its value is refused',
    ({ headers }, parts) =>
      namesOf(parts).some(
        (name) => !/^(content-type|host)$/i.test(name) && /[A-Z]/.test(headers.get(name) ?? ''),
      ),
  ),
  strict(
    'AU-TC3-NORMAL-FORM',
    'a content type with a capital letter is refused',
    ({ headers }, parts) =>
      namesOf(parts).includes('content-type') &&
      /[A-Z]/.test(headers.get('Content-Type')?.replace(/boundary=.*/, '') ?? ''),
  ),
  fault('AU-TC3-MULTIPART', 'a content type cut before its boundary is refused', (context) => ({
    request(request) {
      const isMultipart = /^multipart/.test(request.headers.get('Content-Type') ?? '');
      const isRefused = request.isGateway && isMultipart && fitsSignature(request, context);
      return isRefused ? toRefusal(401, 'INVALID_CREDENTIALS') : undefined;
    },
  })),
  strict('AU-TC3-MULTIPART', 'every multipart body is refused', ({ headers }) =>
    /^multipart/.test(headers.get('Content-Type') ?? ''),
  ),
  strict('AU-TC3-SPACES', 'a header without spaces after its commas is refused', ({ headers }) =>
    /,\S/.test(headers.get('Authorization') ?? ''),
  ),
  strict(
    'AU-SIGNATURE',
    'a header with spaces after its commas is refused on POST',
    ({ headers, method }) => method === 'POST' && /,\s/.test(headers.get('Authorization') ?? ''),
    ['AU-SIGNATURE'],
  ),
];

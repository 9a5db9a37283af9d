import fc from 'fast-check';
import type { Operation, Schema } from '../../src/contract/contract.ts';
import type { Asked } from './exchange.ts';
import { CREDENTIALS, FORM, goodRequest, OPERATIONS, toForm } from './operations.ts';

const valid = fc.constantFrom(...OPERATIONS.map(goodRequest));

// Prism puts names in a header, so they are ASCII.
const TEXT = fc.string({ maxLength: 20 });

const OTHERS = fc.constantFrom<unknown>(null, 0, 1.5, true, '', 'text', [], {}, ['a'], { a: 1 });

const spoiltBody = fc.constantFrom(...OPERATIONS.filter(({ body }) => body)).chain((operation) => {
  const texts = fc.oneof(
    { weight: 6, arbitrary: spoiltOf(operation.body ?? {}).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.constantFrom('', '{', 'text', '{"fileList":', '[]', '"a"', '0') },
  );
  return texts.map((body) => ({ ...goodRequest(operation), body }));
});

const spoiltForm = fc.subarray(Object.entries(FORM)).map((entries) => {
  const upload = OPERATIONS.find(({ id }) => id === 'uploadFile') as Operation;
  return { ...goodRequest(upload), body: toForm(Object.fromEntries(entries)) };
});

const NAMES = fc.oneof(
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,58}[A-Za-z0-9]$/),
  fc.constantFrom('a', '1service', 'service-', 'sér', 'a'.repeat(61), 'a.b', 'a%20b'),
);

const REST = fc.constantFrom('', '/', '/abc', '/a/b', '/a//b/', '/a%2Fb', '/a%20b?x=1&x=2');

const QUERIES = fc.constantFrom('', '', '?__code=404', '?a=%', '?__example=none&__dynamic=true');

const gatewayAddress = fc
  .record({ asked: fc.oneof(valid, spoiltBody), name: NAMES, rest: REST, query: QUERIES })
  .map(
    ({ asked, name, rest, query }): Asked =>
      asked.document === 'gateway'
        ? {
            ...asked,
            path: `/v1/cloudrun/${encodeURI(name)}${rest}${rest.includes('?') ? '' : query}`,
          }
        : asked,
  );

const TYPES = fc.constantFrom(
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
);

const METHODS = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD');

const AUTHORIZATIONS = fc.constantFrom(
  undefined,
  '',
  'Bearer',
  'Bearer a',
  'Basic YTpi',
  'TC3-HMAC-SHA256 Credential=a/2030-01-01/svc/tc3_request, SignedHeaders=host, Signature=b, Timestamp=1',
);

const HALF = fc.subarray(Object.entries(CREDENTIALS.storage));

const UNKNOWN = fc.constantFrom(
  '/v1',
  '/v1/cloudrun',
  '/v2/cloudrun/hello',
  '/api/v2/envs/dev/storages:batchDeleteXYZ',
  '/api/v2/envs/dev/storages',
  '/api/v2/envs/storages:batchDelete',
  '/other',
);

const spoiltHead = fc
  .record({
    asked: fc.oneof(valid, spoiltBody, gatewayAddress),
    type: fc.option(TYPES, { nil: undefined }),
    method: fc.option(METHODS, { nil: undefined }),
    authorization: fc.option(AUTHORIZATIONS, { nil: null }),
    half: fc.option(HALF, { nil: undefined }),
    path: fc.option(UNKNOWN, { nil: undefined, freq: 10 }),
  })
  .map(({ asked, type, method = asked.method, authorization, half, path = asked.path }): Asked => {
    const { 'content-type': given, ...rest } = asked.headers;
    const headers = {
      ...rest,
      ...(asked.body !== undefined && { 'content-type': type ?? given }),
    } as Record<string, string>;
    if (asked.document === 'gateway' && authorization !== null) {
      delete headers.authorization;
      if (authorization !== undefined) headers.authorization = authorization;
    }
    if (asked.document === 'storage' && half !== undefined) {
      for (const name of Object.keys(CREDENTIALS.storage)) delete headers[name];
      Object.assign(headers, Object.fromEntries(half));
    }
    return toSendable({ ...asked, method, path, headers });
  });

/** Valid and invalid requests of all kinds. */
export const anyRequest: fc.Arbitrary<Asked> = fc.oneof(
  valid,
  spoiltBody,
  spoiltForm,
  gatewayAddress,
  spoiltHead,
);

/** Values in which parts may be missing, or of another type. */
function spoiltOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: arbitraryOf(schema) }, { weight: 1, arbitrary: OTHERS });
}

function arbitraryOf({ type, oneOf, items, properties = {} }: Schema): fc.Arbitrary<unknown> {
  if (oneOf) return fc.oneof(...oneOf.map(spoiltOf));
  if (type === 'array') return fc.array(spoiltOf(items ?? {}), { maxLength: 4 });
  if (type === 'number') return fc.integer({ min: -5, max: 1_000_000 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return TEXT;
  const values = Object.entries(properties).map(([name, one]) => [name, spoiltOf(one)] as const);
  return fc.record(Object.fromEntries([...values, ['more', TEXT]]), { requiredKeys: [] });
}

/** Without a body if the method has none; each document has its own paths. */
function toSendable(asked: Asked): Asked {
  const document = asked.path.startsWith('/v') || asked.path === '/other' ? 'gateway' : 'storage';
  if (asked.method !== 'GET' && asked.method !== 'HEAD') return { ...asked, document };
  const { body: _, ...rest } = asked;
  const { 'content-type': __, ...headers } = asked.headers;
  return { ...rest, document, headers };
}

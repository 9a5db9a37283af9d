import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { toFlatSchema } from '../../src/contract/contract.ts';
import { isObject } from '../../src/util/values.ts';
import { type Asked, NOT_COMPARED, OWN_ID, type Verdict } from './exchange.ts';
import { OPERATIONS } from './operations.ts';

/** A deliberate difference from Prism. */
export interface Rule {
  readonly name: string;
  /** Why, and when it applies. */
  readonly reason: string;
  /** What to request from Prism instead; undefined if the rule does not apply. */
  readonly ask?: (asked: Asked) => Asked | undefined;
  /** The mock's expected response if Prism responds with `prism`; undefined if the rule does not apply. */
  readonly expect?: (prism: Verdict, asked: Asked) => Verdict | undefined;
}

/** The mock's refusal instead of Prism's, if it differs. */
const STATUSES: Readonly<Record<number, number>> = { 422: 400, 500: 404 };

/** In the order in which they apply. The package README describes each one. */
export const rules: readonly Rule[] = [
  {
    name: 'the gateway passes calls on',
    reason:
      'D11, D13 and x-berth-greedy, which OpenAPI cannot express: HEAD goes with GET, anyPath matches several segments, a slash after the name means the root, query and content type are the service’s. Prism is asked for the nearest call that the document describes.',
    ask: (asked) => (asked.document === 'gateway' ? toDescribed(asked) : undefined),
    expect: (prism, { document, method }) =>
      document === 'gateway' && method === 'HEAD'
        ? { ...prism, type: undefined, body: undefined }
        : undefined,
  },
  {
    name: 'credentials have a form',
    reason:
      'D15: a value that is neither "Bearer <token>" nor a signature is missing credentials. Prism accepts any header Authorization, so it is asked without.',
    ask(asked) {
      const { authorization = '', ...headers } = asked.headers;
      const isGood = /^(Bearer \S+|TC3-HMAC-SHA256 .*Signature=.*)$/.test(authorization);
      return asked.document === 'gateway' && !isGood ? { ...asked, headers } : undefined;
    },
  },
  {
    name: 'a JSON body that is not an object is present',
    reason:
      'A body that is present can be reported as invalid. Prism treats null, false, 0 and "" as no body, and never responds to a body that is not JSON.',
    ask: (asked) => (isBroken(asked) ? { ...asked, body: 'null' } : undefined),
    expect(prism, asked) {
      if (!isJsonCall(asked) || !prism.violations.includes('body  required')) return undefined;
      if (asked.body === undefined || asked.body === '') return undefined;
      const keyword = isBroken(asked) ? 'syntax' : 'type';
      const others = prism.violations.filter((one) => one !== 'body  required');
      return { ...prism, violations: [...others, `body  ${keyword}`].sort() };
    },
  },
  {
    name: 'JSON comes first',
    reason:
      'If any type is accepted, callers of this API mean JSON. Prism treats the documented */* as the best match.',
    ask(asked) {
      const { accept = '*/*' } = asked.headers;
      if (!/^\s*\*\/\*/.test(accept)) return undefined;
      return { ...asked, headers: { ...asked.headers, accept: `application/json, ${accept}` } };
    },
  },
  {
    name: 'fields are in one place',
    reason:
      'D21 (x-berth-unwrap): the flat schema validates the fields, at the top level or inside data, so that a violation names the real field; both together are refused. Prism validates against the oneOf that the document shows.',
    expect: toFlat,
  },
  {
    name: 'one thing after another',
    reason:
      'The path comes before the body: a call that is refused for its path is not read. Prism reports both.',
    expect(prism) {
      const ofPath = prism.violations.filter((one) => one.startsWith('path '));
      return ofPath.length > 0 ? { ...prism, violations: ofPath } : undefined;
    },
  },
  {
    name: 'refusals are those of the contract',
    reason:
      'An invalid request, or a preference without a response in the contract, gets an error in the format of the contract, with its code: 400 if Prism sends 422 and an example, 404 for an unknown example, for which Prism fails with 500 or returns 200, and 404 for a status that neither the contract nor an error has, for which Prism returns the default response.',
    expect(prism, asked) {
      const [, preferred] = /^code=([45]\d\d), example=/.exec(asked.headers.prefer ?? '') ?? [];
      const isLost = isUndocumented(asked) || (preferred !== undefined && prism.status === 200);
      if (!prism.isRefusal && !isLost) return undefined;
      const shape = isUpload(asked) ? 'application/xml' : 'application/json';
      const type = asked.method === 'HEAD' ? undefined : shape;
      const status = isLost ? 404 : (STATUSES[prism.status] ?? prism.status);
      return { ...prism, status, type, body: NOT_COMPARED };
    },
  },
  {
    name: 'a preferred status brings an error of that status',
    reason:
      'The first row of the error table that has it. Prism uses the first example of the response, whatever status its code has.',
    expect(prism, asked) {
      const [, code] = /^code=([45]\d\d)$/.exec(asked.headers.prefer ?? '') ?? [];
      const row = prism.isRefusal ? undefined : toRow(asked, Number(code));
      if (row === undefined) return undefined;
      const { code: name, message } = row;
      if (prism.type === 'application/xml') {
        const { xml } = prism.body as { xml: object };
        return { ...prism, body: { xml: { ...xml, Code: name, Message: message } } };
      }
      const error = { code: name, message };
      return {
        ...prism,
        body:
          asked.document === 'gateway'
            ? { ...(prism.body as object), ...error }
            : { statusCode: prism.status, body: { ...error, requestId: OWN_ID } },
      };
    },
  },
  {
    name: 'each call has its own identifier',
    reason:
      'D9 and D20: requestId and statusCode of an example are replaced by those of the call. The root of XML is Error, as the document names it; Prism writes xml.',
    expect: (prism) => ({ ...prism, body: toOwn(prism.body, prism.status) }),
  },
  {
    name: 'uploads are validated as they stream',
    reason:
      'D30: a form that lacks a field of the grant is 403, at the first that is missing, without a list of all errors; another media type is 400, because its error table has no 415.',
    expect(prism, asked) {
      if (!isUpload(asked) || !prism.isRefusal || prism.status === 405) return undefined;
      const isGrant =
        prism.violations.length > 0 &&
        !prism.violations.some((one) => /\/(key|file) |^body {2}/.test(one));
      return { ...prism, status: isGrant ? 403 : 400, violations: [] };
    },
  },
];

function isUpload({ document, path }: Asked): boolean {
  return document === 'storage' && path === '/';
}

/** Whether the body is validated as JSON. */
function isJsonCall(asked: Asked): boolean {
  return asked.method === 'POST' && !isUpload(asked) && hasJsonType(asked);
}

function hasJsonType({ headers }: Asked): boolean {
  return /^application\/json\b/.test(headers['content-type'] ?? '');
}

/** Whether a body claims to be JSON but is not. */
function isBroken(asked: Asked): boolean {
  const { body = '' } = asked;
  if (body === '' || !hasJsonType(asked)) return false;
  try {
    JSON.parse(body);
    return false;
  } catch {
    return true;
  }
}

/** Returns the documented call that is closest to a call that the gateway accepts. */
function toDescribed(asked: Asked): Asked {
  const [path = ''] = asked.path.split('?', 1);
  const [, name, rest] = /^\/v1\/cloudrun\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
  if (name === undefined) return asked;
  const within = rest === undefined || rest === '' ? '' : `/${encodeURIComponent(rest)}`;
  const described = {
    ...asked,
    method: asked.method === 'HEAD' ? 'GET' : asked.method,
    path: `/v1/cloudrun/${name}${within}`,
  };
  const isTyped = asked.headers['content-type'] !== undefined;
  if (asked.method !== 'POST' || !isTyped || isJsonCall(asked)) return described;
  const headers = { ...asked.headers, 'content-type': 'application/json' };
  return { ...described, headers, body: '{}' };
}

/**
 * Converts Prism's result to that of the flat schema alone; returns undefined if there is nothing to unwrap.
 */
function toFlat(prism: Verdict, asked: Asked): Verdict | undefined {
  const schema = OPERATIONS.find(({ id }) => asked.path.endsWith(`:${id}`))?.body;
  const wrapper = schema?.['x-berth-unwrap'];
  if (schema === undefined || wrapper === undefined || !isJsonCall(asked)) return undefined;
  const fields = Object.keys(toFlatSchema(schema).properties ?? {});
  const body =
    asked.body === undefined || isBroken(asked) ? undefined : JSON.parse(asked.body || 'null');
  const isWrapped = isObject(body) && Object.hasOwn(body, wrapper);
  const isOf = (one: string) => !one.startsWith('body ');
  if (isWrapped && fields.some((field) => Object.hasOwn(body, field))) {
    if (![200, 422].includes(prism.status)) return undefined;
    const violations = [...prism.violations.filter(isOf), 'body  unwrap'].sort();
    return { ...prism, status: 422, isRefusal: true, violations };
  }
  const foreign = isWrapped
    ? fields.map((field) => `body /${field} required`)
    : [`body /${wrapper} required`];
  const violations = prism.violations.filter(
    (one) => one !== 'body  oneOf' && !foreign.includes(one),
  );
  return { ...prism, violations };
}

/** A Prism body with the values that belong to a call. */
function toOwn(body: unknown, status: number): unknown {
  if (!isObject(body)) return body;
  if (isObject(body.xml)) {
    return { Error: { ...body.xml, RequestId: OWN_ID, TraceId: OWN_ID } };
  }
  if (isObject(body.body)) {
    return { ...body, statusCode: status, body: { ...body.body, requestId: OWN_ID } };
  }
  return 'requestId' in body ? { ...body, requestId: OWN_ID } : body;
}

/** Whether a preferred status is that of no response but `default`, and of no error. */
function isUndocumented(asked: Asked): boolean {
  const [, status] = /^code=([45]\d\d)$/.exec(asked.headers.prefer ?? '') ?? [];
  if (status === undefined || isUpload(asked)) return false;
  // The storage operations document all of 4XX.
  const isRange = asked.document === 'storage' && status.startsWith('4');
  return !isRange && toRow(asked, Number(status)) === undefined;
}

/** Returns the first row with a status in a call's error table; undefined if there is none. */
function toRow({ document, path }: Asked, status: number) {
  const { gatewayErrors, storageErrors, uploadErrors } = defaults;
  if (document === 'gateway') return gatewayErrors.find((row) => row.status === status);
  return (path === '/' ? uploadErrors : storageErrors).find((row) => row.status === status);
}

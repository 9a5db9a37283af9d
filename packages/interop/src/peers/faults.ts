import { isObject, type JsonObject } from '../../../conformance/src/contract/openapi.ts';
import type { Operation } from '../../../conformance/src/document/plan.ts';
import { findResponse } from '../../../conformance/src/document/plan.ts';
import { listPlaces, type Path } from '../../../conformance/src/document/schema.ts';
import type { Subject } from './documents.ts';

/** A response, before it is sent. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a fault knows of a call. */
interface Context {
  /** The first violation of the request's body, if it is invalid. */
  readonly violation: string | undefined;
  /** An earlier success of the operation. */
  readonly success: Reply | undefined;
  /** Whether a DELETE of this path has succeeded. */
  readonly isDeleted: boolean;
}

/** A fault of one operation. */
export interface Fault {
  readonly kind: FaultKind;
  readonly group: 'responses' | 'requests' | 'sequences';
  readonly operation: Operation;
  /** Returns the response of a server with this fault. */
  change(reply: Reply, context: Context): Reply;
}

type Change = Fault['change'];

/** Returns the change for an operation; `undefined` if the fault does not apply to it. */
type Rule = (operation: Operation, subject: Subject) => Change | undefined;

const isSuccess = ({ status }: Reply) => status < 300;

/** Changes what succeeds. */
const ofSuccess =
  (change: (reply: Reply) => Reply): Change =>
  (reply) =>
    isSuccess(reply) ? change(reply) : reply;

/** Lets a request through that the correct server rejects. */
const ofRejected =
  (isMet: (context: Context) => boolean): Change =>
  (reply, context) =>
    [400, 415, 422].includes(reply.status) && isMet(context) ? (context.success ?? reply) : reply;

const hasJson = ({ responses }: Operation) =>
  responses.some(
    ({ status, content }) =>
      /^2/.test(status) && content.some((each) => isJson(each.mediaType) && each.schema),
  );
const isJson = (mediaType: string) => /[/+]json\b/.test(mediaType);
const hasJsonBody = ({ body }: Operation) =>
  body?.content.some((each) => isJson(each.mediaType) && each.schema) === true;
const isUndocumented = (operation: Operation, status: number) =>
  findResponse(operation, status) === undefined;

/** Changes the successes of operations that return JSON. */
const ofJson =
  (change: (reply: Reply) => Reply): Rule =>
  (operation) =>
    hasJson(operation) ? ofSuccess(change) : undefined;

/** Accepts JSON bodies with such a violation. */
const ofBody =
  (violations: RegExp): Rule =>
  (operation) =>
    hasJsonBody(operation)
      ? ofRejected(({ violation }) => violations.test(violation ?? ''))
      : undefined;

/** Breaks one value of a JSON response, so that Ajv rejects it. */
const breakBody =
  (candidates: (schema: JsonObject, value: unknown) => unknown[]): Rule =>
  (operation, subject) =>
    ofJson((reply) => {
      const { document } = subject;
      const media = findResponse(operation, reply.status)?.content.find((each) =>
        isJson(each.mediaType),
      );
      const isText = !isJson(reply.headers['content-type'] ?? '') || reply.body === '';
      if (media?.schema === undefined || isText) return reply;
      const { schema } = media;
      const value = JSON.parse(reply.body);
      const places = listPlaces(document.root, document.schemaAt(schema, 'response'));
      for (const place of places.values()) {
        const found = read(value, place.path);
        if (found === undefined) continue;
        for (const bad of candidates(place.schema, found)) {
          const broken = write(value, place.path, bad);
          if (document.validate(schema, 'response', broken) === undefined) continue;
          return { ...reply, body: JSON.stringify(broken) };
        }
      }
      return reply;
    })(operation, subject);

const LIMITS = ['minimum', 'maximum', 'pattern', 'format', 'minLength', 'maxLength'];

const RULES = {
  responses: {
    'undocumented success': (operation) => {
      const status = [206, 202, 299].find((each) => isUndocumented(operation, each));
      return status === undefined ? undefined : ofSuccess((reply) => ({ ...reply, status }));
    },
    'undocumented error': (operation) =>
      isUndocumented(operation, 410)
        ? ofSuccess(() => ({ status: 410, headers: {}, body: '' }))
        : undefined,
    'server error': () => ofSuccess(() => ({ status: 500, headers: {}, body: '' })),
    'field missing': breakBody(({ required }, value) =>
      isObject(value) && Array.isArray(required)
        ? required.map((name) => ({ ...value, [String(name)]: undefined }))
        : [],
    ),
    'wrong type': breakBody(({ type }, value) =>
      type === undefined || isObject(value) || Array.isArray(value) ? [] : [[], { not: 'this' }],
    ),
    'null for a value': breakBody((_, value) => (isObject(value) || value === null ? [] : [null])),
    'list for an object': breakBody((_, value) => (isObject(value) ? [[value]] : [])),
    'value not in the enum': breakBody((schema) =>
      'enum' in schema || 'const' in schema ? ['not-in-the-enum'] : [],
    ),
    'value out of limits': breakBody((schema, value) =>
      LIMITS.some((name) => name in schema)
        ? typeof value === 'number'
          ? [-1e9, 1e9]
          : ['', '!', 'x'.repeat(300)]
        : [],
    ),
    'forbidden property': breakBody(({ additionalProperties, unevaluatedProperties }, value) =>
      isObject(value) && (additionalProperties === false || unevaluatedProperties === false)
        ? [{ ...value, surplus: 1 }]
        : [],
    ),
    'wrong media type': ofJson((reply) => ({
      ...reply,
      headers: { ...reply.headers, 'content-type': 'text/html' },
    })),
    'broken JSON': ofJson((reply) => ({ ...reply, body: reply.body.slice(0, -1) })),
    'no body': ofJson(({ status }) => ({ status, headers: {}, body: '' })),
    'wrong header': ({ responses }, { document }) => {
      const header = responses
        .filter(({ status }) => /^2/.test(status))
        .flatMap(({ headers }) => headers)
        .find(
          ({ schema }) =>
            schema && document.validate(schema, 'response', 'not valid') !== undefined,
        );
      if (header === undefined) return undefined;
      const name = header.name.toLowerCase();
      return ofSuccess((reply) => ({
        ...reply,
        headers: { ...reply.headers, [name]: 'not valid' },
      }));
    },
    'error that breaks its schema': (operation, { document }) => {
      const documented = operation.responses.some(
        ({ status, content }) =>
          ['400', '404', '422'].includes(status) &&
          content.some(
            ({ mediaType, schema }) =>
              isJson(mediaType) &&
              schema &&
              document.validate(schema, 'response', []) !== undefined,
          ),
      );
      return documented
        ? (reply) => ([400, 404, 422].includes(reply.status) ? { ...reply, body: '[]' } : reply)
        : undefined;
    },
  },
  requests: {
    'body without a required field': ofBody(/required property/),
    'body with a wrong type': ofBody(/must be (string|number|integer|boolean|array|object|null)/),
    'body with another invalid value': ofBody(/must be [<>=e]|allowed values|must match|must NOT/),
    'invalid parameter': ({ parameters }) =>
      parameters.length > 0 ? ofRejected(({ violation }) => violation === undefined) : undefined,
    'error 500 for an invalid request': () => (reply) =>
      [400, 422].includes(reply.status) ? { status: 500, headers: {}, body: '' } : reply,
  },
  sequences: {
    'deleted item is found': ({ method, path }, { operations }) =>
      method === 'GET' && operations.some((each) => each.method === 'DELETE' && each.path === path)
        ? (reply, { isDeleted, success }) => (isDeleted ? (success ?? reply) : reply)
        : undefined,
    'created item is not found': ({ method, path }, { operations }) => {
      const isItem = operations.some(
        (each) => each.method === 'POST' && path.startsWith(`${each.path}/{`),
      );
      return method === 'GET' && isItem && !path.slice(path.lastIndexOf('}')).includes('/')
        ? ofSuccess(() => ({ status: 404, headers: {}, body: '' }))
        : undefined;
    },
  },
} as const satisfies Record<string, Record<string, Rule>>;

type Groups = typeof RULES;
type FaultKind = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

/** Spreads the kinds over the operations of a document. */
const STRIDE = 7;

/** Returns the faults of a document: each kind in one operation to which it applies. */
export function listFaults(subject: Subject): Fault[] {
  return Object.entries(RULES).flatMap(([group, rules]) =>
    Object.entries<Rule>(rules).flatMap(([kind, rule], index) => {
      const found = subject.operations.flatMap((operation) => {
        const change = rule(operation, subject);
        return change ? [{ kind, group, operation, change } as Fault] : [];
      });
      return found.length === 0 ? [] : (found[(index * STRIDE) % found.length] ?? []);
    }),
  );
}

function read(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((node, step) => {
    if (step === '*') return Array.isArray(node) ? node[0] : undefined;
    return isObject(node) ? node[step] : undefined;
  }, value);
}

function write(value: unknown, [step, ...rest]: Path, bad: unknown): unknown {
  if (step === undefined) return bad;
  if (step !== '*') {
    const own = isObject(value) ? value : {};
    return { ...own, [step]: write(own[step], rest, bad) };
  }
  const [first, ...others] = Array.isArray(value) ? value : [];
  return [write(first, rest, bad), ...others];
}

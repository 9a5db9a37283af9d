import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import {
  type Call,
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  type Fault,
  type GatewayHandler,
  type HandlerResponse,
  type Router,
  type Violation,
} from '@berth/server-stubs';
import type { Context } from '../context.ts';
import { idsOf } from '../contract/contract.ts';
import { type CallRecord, type RecordedRequest, recordOf } from '../session/call-record.ts';
import { createOffAuth } from '../surfaces/auth/auth.ts';
import { createRefusalExplainer } from '../surfaces/explain-refusal.ts';
import { toRoutes } from '../surfaces/router-options.ts';
import { isObject } from '../util/values.ts';
import { createResponseChecker } from './check-responses.ts';

export type Checkers = ReturnType<ReturnType<typeof createCheckers>>;

/** Creates the checkers of requests and responses, again whenever a hot reload replaces what they derive from. */
export function createCheckers(context: Context) {
  const create = ({ profile, contract }: Context) => ({
    profile,
    contract,
    request: createRequestChecker(context),
    response: createResponseChecker(profile, contract.operations),
  });
  let made = create(context);
  return () => {
    const isCurrent = made.profile === context.profile && made.contract === context.contract;
    if (!isCurrent) made = create(context);
    return made;
  };
}

/** Not contract violations: the deployment itself checks credentials and sizes. */
const NO_BREACH = new Set<Fault['kind']>([
  'too-large',
  'unauthorized',
  'not-implemented',
  'invalid-response',
  'handler-failed',
]);

/**
 * Creates stub routers whose handlers only record that a request is valid.
 *
 * @returns a function that validates a request whose body is written to the shadow. When `done` resolves, the
 * result is in the call's record.
 */
function createRequestChecker(context: Context) {
  const { profile, operations } = context;
  const auth = createOffAuth(profile);
  const explain = createRefusalExplainer(context);
  const waiting = new WeakMap<object, () => void>();

  const settle = (request: object) => {
    const done = waiting.get(request);
    waiting.delete(request);
    done?.();
  };
  const pass = ({ request, operationId }: Pick<Call, 'request' | 'operationId'>) => {
    recordOf(request).operationId = operationId;
    settle(request);
  };
  const options = {
    wireProfile: profile,
    responses: 'pass' as const,
    onError: ignore,
    onFault(fault: Fault, call: Call) {
      explain(fault, call);
      const record = recordOf(call.request);
      if (NO_BREACH.has(fault.kind)) record.violations = [];
      else if (record.violations.length === 0) record.violations = [toFaultViolation(fault)];
      settle(call.request);
      return undefined;
    },
    // Rejected by a rule that a schema cannot express, such as the one against `..` in a path.
    onResponse({ status, body }: HandlerResponse, { request, operationId }: Call) {
      if (status < 400 || !waiting.has(request)) return;
      const record = recordOf(request);
      record.operationId = operationId || undefined;
      record.violations = [toRuleViolation(body)];
      settle(request);
    },
  };

  const call: GatewayHandler = ({ name }, call) => {
    recordOf(call.request).service = name;
    pass(call);
    return { status: 200 };
  };
  const routers: Readonly<Record<Exclude<CallRecord['surface'], 'link'>, Router>> = {
    gateway: createGatewayRouter(toAll(idsOf(operations, 'gateway'), call), {
      ...options,
      ...toRoutes(context, 'gateway'),
      security: auth.gateway,
      requests: { streamBytes: Infinity },
    }),
    storage: createStorageRouter(
      toAll(idsOf(operations, 'storage'), (_: unknown, call: Call) => {
        pass(call);
        return {};
      }) as never,
      // D25: each deployment has its own limit on batch items.
      {
        ...options,
        ...toRoutes(context, 'storage'),
        security: auth.storage,
        batchItems: Infinity,
      },
    ),
    upload: createUploadRouter(
      {
        async uploadFile({ file }, call) {
          // The form is complete only once its end has arrived.
          for await (const _ of file);
          pass(call);
          return { etag: '', location: '' };
        },
      },
      { ...options, ...toRoutes(context, 'upload'), fileBytes: Number.MAX_SAFE_INTEGER / 2 },
    ),
  };

  return (request: RecordedRequest, record: CallRecord) => {
    const shadow = toShadow(request);
    const leave = () => request.unpipe(shadow);
    const { surface } = record;
    if (surface === 'link' || request.method === 'OPTIONS') {
      return { shadow: shadow.resume(), leave, done: Promise.resolve() };
    }
    const done = new Promise<void>((resolve) => {
      waiting.set(shadow, () => {
        leave();
        resolve();
      });
    });
    auth.prepare?.(shadow);
    const router = routers[surface];
    // If no router knows the path, the first finding is that nothing handles it.
    record.operationId = router.find(shadow)?.operationId;
    router(shadow, new ServerResponse(shadow));
    return { shadow, leave, done };
  };
}

/**
 * Copies a request. A router validates the copy while the original is forwarded to the deployment. The original
 * is not affected if the copy is rejected or not read.
 */
function toShadow(request: RecordedRequest) {
  const { method, url, rawHeaders, record } = request;
  const { httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const { expect: _, ...headers } = request.headers;
  const copied = { method, url, headers, rawHeaders, record, complete: false };
  const versions = { httpVersion, httpVersionMajor, httpVersionMinor };
  const shadow = Object.assign(new PassThrough(), copied, versions, { socket: new Socket() });
  shadow
    .on('error', () => {})
    .once('finish', () => {
      shadow.complete = true;
    });
  return shadow as unknown as RecordedRequest & PassThrough;
}

/** Converts a router error without a violation. */
function toFaultViolation({ kind, message }: Fault): Violation {
  const place = kind === 'not-found' || kind === 'method-not-allowed' ? 'path' : 'body';
  return { in: place, pointer: '', keyword: kind, message, schemaPath: '' };
}

/** Converts a refusal in the surface's format, caused by a rule that a schema cannot express. */
function toRuleViolation(body: unknown): Violation {
  const { code, message } = errorOf(body);
  return { in: 'body', pointer: '', keyword: code, message, schemaPath: '' };
}

function errorOf(body: unknown): { code: string; message: string } {
  if (typeof body === 'string') {
    const read = (name: string) => new RegExp(`<${name}>([^<]*)`).exec(body)?.[1] ?? '';
    return { code: read('Code'), message: read('Message') };
  }
  const { code, message } = isObject(body) ? (isObject(body.body) ? body.body : body) : {};
  return {
    code: String(code ?? 'rule'),
    message: String(message ?? 'The request breaks the contract.'),
  };
}

function toAll<Handler>(ids: readonly string[], handler: Handler): Record<string, Handler> {
  return Object.fromEntries(ids.map((id) => [id, handler]));
}

function ignore(): void {}

import { ServerResponse } from 'node:http';
import {
  type Answer,
  type Call,
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  type Fault,
  type GatewayHandler,
  type Router,
} from '@berth/server-stubs';
import { createOffAuth } from '../../auth/off-auth.ts';
import type { Context } from '../../context.ts';
import { idsOf } from '../../contract/operations.ts';
import type { CallRecord } from '../../record/call-record.ts';
import { type RecordedRequest, recordOf } from '../../record/recorded-request.ts';
import { createFaultExplainer } from '../../refusals/explain-fault.ts';
import { toRoutes } from '../../router-options.ts';
import { ShadowRequest } from './shadow-request.ts';
import { toFaultViolation, toRuleViolation } from './to-request-violation.ts';

/** A request that is being judged. */
export interface JudgedRequest {
  /** Gets a copy of the body. */
  readonly shadow: ShadowRequest;
  /** Resolved when the record of the call knows the verdict. */
  readonly done: Promise<void>;
}

/** Holds requests against the contract, without a part in answering them. */
export type RequestJudge = (request: RecordedRequest, record: CallRecord) => JudgedRequest;

/** What is no breach of the contract: credentials and sizes are the deployment's to judge. */
const NO_BREACH = new Set<Fault['kind']>([
  'too-large',
  'unauthorized',
  'not-implemented',
  'invalid-response',
  'handler-failed',
]);

/** Routers of the stubs whose handlers only note that a request is fine. */
export function createRequestJudge(context: Context): RequestJudge {
  const { profile, operations } = context;
  const auth = createOffAuth(profile);
  const explain = createFaultExplainer(context);
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
    // What is refused by a rule that no schema can say, such as a path with `..`.
    onAnswer({ status, body }: Answer, { request, operationId }: Call) {
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
      // D25: the most items of a batch are each deployment's own.
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
          // Only its end shows that the form is whole.
          for await (const _ of file);
          pass(call);
          return { etag: '', location: '' };
        },
      },
      { ...options, ...toRoutes(context, 'upload'), fileBytes: Number.MAX_SAFE_INTEGER / 2 },
    ),
  };

  return (request, record) => {
    const shadow = new ShadowRequest(request, record);
    const { surface } = record;
    if (surface === 'link' || request.method === 'OPTIONS') {
      shadow.leave();
      return { shadow, done: Promise.resolve() };
    }
    const done = new Promise<void>((resolve) => {
      waiting.set(shadow, () => {
        shadow.leave();
        resolve();
      });
    });
    auth.prepare?.(shadow);
    const router = routers[surface];
    // Where no router knows it, the first part of the verdict is that nothing answers it.
    record.operationId = router.find(shadow)?.operationId;
    router(shadow, new ServerResponse(shadow));
    return { shadow, done };
  };
}

function toAll<Handler>(ids: readonly string[], handler: Handler): Record<string, Handler> {
  return Object.fromEntries(ids.map((id) => [id, handler]));
}

function ignore(): void {}

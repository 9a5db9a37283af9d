import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import {
  type Answer,
  type Call,
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  type Fault,
  type GatewayHandler,
  type Router,
  type Violation,
} from '@berth/server-stubs';
import type { Context } from '../context.ts';
import { idsOf } from '../contract/contract.ts';
import { perProfile } from '../contract/wire-profile.ts';
import { type CallRecord, type RecordedRequest, recordOf } from '../session/call-record.ts';
import { createOffAuth } from '../surfaces/auth/auth.ts';
import { createFaultExplainer } from '../surfaces/explain-fault.ts';
import { toRoutes } from '../surfaces/router-options.ts';
import { isObject } from '../util/values.ts';
import { type AnswerJudge, createAnswerJudge } from './judge-answers.ts';

/**
 * A copy of a request for a router that judges it, while the request itself goes on to the deployment.
 * What the router does to it, such as refusing or not reading it, has no effect on the real one.
 */
export class ShadowRequest extends IncomingMessage {
  readonly record: CallRecord;
  #isOver = false;
  #onRead: (() => void) | undefined;

  constructor(request: RecordedRequest, record: CallRecord) {
    super(new Socket());
    this.record = record;
    this.method = request.method as string;
    this.url = request.url as string;
    this.headers = { ...request.headers };
    delete this.headers.expect;
    this.rawHeaders = request.rawHeaders;
    this.httpVersion = request.httpVersion;
    this.httpVersionMajor = request.httpVersionMajor;
    this.httpVersionMinor = request.httpVersionMinor;
    this.on('error', () => {});
  }

  /** Hands on a piece of the body, and calls `next` when there is room for another one. */
  feed(chunk: Buffer, next: () => void): void {
    if (this.#isOver || this.push(chunk)) next();
    else this.#onRead = next;
  }

  /** The body is whole. */
  finish(): void {
    this.complete = true;
    if (!this.#isOver) this.push(null);
  }

  /** Nobody looks at the rest any more. */
  leave(): void {
    this.#isOver = true;
    this.#goOn();
  }

  override _read(): void {
    this.#goOn();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.leave();
    done(error);
  }

  #goOn(): void {
    const next = this.#onRead;
    this.#onRead = undefined;
    next?.();
  }
}

export interface JudgedRequest {
  /** Gets a copy of the body. */
  readonly shadow: ShadowRequest;
  /** Resolved when the record of the call knows the verdict. */
  readonly done: Promise<void>;
}

/** Holds requests against the contract, without a part in answering them. */
type RequestJudge = (request: RecordedRequest, record: CallRecord) => JudgedRequest;

/** Both judges, for the names on the wire that are in use now. */
export interface Judges {
  readonly request: RequestJudge;
  readonly answer: AnswerJudge;
}

export function createJudges(context: Context): () => Judges {
  return perProfile(context, (profile) => ({
    request: createRequestJudge(context),
    answer: createAnswerJudge(profile, context.operations),
  }));
}

/** What is no breach of the contract: credentials and sizes are the deployment's to judge. */
const NO_BREACH = new Set<Fault['kind']>([
  'too-large',
  'unauthorized',
  'not-implemented',
  'invalid-response',
  'handler-failed',
]);

/** Routers of the stubs whose handlers only note that a request is fine. */
function createRequestJudge(context: Context): RequestJudge {
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

/** A fault of the router that names no violation itself. */
function toFaultViolation({ kind, message }: Fault): Violation {
  const place = kind === 'not-found' || kind === 'method-not-allowed' ? 'path' : 'body';
  return { in: place, pointer: '', keyword: kind, message, schemaPath: '' };
}

/** A refusal by a rule that no schema can say, in the shape of its surface. */
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
  return { code: String(code ?? 'rule'), message: String(message ?? 'It breaks the contract.') };
}

function toAll<Handler>(ids: readonly string[], handler: Handler): Record<string, Handler> {
  return Object.fromEntries(ids.map((id) => [id, handler]));
}

function ignore(): void {}

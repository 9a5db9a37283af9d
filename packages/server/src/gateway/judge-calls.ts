import type { Readable } from 'node:stream';
import { GatewayError, type GatewayInput } from '@berth/server-stubs';
import type {
  Fault,
  FaultError,
  JudgedCall,
  JudgedResponse,
} from '@berth/server-stubs/service-document';
import { JUDGED_BYTES } from '../config/resolve-config.ts';
import type { ReadyCall, Watch } from './attempt.ts';
import type { Service, ServiceContract } from './registry/service-registry.ts';
import { type OutgoingBody, ServiceBody } from './service-body.ts';

/**
 * Maximum number of bytes that may be buffered for validation at the same time. Bodies beyond that are not
 * validated.
 */
const HELD_BYTES = 64 * 1024 * 1024;

const FORWARDED = new Set(['GET', 'HEAD', 'POST']);

let held = 0;

export interface Judgement {
  readonly env: string;
  readonly service: string;
  /** operationId in the document; undefined if no operation matches the request. */
  readonly operation?: string | undefined;
  readonly direction: 'request' | 'response';
  /** `unjudged` if the head is valid but the body was not validated. */
  readonly verdict: 'valid' | 'invalid' | 'unjudged';
  /** The violation. It names the field, and contains no values. */
  readonly message?: string;
}

type Report = (judgement: Omit<Judgement, 'env' | 'service'>) => void;

/**
 * Validates a request against the document of its service. JSON and forms of up to 1 MiB are read first. Any
 * other body is streamed, and only the head is validated.
 */
export async function judgeRequest(
  { judge, responses }: ServiceContract,
  service: Service,
  input: GatewayInput,
  given: OutgoingBody,
  report: Report,
) {
  const length = given.content === null ? 0 : (given.length ?? 1);
  const headers = { ...input.headers, 'content-length': String(length) };
  let operation: string | undefined;
  try {
    const call = judge.request({ method: input.method, url: input.target, headers });
    operation = call.operationId;
    const plan = await call.body();
    const bytes = plan === 'read' ? await readBody(input.body, given) : undefined;
    if (bytes !== undefined) await call.readBody(bytes);
    const isUnjudged = plan === 'unread' || (plan === 'read' && bytes === undefined);
    report({ operation, direction: 'request', verdict: isUnjudged ? 'unjudged' : 'valid' });
    return {
      body: bytes === undefined ? given : { ...given, content: bytes, length: bytes.length },
      watch: responses === 'off' ? undefined : createWatcher(call, responses === 'refuse', report),
    };
  } catch (error) {
    if (!isFaultError(error) || error === input.body?.errored) throw error;
    const { message } = error;
    report({ operation, direction: 'request', verdict: 'invalid', message });
    throw toGatewayError(error.fault, service.name, input);
  }
}

async function readBody(
  source: Readable | undefined,
  { content, length = 0 }: OutgoingBody,
): Promise<Buffer | undefined> {
  if (length > JUDGED_BYTES) return undefined;
  if (Buffer.isBuffer(content)) return content;
  // A spooled file is larger than the part that is kept in memory.
  if (!(content instanceof ServiceBody) || source === undefined) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      size += chunk.length;
      held += chunk.length;
      if (size <= JUDGED_BYTES && held <= HELD_BYTES) continue;
      // Nothing is lost: the service gets the bytes that have been read, followed by the rest.
      source.unshift(Buffer.concat(chunks));
      return undefined;
    }
    return Buffer.concat(chunks);
  } finally {
    held -= size;
  }
}

/** Checks the name, because two builds of the package may be loaded. */
function isFaultError(error: unknown): error is FaultError {
  return error instanceof Error && error.name === 'FaultError' && 'fault' in error;
}

function toGatewayError(
  { kind, message, headers }: Fault,
  service: string,
  { method, target }: GatewayInput,
): GatewayError {
  const [path] = target.split('?', 1);
  if (kind === 'not-found') {
    return new GatewayError('INVALID_PATH', {
      message: `The OpenAPI document of the service ${service} has no path ${path}.`,
    });
  }
  if (kind !== 'method-not-allowed') return new GatewayError('INVALID_REQUEST', { message });
  const allowed = headers?.allow?.split(', ').filter((name) => FORWARDED.has(name)) ?? [];
  return new GatewayError('METHOD_NOT_ALLOWED', {
    message: `The OpenAPI document of the service ${service} has no ${method} ${path}.`,
    headers: { allow: allowed.join(', ') },
  });
}

function createWatcher(
  call: JudgedCall,
  isHeld: boolean,
  report: Report,
): NonNullable<ReadyCall['watch']> {
  const conclude = (response: JudgedResponse, bytes?: Buffer) => {
    const message = response.check(bytes)?.message;
    const isUnjudged = response.body !== 'none' && bytes === undefined;
    const common = { operation: call.operationId, direction: 'response' } as const;
    if (message === undefined) {
      report({ ...common, verdict: isUnjudged ? 'unjudged' : 'valid' });
      return;
    }
    report({ ...common, verdict: 'invalid', message });
    if (!isHeld) return;
    throw new GatewayError('BAD_GATEWAY', {
      message: 'The response from the hosted service does not match its OpenAPI document.',
      cause: new Error(message),
    });
  };
  return (status, headers) => {
    const response = call.response(status, headers);
    if (response.body !== 'read' || Number(headers['content-length'] ?? 0) > JUDGED_BYTES) {
      conclude(response);
      return undefined;
    }
    return watchBody(isHeld, (bytes) => conclude(response, bytes));
  };
}

/** Collects a body up to the limit and calls `conclude` with it, or with undefined if the body is larger. */
function watchBody(isHeld: boolean, conclude: (bytes: Buffer | undefined) => void): Watch {
  let chunks: Buffer[] | undefined = [];
  let size = 0;
  const giveUp = () => {
    chunks = undefined;
    held -= size;
  };
  return {
    isHeld,
    push(chunk) {
      if (chunks === undefined) return false;
      chunks.push(chunk);
      size += chunk.length;
      held += chunk.length;
      if (size <= JUDGED_BYTES && held <= HELD_BYTES) return true;
      giveUp();
      conclude(undefined);
      return false;
    },
    end() {
      if (chunks === undefined) return;
      const bytes = Buffer.concat(chunks);
      giveUp();
      conclude(bytes);
    },
    close() {
      if (chunks !== undefined) giveUp();
    },
  };
}

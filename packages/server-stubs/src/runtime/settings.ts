import { inspect } from 'node:util';
import type { Call } from './call.ts';
import type { RequestLimits, RouterOptions } from './options.ts';
import { toProblem } from './to-problem.ts';

export type Limits = Required<RequestLimits>;

/** The options of a router with all defaults. */
export interface Settings
  extends Required<
    Omit<
      RouterOptions,
      'requests' | 'requestId' | 'headers' | 'onAnswer' | 'onFault' | 'security' | 'deprecations'
    >
  > {
  readonly limits: Limits;
  readonly requestId: RouterOptions['requestId'];
  readonly headers: RouterOptions['headers'];
  readonly onAnswer: RouterOptions['onAnswer'];
  readonly onFault: RouterOptions['onFault'];
}

const DEFAULT_LIMITS: Limits = {
  bodyBytes: 1024 * 1024,
  streamBytes: Infinity,
  headerBytes: Infinity,
  pathBytes: 8 * 1024,
  queryBytes: 8 * 1024,
  jsonDepth: 64,
  formFields: 100,
  fieldBytes: 64 * 1024,
  formFiles: 10,
};

/** @throws TypeError for a limit that is no number of at least 0 */
export function toSettings(options: RouterOptions): Settings {
  return {
    limits: { ...DEFAULT_LIMITS, ...definedOf(options.requests ?? {}) },
    responses: options.responses ?? 'refuse',
    onViolation: options.onViolation ?? warn,
    onError: options.onError ?? print,
    toAnswer: options.toAnswer ?? toProblem,
    requestId: options.requestId,
    headers: options.headers,
    onAnswer: options.onAnswer,
    onFault: options.onFault,
  };
}

function definedOf(limits: RequestLimits): RequestLimits {
  const entries = Object.entries(limits).filter(([, value]) => value !== undefined);
  const wrong = entries.find(([, value]) => !(typeof value === 'number' && value >= 0));
  if (wrong) throw new TypeError(`requests.${wrong[0]} must be a number of at least 0.`);
  return Object.fromEntries(entries);
}

function warn({ message }: { message: string }, { operationId }: Call): void {
  process.emitWarning(
    `The answer of ${operationId} breaks the document: ${message}`,
    'BerthWarning',
  );
}

function print(error: unknown, { operationId }: Call): void {
  process.stderr.write(`${operationId}: ${inspect(error)}\n`);
}

import { Answering } from './answering/answering.ts';
import type { ReadBody } from './body/create-body-reader.ts';
import type { Form } from './body/multipart.ts';
import { toRawRequest } from './body/request-stream.ts';
import type { Call, Principals } from './call.ts';
import { Refusal } from './create-guard.ts';
import type { NullObject } from './decoding.ts';
import { invalidRequest, notImplemented, toViolation, type Violation } from './faults.ts';
import type { Input, Settings } from './options.ts';
import type { Plan } from './plan.ts';
import type { Answer, Content, RequestBody } from './route-table.ts';

class HandlerInput implements Input {
  path: NullObject | undefined = undefined;
  query: NullObject | undefined = undefined;
  header: NullObject | undefined = undefined;
  cookie: NullObject | undefined = undefined;
  contentType: string | undefined = undefined;
  body: unknown = undefined;
}

const PARTS = new Set<string>(['path', 'query', 'header', 'cookie']);

/**
 * One call from its route to its answer: security, parameters, body, handler. Each step calls the next
 * in the same turn of the event loop where it can, and each entry from the outside catches all.
 */
export class Exchange {
  readonly #plan: Plan;
  readonly #call: Call;
  readonly #values: readonly string[];
  readonly #settings: Settings;
  readonly #answering: Answering;
  readonly #input = new HandlerInput();

  constructor(plan: Plan, call: Call, values: readonly string[], settings: Settings) {
    this.#plan = plan;
    this.#call = call;
    this.#values = values;
    this.#settings = settings;
    this.#answering = new Answering(call, plan, settings);
  }

  begin(): void {
    const { handle, guard } = this.#plan;
    if (handle === undefined) {
      this.#answering.fault(notImplemented(this.#call.operationId));
      return;
    }
    try {
      const verdict = guard === undefined ? undefined : guard(this.#call);
      if (verdict === undefined) this.#read();
      else if (verdict instanceof Promise) this.#await(verdict, (late) => this.#onVerdict(late));
      else this.#onVerdict(verdict);
    } catch (error) {
      this.#answering.error(error);
    }
  }

  /** Goes on with what a promise gives; whatever fails becomes an answer. */
  #await<Value>(promise: PromiseLike<Value>, next: (value: Value) => void): void {
    promise.then(
      (value) => {
        try {
          next(value);
        } catch (error) {
          this.#answering.error(error);
        }
      },
      (error) => this.#answering.error(error),
    );
  }

  #onVerdict(verdict: Principals | Refusal): void {
    if (verdict instanceof Refusal) {
      this.#answering.refuse(verdict);
      return;
    }
    this.#call.security = verdict;
    this.#read();
  }

  #read(): void {
    const { readParameters, readBody, route } = this.#plan;
    const { request, rawQuery } = this.#call;
    if (readParameters !== undefined) {
      const violations = readParameters(this.#input, request, this.#values, rawQuery);
      if (violations.length > 0) {
        this.#invalid(violations);
        return;
      }
      const { validateParameters: validate } = route;
      if (validate !== undefined && !validate(this.#input)) {
        this.#invalid([toParameterViolation(validate.errors)]);
        return;
      }
    }
    if (route.passThrough) {
      const raw = toRawRequest(request, this.#settings.limits.streamBytes);
      if ('fault' in raw) {
        this.#answering.fault(raw.fault);
        return;
      }
      this.#input.body = raw.body;
      this.#handle();
    } else if (readBody === undefined) {
      this.#handle();
    } else {
      readBody(request, (body) => this.#onBody(body));
    }
  }

  /** Called from the events of the request, where nobody else would catch. */
  #onBody(body: ReadBody): void {
    try {
      if (body.fault !== undefined) {
        this.#answering.fault(body.fault);
        return;
      }
      const violation = body.content && this.#take(body.value, body.content);
      if (violation === undefined) this.#handle();
      else this.#invalid([violation]);
    } catch (error) {
      this.#answering.error(error);
    }
  }

  /** Puts a body that fits its schema into the input. */
  #take(body: unknown, { kind, mediaType, validate }: Content): Violation | undefined {
    const input = this.#input;
    input.contentType = mediaType;
    input.body = body;
    if (kind === 'binary') return undefined;
    if (kind === 'multipart') {
      this.#answering.form = body as Form;
      return undefined;
    }
    let place = '';
    const { unwrap: wrapper } = this.#plan.route.body as RequestBody;
    if (wrapper !== undefined) {
      const unwrapped = unwrap(body, this.#plan.route.body as RequestBody);
      if (unwrapped.problem !== undefined) return toPlacement(unwrapped.problem);
      input.body = unwrapped.value;
      place = unwrapped.place;
    }
    if (validate === undefined || validate(input.body)) return undefined;
    return toViolation(validate.errors, 'body', 'body', place === '' ? '' : `/${place}`);
  }

  #handle(): void {
    const answer = (this.#plan.handle as NonNullable<Plan['handle']>)(this.#input, this.#call);
    if (typeof (answer as PromiseLike<Answer> | undefined)?.then === 'function') {
      this.#await(answer as PromiseLike<Answer>, (late) => this.#answering.answer(late));
    } else {
      this.#answering.answer(answer as Answer);
    }
  }

  #invalid(violations: readonly Violation[]): void {
    this.#answering.fault(invalidRequest(violations));
  }
}

/** A validator of parameters sees all parts: the first step of its path names the part. */
function toParameterViolation(errors: Parameters<typeof toViolation>[0]): Violation {
  const error = errors?.[0];
  const [, part = '', ...rest] = error?.instancePath.split('/') ?? [];
  if (!error || !PARTS.has(part)) return toViolation(errors, 'query', 'parameters');
  const instancePath = rest.map((step) => `/${step}`).join('');
  return toViolation([{ ...error, instancePath }], part as Violation['in'], part);
}

function toPlacement(message: string): Violation {
  return { in: 'body', pointer: '', keyword: 'unwrap', message, schemaPath: '' };
}

/** The fields, and where they stand: the property, or an empty text. */
interface Unwrapped {
  readonly value: unknown;
  readonly place: string;
  /** Why the body is refused. */
  readonly problem?: string;
}

/** Takes the fields out of the property that `x-berth-unwrap` names, if they stand there. */
function unwrap(value: unknown, { unwrap: place, unwrapFields }: RequestBody): Unwrapped {
  if (place === undefined || !isObject(value) || !Object.hasOwn(value, place)) {
    return { value, place: '' };
  }
  const beside = unwrapFields
    ? unwrapFields.find((name) => Object.hasOwn(value, name))
    : Object.keys(value).find((name) => name !== place);
  if (beside !== undefined) {
    const problem = `body.${beside} stands beside body.${place}: send the fields in one of the two places, not in both.`;
    return { value, place: '', problem };
  }
  return { value: value[place], place };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { Answering } from './answering/answering.ts';
import type { ReadBody } from './body/create-body-reader.ts';
import type { Form } from './body/create-multipart-stream.ts';
import { toRawRequest } from './body/to-raw-request.ts';
import { unwrap } from './body/unwrap.ts';
import type { Call, Principals } from './call.ts';
import { invalidRequest, notImplemented } from './faults.ts';
import type { Input } from './handler.ts';
import type { NullObject } from './parameters/null-object.ts';
import type { Plan } from './plan.ts';
import type { Answer, RequestBody } from './route-table.ts';
import { Refusal } from './security/create-guard.ts';
import type { Settings } from './settings.ts';
import { toViolation } from './to-violation.ts';
import type { Violation } from './violation.ts';

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
    if (guard === undefined) {
      this.#guarded(() => this.#read());
      return;
    }
    this.#guarded(() => {
      const verdict = guard(this.#call);
      if (verdict instanceof Promise) {
        verdict.then(
          (late) => this.#guarded(() => this.#onVerdict(late)),
          (error) => this.#answering.error(error),
        );
      } else {
        this.#onVerdict(verdict);
      }
    });
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#answering.error(error);
    }
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
      readBody(request, (body) => this.#guarded(() => this.#onBody(body)));
    }
  }

  #onBody({ fault, value, content }: ReadBody): void {
    if (fault !== undefined) {
      this.#answering.fault(fault);
      return;
    }
    if (content !== undefined) {
      const { value: fields, place, problem } = unwrap(value, this.#plan.route.body as RequestBody);
      if (problem !== undefined) {
        this.#invalid([toPlacement(problem)]);
        return;
      }
      const { kind, validate } = content;
      const isWhole = kind === 'json' || kind === 'text' || kind === 'form';
      if (isWhole && validate !== undefined && !validate(fields)) {
        const prefix = place === '' ? '' : `/${place}`;
        this.#invalid([toViolation(validate.errors, 'body', 'body', prefix)]);
        return;
      }
      if (kind === 'multipart') this.#answering.form = value as Form;
      this.#input.body = fields;
      this.#input.contentType = content.mediaType;
    }
    this.#handle();
  }

  #handle(): void {
    const answer = (this.#plan.handle as NonNullable<Plan['handle']>)(this.#input, this.#call);
    if (typeof (answer as PromiseLike<Answer> | undefined)?.then === 'function') {
      (answer as PromiseLike<Answer>).then(
        (late) => this.#guarded(() => this.#answering.answer(late)),
        (error) => this.#answering.error(error),
      );
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

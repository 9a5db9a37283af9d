import type { ReadBody } from './body/create-body-reader.ts';
import { readFields } from './body/read-fields.ts';
import { toRawRequest } from './body/request-stream.ts';
import type { Call } from './call.ts';
import { HttpError, invalidRequest, toViolation, type Violation } from './faults.ts';
import type { Input, Settings } from './options.ts';
import type { Plan } from './plan.ts';
import { Responder } from './responding/responder.ts';
import type { RequestBody } from './route-table.ts';

const PARTS = new Set<string>(['path', 'query', 'header', 'cookie']);

const NO_INPUT: Input = {
  path: undefined,
  query: undefined,
  header: undefined,
  cookie: undefined,
  contentType: undefined,
  body: undefined,
};

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** Handles a call from its route to its response. Never rejects. */
export async function exchange(
  plan: Plan,
  call: Call,
  values: readonly string[],
  settings: Settings,
): Promise<void> {
  const responder = new Responder(call, plan, settings);
  try {
    if (plan.handle === undefined) {
      const message = `Operation ${call.operationId} is not implemented.`;
      throw new HttpError('not-implemented', message);
    }
    if (plan.guard !== undefined) {
      call.security = await plan.guard(call);
    }
    const input = readParameters(plan, call, values);
    if (plan.route.passThrough) {
      input.body = toRawRequest(call.request, settings.limits.streamBytes);
    } else {
      const body = await plan.readBody?.(call.request);
      if (body !== undefined) takeBody(input, body, plan.route.body as RequestBody);
    }
    responder.respond(await plan.handle(input, call));
  } catch (error) {
    responder.error(error);
  }
}

function readParameters(
  { route, readParameters: read }: Plan,
  { request, rawQuery }: Pick<Call, 'request' | 'rawQuery'>,
  values: readonly string[],
): Writable<Input> {
  const input: Writable<Input> = { ...NO_INPUT };
  const violations = read?.(input, request, values, rawQuery) ?? [];
  if (violations.length > 0) throw invalidRequest(violations);
  const { validateParameters: validate } = route;
  if (validate !== undefined && !validate(input)) {
    throw invalidRequest([toParameterViolation(validate.errors)]);
  }
  return input;
}

/** The parameter validator validates all parts, so the first step in its path is the part. */
function toParameterViolation(errors: Parameters<typeof toViolation>[0]): Violation {
  const error = errors?.[0];
  const [, part = '', ...rest] = error?.instancePath.split('/') ?? [];
  if (!error || !PARTS.has(part)) return toViolation(errors, 'query', 'parameters');
  const instancePath = rest.map((step) => `/${step}`).join('');
  return toViolation([{ ...error, instancePath }], part as Violation['in'], part);
}

function takeBody(
  input: Writable<Input>,
  { value, content: { kind, mediaType, validate } }: ReadBody,
  documented: RequestBody,
): void {
  input.contentType = mediaType;
  input.body = kind === 'binary' ? value : readFields(value, documented, validate);
}

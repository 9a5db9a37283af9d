import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  describeProblem,
  type Problem,
  type ReadFile,
  type ServiceFault,
} from '../../util/source-file.ts';
import { isObject, suggest, toKeys, toMilliseconds } from '../../util/values.ts';
import { type CompiledService, compileService } from '../compile-service.ts';
import type { FakeService, ScriptedEvent, WebSocketStep } from '../fake-service.ts';
import { parseRouteKey, type RouteKey, shapeOf } from '../routes.ts';
import serviceSchema from '../schema/service.schema.json' with { type: 'json' };
import services from '../schema/services.schema.json' with { type: 'json' };
import type { DocumentOptions } from '../services.ts';
import type { SourceFile } from './folders.ts';

/** Result of loading a file: services, or errors. */
export type Validated =
  | { readonly services: readonly CompiledService[]; readonly warnings?: readonly ServiceFault[] }
  | { readonly faults: readonly ServiceFault[] };

/** Validates and compiles the single service in a file. */
export async function validateFile(
  file: SourceFile,
  { value, locate }: ReadFile,
  documents: DocumentOptions,
): Promise<Validated> {
  const { path, name } = file;
  const toFault = (problem: Problem): ServiceFault => ({
    file: path,
    ...locate(problem),
    message: describeProblem(problem),
  });
  if (name === undefined) return validateServices(value, dirname(path), toFault);
  const nameFault = documents.isRoot ? undefined : findNameFault(name);
  if (nameFault !== undefined) {
    const message = `The file name ${name} ${nameFault} Rename the file, or add the prefix _ if it is not a service.`;
    return { faults: [{ file: path, message }] };
  }
  if (file.kind === 'document') {
    // Prism is slow to load.
    const { compileDocument } = await import('../documents/compile-document.ts');
    const compiled = await compileDocument(name, value, documents);
    if (!('service' in compiled)) return { faults: compiled.map(toFault) };
    const warnings = compiled.warnings.map((problem) => {
      const fault = toFault(problem);
      return { ...fault, message: `Warning: ${fault.message}` };
    });
    return { services: [compiled.service], warnings };
  }
  const problems = await validateOne(value, dirname(path), []);
  if (problems.length > 0) return { faults: problems.map(toFault) };
  return { services: [compileService(name, value as FakeService, dirname(path))] };
}

/** The contract's pattern for hosted service names, as editors use it. */
const PATTERN = new RegExp(services.propertyNames.pattern);

/** Returns what is wrong with a service name, as the rest of a sentence; undefined if it is valid. */
function findNameFault(name: string): string | undefined {
  return PATTERN.test(name)
    ? undefined
    : 'is not a valid service name: it must begin with a letter, end with a letter or digit, and have 2 to 60 letters, digits, _ and -.';
}

async function validateOne(service: unknown, folder: string, prefix: string[]): Promise<Problem[]> {
  const problems = [...validateService(service), ...(await checkPaths(service, folder))];
  return problems.map((problem) => ({ ...problem, path: [...prefix, ...problem.path] }));
}

/** Returns all errors in a service definition from a file or from code. */
function validateService(service: unknown): readonly Problem[] {
  const shape = validateShape(withoutCode(service));
  if (!isObject(service)) return shape;
  const routes = isObject(service.routes) ? Object.entries(service.routes) : [];
  return [...shape, ...validateKeys(routes), ...routes.flatMap(validateRoute)];
}

/** Reduces a value to what JSON can represent, because code may contain anything. */
function withoutCode(service: unknown): unknown {
  if (!isObject(service) || !isObject(service.routes)) return service;
  const routes = Object.entries(service.routes).map(([key, route]) => [key, plainOf(route)]);
  return { ...service, routes: Object.fromEntries(routes) };
}

function plainOf(route: unknown): unknown {
  if (typeof route === 'function') return {};
  if (!isObject(route)) return route;
  const { events, webSocket } = route;
  if (typeof webSocket === 'function') return { ...route, webSocket: [] };
  const isGiven = isObject(events) && (Symbol.asyncIterator in events || Symbol.iterator in events);
  return isGiven ? { ...route, events: [] } : route;
}

function validateKeys(routes: readonly (readonly [string, unknown])[]): Problem[] {
  const shapes = new Map<string, string>();
  return routes.flatMap(([key]): Problem[] => {
    const path = ['routes', key];
    const parsed = parse(key);
    if (typeof parsed === 'string') return [{ path, isKey: true, rest: `${parsed}.` }];
    const shape = shapeOf(parsed);
    const before = shapes.get(shape);
    shapes.set(shape, key);
    if (before === undefined) return [];
    return [{ path, isKey: true, rest: `matches the same calls as ${JSON.stringify(before)}.` }];
  });
}

function parse(key: string): RouteKey | string {
  try {
    return parseRouteKey(key);
  } catch (error) {
    return (error as TypeError).message;
  }
}

const BODIES = ['json', 'text', 'base64', 'file'] as const;

function validateRoute([key, route]: readonly [string, unknown]): Problem[] {
  const path = ['routes', key];
  if (!isObject(route)) return [];
  const isScript = 'webSocket' in route;
  if (isScript !== key.startsWith('WS ')) {
    const rest = isScript
      ? 'is a WebSocket: use WS instead of the method in its key.'
      : 'is not a WebSocket: give it a webSocket script, or start its key with GET or POST.';
    return [{ path, rest }];
  }
  const { events, webSocket, repeat } = route;
  if (Array.isArray(webSocket)) return validateSteps(webSocket, repeat, path);
  if (Array.isArray(events)) return validateEvents(events, repeat, path);
  const bodies = BODIES.filter((name) => name in route);
  if (bodies.length < 2) return [];
  const [first, second] = bodies as [string, string];
  return [
    {
      path: [...path, second],
      isKey: true,
      rest: `cannot be combined with ${first}: a response has only one body.`,
    },
  ];
}

function validateEvents(
  events: readonly ScriptedEvent[],
  repeat: unknown,
  path: readonly string[],
): Problem[] {
  const waits = events.some((event) => isObject(event) && lasts(event.delay));
  return repeat === true && !waits ? [tooFast([...path, 'repeat'])] : [];
}

function tooFast(path: readonly string[]): Problem {
  return { path, rest: 'needs a delay in the script: without one it would flood the caller.' };
}

function lasts(delay: unknown): boolean {
  return (toMilliseconds(delay) ?? 0) > 0;
}

function validateSteps(
  steps: readonly WebSocketStep[],
  repeat: unknown,
  path: readonly string[],
): Problem[] {
  const known = steps.filter((step) => isObject(step));
  const waits = known.some(
    (step) => 'expect' in step || 'echo' in step || ('delay' in step && lasts(step.delay)),
  );
  const unreached = known.findIndex((step) => 'echo' in step || 'close' in step || 'cut' in step);
  return [
    ...(repeat === true && !waits ? [tooFast([...path, 'repeat'])] : []),
    ...(unreached >= 0 && unreached < steps.length - 1
      ? [
          {
            path: [...path, 'webSocket', unreached + 1],
            rest: 'is unreachable: echo, close and cut must be the last step of a script.',
          },
        ]
      : []),
  ];
}

async function checkPaths(service: unknown, folder: string): Promise<Problem[]> {
  const routes = isObject(service) && isObject(service.routes) ? service.routes : {};
  const problems = Object.entries(routes).map(async ([key, route]): Promise<Problem[]> => {
    if (!isObject(route) || typeof route.file !== 'string' || route.file === '') return [];
    const path = resolve(folder, route.file);
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    return isFile
      ? []
      : [{ path: ['routes', key, 'file'], rest: `must be a file, but ${path} is not one.` }];
  });
  return (await Promise.all(problems)).flat();
}

/**
 * Validates and compiles services by name.
 *
 * @param folder base of relative file paths
 */
export async function validateServices(
  value: unknown,
  folder: string,
  toFault: (problem: Problem) => ServiceFault = (problem) => ({
    message: describeProblem(problem),
  }),
): Promise<Validated> {
  if (!isObject(value)) {
    return { faults: [toFault({ path: [], rest: 'must be an object of services by name.' })] };
  }
  const entries = Object.entries(value);
  const problems: Problem[] = [];
  for (const [name, service] of entries) {
    const rest = findNameFault(name);
    if (rest !== undefined) problems.push({ path: [name], isKey: true, rest });
    problems.push(...(await validateOne(service, folder, [name])));
  }
  if (problems.length > 0) return { faults: problems.map(toFault) };
  return {
    services: entries.map(([name, service]) =>
      compileService(name, service as FakeService, folder),
    ),
  };
}

let validator: ValidateFunction | undefined;

/** Validates a service against `service.schema.json`, as editors do for YAML files. */
function validateShape(service: unknown): readonly Problem[] {
  validator ??= new Ajv2020({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    strictRequired: false,
    // Validating the schema itself (which a test does) and optimizing the code would take longer than
    // they save.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  })
    // Editors show this message too.
    .addKeyword('errorMessage')
    .compile(serviceSchema);
  if (validator(service)) return [];
  const problems = (validator.errors ?? []).filter(isSaid).map(toProblem);
  // If part of a value is wrong, the message about the complete value adds nothing.
  return problems.filter(
    ({ path }, at) =>
      !problems.some(
        (other, before) =>
          path.every((key, depth) => key === other.path[depth]) &&
          (other.path.length > path.length || (other.path.length === path.length && before < at)),
      ),
  );
}

/** Drops errors that only report a failed branch, and the branches of a choice, which has its own message. */
function isSaid({ keyword, schemaPath }: ErrorObject): boolean {
  if (keyword === 'if' || keyword === 'propertyNames') return false;
  return !/\/(oneOf|anyOf|propertyNames)\//.test(schemaPath);
}

function toProblem({ instancePath, keyword, params, parentSchema, message }: ErrorObject): Problem {
  const path = toKeys(instancePath).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  if (keyword === 'additionalProperties') {
    const { additionalProperty: name } = params as { additionalProperty: string };
    const known = Object.keys((parentSchema as { properties?: object }).properties ?? {});
    const hint = suggest(name, known, ' did you mean', ` the fields are ${known.join(', ')}.`);
    return { path: [...path, name], isKey: true, rest: `is not a field here;${hint}` };
  }
  const { errorMessage } = parentSchema as { errorMessage?: string };
  return { path, rest: errorMessage ?? `${message}.` };
}

import { toKey, toLiteral } from '../names.ts';
import type { Model, Operation } from '../operations/model.ts';
import type { SchemaNames } from '../schema/schema-store.ts';
import { ValidatorPlan } from '../validators/validator-plan.ts';

const WIDTH = 100;

export interface Plans {
  readonly requests: ValidatorPlan;
  readonly responses: ValidatorPlan;
}

export function createPlans({ store }: Model, names: SchemaNames): Plans {
  return {
    requests: new ValidatorPlan(store, names, 'request'),
    responses: new ValidatorPlan(store, names, 'response'),
  };
}

export function writeRoutes(model: Model, plans: Plans, runtime: string): string {
  const table = {
    title: model.title,
    securitySchemes: model.securitySchemes,
    routes: model.operations.map((operation) => toRoute(operation, plans)),
  };
  const text = `export const routes: RouteTable = ${toSource(table)};`;
  const imports = (['requests', 'responses'] as const)
    .filter((each) => plans[each].entries.length > 0)
    .map((each) => `import * as ${each} from './${each.slice(0, -1)}-validators.gen.ts';`);
  return [
    `import type { RouteTable } from '${runtime}';`,
    ...imports,
    '',
    '/** The route table of the document. */',
    text,
  ].join('\n');
}

function toRoute(operation: Operation, plans: Plans) {
  const { body, parameters, responses, passThrough } = operation;
  const toCode = (direction: keyof Plans, name: string | undefined) =>
    name === undefined ? undefined : new Code(`${direction}.${name}`);
  return {
    operationId: operation.operationId,
    method: operation.method,
    path: operation.path,
    parameters: parameters.map(({ parameter }) => parameter),
    validateParameters: toCode('requests', plans.requests.ofParameters(operation)),
    body: body && {
      required: body.required,
      unwrap: body.unwrap,
      unwrapFields: body.unwrapFields,
      content: body.contents.map((content) => ({
        mediaType: content.mediaType,
        kind: content.kind,
        fields: content.fields,
        additional: content.additional,
        validate: passThrough
          ? undefined
          : toCode('requests', plans.requests.ofBody(operation, content)),
      })),
    },
    responses: responses.map((response) => {
      const required = response.headers.filter((header) => header.required);
      return {
        status: response.status,
        requiredHeaders:
          required.length === 0 ? undefined : required.map(({ name }) => name.toLowerCase()),
        content: response.contents.map((content) => ({
          mediaType: content.mediaType,
          kind: content.kind,
          validate: passThrough
            ? undefined
            : toCode('responses', plans.responses.ofResponse(operation, response, content)),
        })),
      };
    }),
    security: operation.security,
    scopes: operation.scopes.some((each) => Object.keys(each).length > 0)
      ? operation.scopes
      : undefined,
    passThrough: passThrough || undefined,
  };
}

class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** On one line if it fits. Omits properties that are `undefined`. */
function toSource(value: unknown, depth = 0): string {
  if (value instanceof Code) return value.text;
  if (typeof value !== 'object' || value === null) return toLiteral(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((each) => ({ key: undefined, each }))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => ({ key, each }));
  if (members.length === 0) return `${open}${close}`;
  const lines = members.map(({ key, each }) => toMember(key, each, depth + 1));
  const space = Array.isArray(value) ? '' : ' ';
  const line = `${open}${space}${lines.join(', ')}${space}${close}`;
  if (!line.includes('\n') && line.length + 2 * depth < WIDTH) return line;
  const inner = '  '.repeat(depth + 1);
  return `${open}\n${lines.map((each) => `${inner}${each},\n`).join('')}${'  '.repeat(depth)}${close}`;
}

function toMember(key: string | undefined, value: unknown, depth: number): string {
  const source = toSource(value, depth);
  if (key === undefined) return source;
  // `__proto__: …` would set the prototype.
  if (key === '__proto__') return `['__proto__']: ${source}`;
  // In TypeScript, a record inherits the members of every object, such as the function `constructor`.
  const isInherited = key in Object.prototype && typeof value === 'object' && value !== null;
  return `${toKey(key)}: ${source}${isInherited ? ' as const' : ''}`;
}

import type { Model, Operation } from '../operations/model.ts';
import type { ValidatorPlan } from '../validators/validator-plan.ts';
import type { ModuleNames } from './module-names.ts';
import { Code, toSource } from './to-source.ts';

export interface Plans {
  readonly requests: ValidatorPlan;
  readonly responses: ValidatorPlan;
}

/** `routes.gen.ts`: the table from which the runtime makes a router. */
export function writeRoutes(model: Model, plans: Plans, names: ModuleNames): string {
  const table = {
    title: model.title,
    version: model.version,
    sha256: model.sha256,
    securitySchemes: model.securitySchemes,
    routes: model.operations.map((operation) => toRoute(operation, plans)),
  };
  const text = `export const routes: RouteTable = ${toSource(table)};`;
  const imports = (['requests', 'responses'] as const)
    .filter((each) => plans[each].entries.length > 0)
    .map(
      (each) => `import * as ${each} from '${names.sibling(`${each.slice(0, -1)}-validators`)}';`,
    );
  return [
    `import type { RouteTable } from '${names.runtime}';`,
    ...imports,
    '',
    '/** All that the runtime knows of the document. */',
    text,
  ].join('\n');
}

function toRoute(operation: Operation, plans: Plans): object {
  const { body, parameters, responses, passThrough } = operation;
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
    deprecated: operation.deprecated || undefined,
  };
}

function toCode(module: string, name: string | undefined): Code | undefined {
  return name === undefined ? undefined : new Code(`${module}.${name}`);
}

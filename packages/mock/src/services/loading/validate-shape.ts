import type { ErrorObject } from 'ajv';
import type { Problem } from '../../util/source-file.ts';
import { suggest } from '../../util/values.ts';
import serviceSchema from '../schema/service.schema.json' with { type: 'json' };

type Checker = (service: unknown) => readonly Problem[];

let validator: Promise<Checker> | undefined;

/** Loads a function that validates services against `service.schema.json`, as editors do for YAML files. */
export function loadShapeValidator(): Promise<Checker> {
  validator ??= load();
  return validator;
}

/** Loaded only if services are defined. */
async function load(): Promise<Checker> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    strictRequired: false,
    // Validating the schema itself (which a test does) and optimizing the code would take longer than
    // they save.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  // Editors show this message too.
  const validate = ajv.addKeyword('errorMessage').compile(serviceSchema);
  return (service) => {
    if (validate(service)) return [];
    const problems = (validate.errors ?? []).filter(isSaid).map(toProblem);
    // If part of a value is wrong, the message about the complete value adds nothing.
    return problems.filter(
      ({ path }, at) =>
        !problems.some(
          (other, before) =>
            path.every((key, depth) => key === other.path[depth]) &&
            (other.path.length > path.length || (other.path.length === path.length && before < at)),
        ),
    );
  };
}

/** Drops errors that only report a failed branch, and the branches of a choice, which has its own message. */
function isSaid({ keyword, schemaPath }: ErrorObject): boolean {
  if (keyword === 'if' || keyword === 'propertyNames') return false;
  return !/\/(oneOf|anyOf|propertyNames)\//.test(schemaPath);
}

function toProblem({ instancePath, keyword, params, parentSchema, message }: ErrorObject): Problem {
  const path = toPath(instancePath);
  if (keyword === 'additionalProperties') {
    const { additionalProperty: name } = params as { additionalProperty: string };
    const known = Object.keys((parentSchema as { properties?: object }).properties ?? {});
    const hint = suggest(name, known, ' did you mean', ` the fields are ${known.join(', ')}.`);
    return { path: [...path, name], isKey: true, rest: `is not a field here;${hint}` };
  }
  const { errorMessage } = parentSchema as { errorMessage?: string };
  return { path, rest: errorMessage ?? `${message}.` };
}

function toPath(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

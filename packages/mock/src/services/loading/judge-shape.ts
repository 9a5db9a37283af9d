import type { ErrorObject } from 'ajv';
import type { Problem } from '../../util/source-file.ts';
import { suggest } from '../../util/values.ts';
import serviceSchema from '../schema/service.schema.json' with { type: 'json' };

type Judge = (service: unknown) => readonly Problem[];

let judge: Promise<Judge> | undefined;

/** Holds services to `service.schema.json`, which editors hold YAML files to as well. */
export function loadShapeJudge(): Promise<Judge> {
  judge ??= load();
  return judge;
}

/** Loaded for those alone who define services. */
async function load(): Promise<Judge> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    strictRequired: false,
    // A test holds the schema to its own: that, and shorter code, take longer than they are worth here.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  // Editors show this sentence too.
  const validate = ajv.addKeyword('errorMessage').compile(serviceSchema);
  return (service) => {
    if (validate(service)) return [];
    const problems = (validate.errors ?? []).filter(isSaid).map(toProblem);
    // Where a part of a value is wrong, the sentence about the whole says nothing new.
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

/** Not what only says that a branch failed, nor the branches of a choice, of which the whole speaks. */
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
    return { path: [...path, name], isKey: true, rest: `is no field here;${hint}` };
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

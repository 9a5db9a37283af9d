import type { SchemaError } from './route-table.ts';
import type { Violation } from './violation.ts';

/** The first error of a validator as a violation. */
export function toViolation(
  errors: readonly SchemaError[] | null | undefined,
  place: Violation['in'],
  root: string,
  prefix = '',
): Violation {
  const error = errors?.[0];
  if (error === undefined) {
    const message = `${root} does not fit the schema.`;
    return { in: place, pointer: prefix, keyword: 'schema', message, schemaPath: '' };
  }
  const { keyword, schemaPath } = error;
  const pointer = prefix + error.instancePath + missingOf(error);
  return {
    in: place,
    pointer,
    keyword,
    message: toMessage(error, `${root}${toPath(pointer)}`),
    schemaPath,
  };
}

/** A missing property has no path of its own: its parent is what failed. */
function missingOf({ keyword, params }: SchemaError): string {
  const name = keyword === 'required' ? params.missingProperty : undefined;
  return typeof name === 'string' ? `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : '';
}

function toMessage(
  { keyword, params, message = 'is not valid' }: SchemaError,
  field: string,
): string {
  switch (keyword) {
    case 'required':
      return `${field} is missing.`;
    case 'type':
      return `${field} must be ${toTypes(params.type)}.`;
    case 'enum':
      return `${field} must be one of ${toList(params.allowedValues)}.`;
    case 'const':
      return `${field} must be ${JSON.stringify(params.allowedValue)}.`;
    case 'additionalProperties':
      return `${field} must not have the property ${String(params.additionalProperty)}.`;
    case 'unevaluatedProperties':
      return `${field} must not have the property ${String(params.unevaluatedProperty)}.`;
    case 'format':
      return `${field} must be a valid ${String(params.format)}.`;
    default:
      return `${field} ${message.replace('must NOT', 'must not')}.`;
  }
}

/** `/fileList/0/fileID` as `.fileList[0].fileID`. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('');
}

function toTypes(type: unknown): string {
  const types = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return types.map((name) => ARTICLES[name] ?? name).join(' or ');
}

const ARTICLES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function toList(values: unknown): string {
  return Array.isArray(values)
    ? values.map((value) => JSON.stringify(value)).join(', ')
    : 'its values';
}

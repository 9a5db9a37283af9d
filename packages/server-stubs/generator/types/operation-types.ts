import { type Names, toKey, toLiteral, toTypeName } from '../names.ts';
import type { BodyModel, ContentModel, Operation, ParameterModel } from '../operations/model.ts';
import type { SchemaTypes } from './schema-types.ts';
import { toJsDoc } from './to-comment.ts';
import { toOutput } from './to-output.ts';

const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** Names of the types of one operation. */
export interface OperationNames {
  readonly input: string;
  readonly output: string;
}

export function takeNames({ operationId }: Operation, names: Names): OperationNames {
  const name = toTypeName(operationId);
  return { input: names.take(`${name}Input`), output: names.take(`${name}Output`) };
}

/** Declaration of the type of what a handler is given. */
export function writeInput(operation: Operation, name: string, types: SchemaTypes): string {
  const places = PLACES.map((place) => toPlace(place, operation.parameters, types));
  const members = places.filter((each) => each !== undefined);
  const bodies = toBodies(operation, types);
  const base = bodies.length === 1 ? [...members, ...(bodies[0] ?? [])] : members;
  const object = base.length === 0 ? '{}' : `{\n${base.join('\n')}\n}`;
  const choices = bodies.map((each) => `{\n${each.join('\n')}\n}`).join(' | ');
  const text = bodies.length < 2 ? object : `${object} & (${choices})`;
  return `${comment(operation, 'Input')}export type ${name} = ${text};`;
}

export function writeOutput(operation: Operation, name: string, types: SchemaTypes): string {
  return `${comment(operation, 'Output')}export type ${name} = ${toOutput(operation, types)};`;
}

function comment({ method, path }: Operation, what: string): string {
  return toJsDoc([`${what} of \`${method} ${path}\`.`]);
}

function toPlace(
  place: string,
  parameters: readonly ParameterModel[],
  types: SchemaTypes,
): string | undefined {
  const lines = parameters
    .filter(({ parameter }) => parameter.in === place)
    .map(({ parameter, schema, description, deprecated }) => {
      const isThere = parameter.required || parameter.default !== undefined;
      const doc = toJsDoc([description ?? '', deprecated ? '@deprecated' : '']);
      const type = types.toType(schema, 'request');
      return `${doc}${toKey(parameter.name)}${isThere ? '' : '?'}: ${type};`;
    });
  return lines.length === 0 ? undefined : `${place}: {\n${lines.join('\n')}\n};`;
}

/** Members for each form that the body may have; none without a body. */
function toBodies(operation: Operation, types: SchemaTypes): string[][] {
  const { body, passThrough } = operation;
  if (passThrough) return [['body: Readable;']];
  if (body === undefined) return [];
  const [only, second] = body.contents;
  if (only !== undefined && second === undefined) {
    const type = toBody(only, types);
    return [[`body: ${body.required ? type : `${type} | undefined`};`]];
  }
  return [
    ...body.contents.map((content) => [
      `contentType: ${toLiteral(content.mediaType)};`,
      `body: ${toBody(content, types)};`,
    ]),
    ...absent(body),
  ];
}

function absent(body: BodyModel): string[][] {
  return body.required ? [] : [['contentType: undefined;', 'body: undefined;']];
}

function toBody({ kind, schema }: ContentModel, types: SchemaTypes): string {
  switch (kind) {
    case 'json':
    case 'form':
      return types.toType(schema ?? true, 'request');
    case 'text':
      return 'string';
    case 'multipart':
      return 'MultipartStream';
    case 'binary':
      return 'Readable';
  }
}

import { type Names, toKey, toLiteral, toTemplate, toTypeName } from '../names.ts';
import type {
  ContentModel,
  Operation,
  ParameterModel,
  ResponseModel,
} from '../operations/model.ts';
import { type SchemaTypes, toJsDoc } from './schema-types.ts';

const HEADER = 'string | readonly string[]';
const ANY_HEADERS = "HandlerResponse['headers']";
const PLACES = ['path', 'query', 'header', 'cookie'] as const;

export function takeNames({ operationId }: Operation, names: Names) {
  const name = toTypeName(operationId);
  return { input: names.take(`${name}Input`), output: names.take(`${name}Output`) };
}

export function writeInput(operation: Operation, name: string, types: SchemaTypes): string {
  const places = PLACES.map((place) => toPlace(place, operation.parameters, types));
  const members = places.filter((each) => each !== undefined);
  const bodies = toBodyFields(operation, types);
  const base = bodies.length === 1 ? [...members, ...(bodies[0] ?? [])] : members;
  const object = base.length === 0 ? '{}' : `{\n${base.join('\n')}\n}`;
  const choices = bodies.map((each) => `{\n${each.join('\n')}\n}`).join(' | ');
  const text = bodies.length < 2 ? object : `${object} & (${choices})`;
  return `${comment(operation, 'Input')}export type ${name} = ${text};`;
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

function toBodyFields(operation: Operation, types: SchemaTypes): string[][] {
  const { body, passThrough } = operation;
  if (passThrough) return [['body: Readable;']];
  if (body === undefined) return [];
  const [only, second] = body.contents;
  if (only !== undefined && second === undefined) {
    const type = toBodyType(only, types);
    return [[`body: ${body.required ? type : `${type} | undefined`};`]];
  }
  return [
    ...body.contents.map((content) => [
      `contentType: ${toLiteral(content.mediaType)};`,
      `body: ${toBodyType(content, types)};`,
    ]),
    ...(body.required ? [] : [['contentType: undefined;', 'body: undefined;']]),
  ];
}

function toBodyType({ kind, schema }: ContentModel, types: SchemaTypes): string {
  switch (kind) {
    case 'json':
    case 'form':
      return types.toType(schema ?? true, 'request');
    case 'text':
      return 'string';
    case 'binary':
      return 'Readable';
  }
}

export function writeOutput(operation: Operation, name: string, types: SchemaTypes): string {
  return `${comment(operation, 'Output')}export type ${name} = ${toOutput(operation, types)};`;
}

function toOutput(operation: Operation, types: SchemaTypes): string {
  if (operation.passThrough) {
    return `{\nstatus: number;\nheaders?: ${ANY_HEADERS};\ncontentType?: string | undefined;\nbody?: RawBody | undefined;\n}`;
  }
  const statuses = operation.responses.map(({ status }) => status);
  return operation.responses
    .flatMap((response) => {
      const status = `status: ${toStatus(response.status, statuses)};`;
      const needsHeaders = response.headers.some(({ required }) => required);
      const headers = `headers${needsHeaders ? '' : '?'}: ${toHeaders(response)};`;
      return toOutputFields(response, types).map(
        (body) => `{\n${[status, headers, ...body].join('\n')}\n}`,
      );
    })
    .join(' | ');
}

function toStatus(status: string, all: readonly string[]): string {
  if (/^\d+$/.test(status)) return status;
  const isRange = status !== 'default';
  const known = all.filter((each) =>
    isRange ? /^\d+$/.test(each) && each[0] === status[0] : each !== 'default',
  );
  const type = isRange ? `Status${status}` : 'Status';
  const others = known.map((each) => (/^\d+$/.test(each) ? each : `Status${each}`));
  return others.length === 0 ? type : `Exclude<${type}, ${others.join(' | ')}>`;
}

function toHeaders({ headers }: ResponseModel): string {
  if (headers.length === 0) return ANY_HEADERS;
  const lines = headers.map(
    ({ name, description, required }) =>
      `${toJsDoc([description ?? ''])}${toKey(name)}${required ? '' : '?'}: ${HEADER}${required ? '' : ' | undefined'};`,
  );
  return `{\n${lines.join('\n')}\n[name: string]: ${HEADER} | undefined;\n}`;
}

export function writeStatuses(text: string): string[] {
  const ranges = ['1', '2', '3', '4', '5'].map((digit) => `Status${digit}XX`);
  const usesAll = /\bStatus\b/.test(text);
  const used = ranges.filter((name) => usesAll || text.includes(name));
  if (used.length === 0) return [];
  return [
    'type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source of a template literal type
    'type StatusOf<Text extends string> = Text extends `${infer Status extends number}` ? Status : never;',
    ...used.map((name) => {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source of a template literal type
      const digits = '${Digit}${Digit}';
      return `export type ${name} = StatusOf<\`${name.charAt(6)}${digits}\`>;`;
    }),
    ...(usesAll ? [`export type Status = ${used.join(' | ')};`] : []),
  ];
}

function toOutputFields({ contents }: ResponseModel, types: SchemaTypes): string[][] {
  if (contents.length === 0) return [['body?: undefined;']];
  return contents.map((content, index) => {
    const { kind, schema = true } = content;
    const body = `body: ${kind === 'json' ? types.toType(schema, 'response') : 'RawBody'};`;
    if (contents.length === 1 && !isRange(content)) return [body];
    // A range allows any type within it: `text/*` becomes `text/${string}`.
    const type = isRange(content) ? toTemplate(content.mediaType) : toLiteral(content.mediaType);
    return [`contentType${index === 0 ? '?' : ''}: ${type};`, body];
  });
}

function isRange({ mediaType }: ContentModel): boolean {
  return mediaType.includes('*');
}

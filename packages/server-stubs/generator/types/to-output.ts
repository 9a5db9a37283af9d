import { toKey, toLiteral, toTemplate } from '../names.ts';
import type { ContentModel, Operation, ResponseModel } from '../operations/model.ts';
import type { SchemaTypes } from './schema-types.ts';
import { toJsDoc } from './to-comment.ts';

const HEADER = 'string | readonly string[]';

/** Type of what a handler may answer with: a union over the documented responses. */
export function toOutput(operation: Operation, types: SchemaTypes): string {
  if (operation.passThrough) {
    return "{\nstatus: number;\nheaders?: Answer['headers'];\ncontentType?: string | undefined;\nbody?: RawBody | undefined;\n}";
  }
  const statuses = operation.responses.map(({ status }) => status);
  return operation.responses
    .flatMap((response) => {
      const status = `status: ${toStatus(response.status, statuses)};`;
      const needsHeaders = response.headers.some(({ required }) => required);
      const headers = `headers${needsHeaders ? '' : '?'}: ${toHeaders(response)};`;
      return toBodies(response, types).map(
        (body) => `{\n${[status, headers, ...body].join('\n')}\n}`,
      );
    })
    .join(' | ');
}

/** Declarations of the ranges of statuses that a text uses. */
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
  if (headers.length === 0) return "Answer['headers']";
  const lines = headers.map(
    ({ name, description, required }) =>
      `${toJsDoc([description ?? ''])}${toKey(name)}${required ? '' : '?'}: ${HEADER}${required ? '' : ' | undefined'};`,
  );
  return `{\n${lines.join('\n')}\n[name: string]: ${HEADER} | undefined;\n}`;
}

function toBodies({ contents }: ResponseModel, types: SchemaTypes): string[][] {
  if (contents.length === 0) return [['body?: undefined;']];
  return contents.map((content, index) => {
    const body = `body: ${toBody(content, types)};`;
    if (contents.length === 1 && !isRange(content)) return [body];
    // A range takes any type that it holds: `text/*` is `text/${string}`.
    const type = isRange(content) ? toTemplate(content.mediaType) : toLiteral(content.mediaType);
    return [`contentType${index === 0 ? '?' : ''}: ${type};`, body];
  });
}

function isRange({ mediaType }: ContentModel): boolean {
  return mediaType.includes('*');
}

function toBody({ kind, schema }: ContentModel, types: SchemaTypes): string {
  return kind === 'json' ? types.toType(schema ?? true, 'response') : 'RawBody';
}

import { entriesOf, toText } from '../document/json.ts';
import { join, type Pointer } from '../document/pointer.ts';
import type { HeaderModel, ResponseModel } from './model.ts';
import { readContent } from './read-content.ts';
import type { Reader } from './reader.ts';

const ANYTHING: ResponseModel = {
  status: 'default',
  headers: [],
  contents: [{ mediaType: 'application/json', kind: 'json', pointer: '#' }],
};

/** Reads the responses of an operation: statuses first, then ranges, `default` last. */
export function readResponses(value: unknown, pointer: Pointer, reader: Reader): ResponseModel[] {
  const responses = entriesOf(value)
    .filter(([status]) => !status.startsWith('x-'))
    .flatMap(([status, entry]) => readResponse(status, entry, join(pointer, status), reader) ?? []);
  if (responses.length === 0) {
    reader.note(pointer, 'No response is documented: every answer passes, as JSON.');
    return [ANYTHING];
  }
  return responses.sort((a, b) => rank(a.status) - rank(b.status));
}

function readResponse(
  status: string,
  value: unknown,
  pointer: Pointer,
  reader: Reader,
): ResponseModel | undefined {
  const name = status === 'default' ? status : status.toUpperCase();
  if (!/^(?:default|[1-5]XX|[1-5]\d\d)$/.test(name)) {
    reader.refuse(pointer, 'A response is named by its status, a range such as 4XX, or default.');
    return undefined;
  }
  const response = reader.follow(value, pointer);
  if (response === undefined) return undefined;
  const description = toText(response.value.description);
  return {
    status: name,
    headers: readHeaders(response.value.headers, join(response.pointer, 'headers'), reader),
    contents: readContent(response.value.content, join(response.pointer, 'content'), reader),
    ...(description === undefined ? {} : { description }),
  };
}

function readHeaders(value: unknown, pointer: Pointer, reader: Reader): HeaderModel[] {
  return entriesOf(value)
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .flatMap(([name, entry]) => {
      const header = reader.follow(entry, join(pointer, name));
      if (header === undefined) return [];
      const description = toText(header.value.description);
      return [
        {
          name,
          required: header.value.required === true,
          ...(description === undefined ? {} : { description }),
        },
      ];
    });
}

function rank(status: string): number {
  if (status === 'default') return 2;
  return status.endsWith('XX') ? 1 : 0;
}

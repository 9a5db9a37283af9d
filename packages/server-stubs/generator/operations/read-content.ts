import { entriesOf, isObject } from '../document/json.ts';
import { join, type Pointer } from '../document/pointer.ts';
import { checkForm } from './check-form.ts';
import { toContentKind } from './content-kind.ts';
import type { ContentModel } from './model.ts';
import type { Reader } from './reader.ts';
import { valueTypes } from './value-types.ts';

/** Reads a `content` map, media type by media type. */
export function readContent(value: unknown, pointer: Pointer, reader: Reader): ContentModel[] {
  return entriesOf(value).flatMap(([mediaType, entry]) => {
    const media = reader.follow(entry, join(pointer, mediaType));
    if (media === undefined) return [];
    const at = join(media.pointer, 'schema');
    const schema = 'schema' in media.value ? reader.schema(at) : undefined;
    const types = schema === undefined ? [] : [...valueTypes(schema, reader.store)];
    const kind = toContentKind(
      mediaType,
      types.some((type) => type !== 'string'),
    );
    if (kind === 'text' && isObject(schema) && types.includes('object')) {
      reader.note(at, `A body of ${mediaType} is text to a handler, and not held to its schema.`);
    }
    if (kind === 'form' && schema !== undefined) checkForm(media, schema, reader);
    if (kind === 'multipart' && types.includes('object')) {
      reader.note(at, 'A multipart body is a stream to a handler, and not held to its schema.');
    }
    return [{ mediaType, kind, pointer: at, ...(schema === undefined ? {} : { schema }) }];
  });
}

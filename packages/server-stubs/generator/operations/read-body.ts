import { isObject, toList } from '../document/json.ts';
import { join, type Pointer } from '../document/pointer.ts';
import { membersOf, propertiesOf, requiredOf, type Schema } from '../schema/schema.ts';
import type { BodyModel, ContentModel } from './model.ts';
import { readContent } from './read-content.ts';
import type { Reader } from './reader.ts';

const UNWRAP = 'x-berth-unwrap';

/** Reads a request body, or where its `$ref` leads. */
export function readBody(value: unknown, pointer: Pointer, reader: Reader): BodyModel | undefined {
  if (value === undefined) return undefined;
  const body = reader.follow(value, pointer);
  if (body === undefined) return undefined;
  const contents = readContent(body.value.content, join(body.pointer, 'content'), reader);
  if (contents.length === 0) {
    reader.refuse(body.pointer, 'A request body needs content with at least one media type.');
    return undefined;
  }
  const wrappers = new Set(contents.map(({ schema }) => wrapperOf(schema)));
  const [unwrap] = wrappers;
  if (wrappers.size > 1) {
    reader.refuse(body.pointer, `All media types of a body need the same ${UNWRAP}.`);
  }
  const required = body.value.required === true;
  if (unwrap === undefined) return { required, contents };
  const flat = contents.map((each) => toFlat(each, unwrap, reader));
  return { required, contents: flat, unwrap, unwrapFields: fieldsOf(flat, reader) };
}

/** Names of the flat fields, each once. */
function fieldsOf(contents: readonly ContentModel[], { store }: Reader): string[] {
  const names = contents.flatMap(({ schema = true }) => {
    const target = store.resolve(schema);
    return typeof target === 'boolean' ? [] : propertiesOf(target).map(([name]) => name);
  });
  return [...new Set(names)];
}

function wrapperOf(schema: Schema | undefined): string | undefined {
  const name = isObject(schema) ? schema[UNWRAP] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Of the two forms, fields flat or inside a property, validators and handlers know the flat one. */
function toFlat(content: ContentModel, wrapper: string, reader: Reader): ContentModel {
  const choices = isObject(content.schema) ? membersOf(content.schema, 'oneOf') : [];
  const flat = choices.findIndex((each) => !isWrapped(each, wrapper, reader));
  const schema = choices[flat];
  if (
    choices.length !== 2 ||
    schema === undefined ||
    !choices.some((each) => isWrapped(each, wrapper, reader))
  ) {
    reader.refuse(
      content.pointer,
      `${UNWRAP} stands on a oneOf of two: the flat schema, and an object that requires ${JSON.stringify(wrapper)}.`,
    );
    return content;
  }
  return { ...content, schema, pointer: join(content.pointer, 'oneOf', flat) };
}

function isWrapped(schema: Schema, wrapper: string, reader: Reader): boolean {
  const target = reader.store.resolve(schema);
  if (typeof target === 'boolean') return false;
  return (
    toList(requiredOf(target)).includes(wrapper) &&
    propertiesOf(target).every(([name]) => name === wrapper)
  );
}

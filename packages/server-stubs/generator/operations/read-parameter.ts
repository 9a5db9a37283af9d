import type { Parameter, ParameterPlace, ParameterStyle } from '../../src/runtime/route-table.ts';
import { entriesOf, type JsonObject, toText } from '../document/json.ts';
import { join, type Pointer } from '../document/pointer.ts';
import { isJson } from './content-kind.ts';
import type { ParameterModel } from './model.ts';
import { readShape } from './read-shape.ts';
import type { Reader } from './reader.ts';

/** Styles by place, the default first: OpenAPI 3.1.1 §4.8.12.2. */
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Header parameters of these names shall be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

/** Reads one parameter object; `undefined` where it is refused, or ignored as the standard says. */
export function readParameter(
  value: JsonObject,
  pointer: Pointer,
  reader: Reader,
): ParameterModel | undefined {
  const place = value.in;
  const name = value.name;
  if (typeof name !== 'string' || name === '') {
    reader.refuse(pointer, 'A parameter needs a name.');
    return undefined;
  }
  if (typeof place !== 'string' || !(place in STYLES)) {
    reader.refuse(
      join(pointer, 'in'),
      `A parameter in ${JSON.stringify(place)} is not supported. Put it in path, query, header or cookie.`,
    );
    return undefined;
  }
  if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return undefined;
  return toModel(value, name, place as ParameterPlace, pointer, reader);
}

function toModel(
  value: JsonObject,
  name: string,
  place: ParameterPlace,
  pointer: Pointer,
  reader: Reader,
): ParameterModel | undefined {
  const style = (value.style ?? STYLES[place][0]) as ParameterStyle;
  if (!STYLES[place].includes(style)) {
    reader.refuse(
      join(pointer, 'style'),
      `Style ${JSON.stringify(style)} is not for a ${place} parameter. Use ${STYLES[place].join(', ')}.`,
    );
    return undefined;
  }
  const source = readSource(value, pointer, reader);
  if (source === undefined) return undefined;
  const { schema } = source;
  const shape = source.isJson
    ? { shape: 'json' as const, types: [] }
    : readShape(schema, style, source.pointer, reader);
  if (shape === undefined) return undefined;
  const initial = defaultOf(reader, schema);
  const parameter: Parameter = {
    name,
    in: place,
    style,
    explode: typeof value.explode === 'boolean' ? value.explode : style === 'form',
    required: place === 'path' || value.required === true,
    ...shape,
    ...(value['x-berth-greedy'] === true ? { greedy: true } : {}),
    ...(initial === undefined ? {} : { default: initial }),
  };
  const description = toText(value.description);
  return {
    parameter,
    schema,
    pointer: source.pointer,
    deprecated: value.deprecated === true,
    ...(description === undefined ? {} : { description }),
  };
}

function readSource(value: JsonObject, pointer: Pointer, reader: Reader) {
  if ('schema' in value) {
    const at = join(pointer, 'schema');
    return { schema: reader.schema(at), pointer: at, isJson: false };
  }
  const at = join(pointer, 'content');
  const [entry, second] = entriesOf(value.content);
  if (entry === undefined || second !== undefined) {
    reader.refuse(pointer, 'A parameter needs a schema, or content with exactly one media type.');
    return undefined;
  }
  const [mediaType, content] = entry;
  const media = reader.follow(content, join(at, mediaType));
  if (media === undefined) return undefined;
  if (!isJson(mediaType) && mediaType !== 'text/plain') {
    reader.refuse(
      join(at, mediaType),
      `A parameter of type ${mediaType} is not supported. Use application/json, or a schema.`,
    );
    return undefined;
  }
  const schemaAt = join(media.pointer, 'schema');
  return {
    schema: 'schema' in media.value ? reader.schema(schemaAt) : true,
    pointer: schemaAt,
    isJson: isJson(mediaType),
  };
}

function defaultOf(reader: Reader, schema: ReturnType<Reader['schema']>): unknown {
  if (typeof schema === 'boolean') return undefined;
  if ('default' in schema) return schema.default;
  const target = reader.store.resolve(schema);
  return typeof target === 'boolean' ? undefined : target.default;
}

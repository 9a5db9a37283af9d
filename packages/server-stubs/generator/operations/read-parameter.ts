import type { Parameter, ParameterPlace, ParameterStyle } from '../../src/runtime/route-table.ts';
import { entriesOf, Invalid, join, type Located, toText } from '../document.ts';
import type { SchemaStore } from '../schema/schema-store.ts';
import type { ParameterModel } from './model.ts';
import { AS_JSON, isJson, readShape } from './read-shape.ts';

/** Styles by place, the default first: OpenAPI 3.1.1 §4.8.12.2. */
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Header parameters with these names must be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

/** `undefined` if the parameter must be ignored. */
export function readParameter(located: Located, store: SchemaStore): ParameterModel | undefined {
  const { value, pointer } = located;
  const { in: given, name } = value;
  if (typeof name !== 'string' || name === '') {
    throw new Invalid(pointer, 'A parameter needs a name.');
  }
  if (typeof given !== 'string' || !Object.hasOwn(STYLES, given)) {
    throw new Invalid(
      join(pointer, 'in'),
      `Parameters in ${JSON.stringify(given)} are not supported. Use path, query, header or cookie.`,
    );
  }
  const place = given as ParameterPlace;
  if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return undefined;
  const source = readSource(located, store);
  const { schema } = source;
  const style = readStyle(located, place);
  const own = typeof schema === 'boolean' || 'default' in schema ? schema : store.resolve(schema);
  const initial = typeof own === 'boolean' ? undefined : own.default;
  const shape = source.isJson ? AS_JSON : readShape(schema, style, store);
  if (shape === AS_JSON && !source.isJson) {
    store.problems.warn(
      source.pointer,
      'Nothing defines how a parameter contains lists and objects inside of others, so it is read as JSON. Use content with application/json.',
    );
  }
  const parameter: Parameter = {
    name,
    in: place,
    style,
    explode: typeof value.explode === 'boolean' ? value.explode : style === 'form',
    required: place === 'path' || value.required === true,
    ...shape,
    ...(value['x-berth-greedy'] === true && { greedy: true }),
    ...(initial !== undefined && { default: initial }),
  };
  return {
    parameter,
    schema,
    pointer: source.pointer,
    deprecated: value.deprecated === true,
    description: toText(value.description),
  };
}

function readStyle({ value: { style }, pointer }: Located, place: ParameterPlace): ParameterStyle {
  const [initial, ...others] = STYLES[place];
  const known = [initial, ...others].find((each) => each === style);
  if (known === undefined && style !== undefined) {
    throw new Invalid(
      join(pointer, 'style'),
      `Style ${JSON.stringify(style)} is not valid for a ${place} parameter. Use one of ${STYLES[place].join(', ')}.`,
    );
  }
  return known ?? (initial as ParameterStyle);
}

function readSource({ value, pointer }: Located, store: SchemaStore) {
  if ('schema' in value) {
    const at = join(pointer, 'schema');
    return { schema: store.get(at), pointer: at, isJson: false };
  }
  const at = join(pointer, 'content');
  const [entry, second] = entriesOf(value.content);
  if (entry === undefined) {
    throw new Invalid(pointer, 'A parameter needs a schema, or content with one media type.');
  }
  if (second !== undefined) throw new Invalid(at, 'A parameter can have only one media type.');
  const [mediaType, content] = entry;
  const media = store.follow(content, join(at, mediaType));
  const schemaAt = join(media.pointer, 'schema');
  const isKnown = isJson(mediaType) || mediaType === 'text/plain';
  if (!isKnown) {
    store.problems.warn(
      join(at, mediaType),
      `A parameter of type ${mediaType} is read as text. Use application/json, or a schema.`,
    );
  }
  return {
    schema: isKnown && 'schema' in media.value ? store.get(schemaAt) : true,
    pointer: schemaAt,
    isJson: isJson(mediaType),
  };
}

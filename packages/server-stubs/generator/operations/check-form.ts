import { entriesOf, isObject, type JsonObject } from '../document/json.ts';
import { join } from '../document/pointer.ts';
import type { Located } from '../document/references.ts';
import { isSchema, propertiesOf, type Schema } from '../schema/schema.ts';
import type { SchemaStore } from '../schema/schema-store.ts';
import type { Reader } from './reader.ts';
import { sameValue } from './same-value.ts';
import { isScalar, valueTypes } from './value-types.ts';

/** Refuses what a form is not read for: fields other than `name=value`, once for each value. */
export function checkForm(media: Located, schema: Schema, reader: Reader): void {
  for (const [name, field] of sameValue(schema, reader.store).flatMap(propertiesOf)) {
    if (!isNested(field, reader.store)) continue;
    reader.refuse(
      join(media.pointer, 'schema', 'properties', name),
      'A field of a form is a text or a list of texts, no object and no list of lists. Use application/json.',
    );
  }
  for (const [name, encoding] of entriesOf(media.value.encoding)) {
    if (!isObject(encoding) || isPlain(encoding)) continue;
    reader.refuse(
      join(media.pointer, 'encoding', name),
      'A form has a field for each value: style form, exploded, as text.',
    );
  }
}

function isNested(field: Schema, store: SchemaStore): boolean {
  const types = valueTypes(field, store);
  if (types.has('object')) return !types.has('string');
  const items = sameValue(field, store).flatMap(({ items }) => (isSchema(items) ? [items] : []));
  return items.some((each) => !isScalar(valueTypes(each, store)));
}

function isPlain({ style = 'form', explode = true, contentType = 'text/plain' }: JsonObject) {
  return style === 'form' && explode === true && contentType === 'text/plain';
}

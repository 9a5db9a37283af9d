import type { JsonType, RequestSchema } from './request-schema.ts';

/** A place in a request: the request itself, a field, or an item of a list. */
export interface RequestPlace {
  path: readonly (string | number)[];
  /** The one JSON type that the contract allows there. */
  type: JsonType;
  /** Whether it must be there; an item of a list must. */
  required: boolean;
}

/**
 * The places of a request that a schema speaks of, fields that may be there and are not among them.
 *
 * @param request one that the schema allows
 */
export function listRequestPlaces(schema: RequestSchema, request: unknown): RequestPlace[] {
  return walk(schema, request, [], true);
}

function walk(
  { type, required, properties, items }: RequestSchema,
  value: unknown,
  path: RequestPlace['path'],
  isRequired: boolean,
): RequestPlace[] {
  const fields = Object.entries(properties).flatMap(([name, field]) =>
    walk(field, Object(value)[name], [...path, name], required.includes(name)),
  );
  const list = Array.isArray(value) && items ? value : [];
  const entries = list.flatMap((item, index) =>
    walk(items as RequestSchema, item, [...path, index], true),
  );
  return [{ path, type, required: isRequired }, ...fields, ...entries];
}

/** A copy of a request with another value in one place. */
export function replaceAt(request: unknown, path: RequestPlace['path'], value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  const copy = Array.isArray(request) ? [...request] : { ...(request as object) };
  Object.assign(copy, { [head]: replaceAt(Object(request)[head], rest, value) });
  return copy;
}

/** A place in words: `fileList[1].maxAge`, or `the body`. */
export function spellPlace(path: RequestPlace['path']): string {
  const spelled = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return spelled.join('').replace(/^\./, '') || 'the body';
}

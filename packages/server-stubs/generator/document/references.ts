import { isObject, type JsonObject } from './json.ts';
import { type Pointer, toNames, valueAt } from './pointer.ts';
import type { Problems } from './problems.ts';

/** An object of the document and the place where it really stands. */
export interface Located {
  readonly value: JsonObject;
  readonly pointer: Pointer;
}

/**
 * The target of a `$ref`, as a pointer.
 *
 * @returns `undefined`, with a refusal, where it leads out of the document or to nothing
 */
export function toTarget(
  document: unknown,
  ref: unknown,
  pointer: Pointer,
  problems: Problems,
): Pointer | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#')) {
    problems.refuse(
      pointer,
      `$ref ${JSON.stringify(ref)} leads out of the document. Bundle the files into one first: npx @redocly/cli bundle openapi.yaml -o bundled.yaml.`,
    );
    return undefined;
  }
  const target = decode(ref);
  if (target === undefined || (target !== '#' && !target.startsWith('#/'))) {
    problems.refuse(
      pointer,
      `$ref ${JSON.stringify(ref)} is no JSON Pointer. Write it as #/components/….`,
    );
    return undefined;
  }
  if (toNames(target).length > 0 && valueAt(document, target) === undefined) {
    problems.refuse(
      pointer,
      `$ref ${JSON.stringify(ref)} leads to nothing. Correct it, or add its target.`,
    );
    return undefined;
  }
  return target;
}

/** Follows the `$ref`s of an OpenAPI object (not of a schema) to the object itself. */
export function follow(
  document: unknown,
  value: unknown,
  pointer: Pointer,
  problems: Problems,
): Located | undefined {
  const visited = new Set<Pointer>();
  let here: { value: unknown; pointer: Pointer } = { value, pointer };
  while (isObject(here.value) && '$ref' in here.value) {
    const target = toTarget(document, here.value.$ref, here.pointer, problems);
    if (target === undefined) return undefined;
    if (visited.has(target)) {
      problems.refuse(pointer, `$ref ${target} leads back to itself. Give it a value.`);
      return undefined;
    }
    visited.add(target);
    here = { value: valueAt(document, target), pointer: target };
  }
  if (isObject(here.value)) return { value: here.value, pointer: here.pointer };
  problems.refuse(here.pointer, 'An object is expected here.');
  return undefined;
}

/** A reference without percent-encoding; `undefined` where that is broken. */
export function decode(ref: string): string | undefined {
  try {
    return decodeURIComponent(ref);
  } catch {
    return undefined;
  }
}

import { toDataSchema } from '@berth/server-stubs/document';
import type { Problem } from '../../util/source-file.ts';
import { isObject } from '../../util/values.ts';

const EVENT_STREAM = 'text/event-stream';

/**
 * Copies a document so that Prism can read it. The schema of an event stream becomes that of its events'
 * data. References that are broken, or that lead to other files and URLs, become empty objects. Otherwise,
 * Prism would reject the document or load the files.
 */
export function toReadable(document: Record<string, unknown>): {
  readable: Record<string, unknown>;
  warnings: Problem[];
} {
  const warnings: Problem[] = [];
  // A YAML alias is the same object in several places.
  const copies = new Map<object, unknown>();

  const copy = (node: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (!copies.has(node)) copies.set(node, create(node, path));
    return copies.get(node);
  };
  const create = (node: object, path: readonly (string | number)[]): unknown => {
    if (Array.isArray(node)) return node.map((item, at) => copy(item, [...path, at]));
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref === 'string' && !isKnown(document, $ref)) {
      const rest = `points to ${$ref.startsWith('#') ? 'a target that does not exist' : 'a file that cannot be read'}, and is ignored: "${$ref}"`;
      warnings.push({ path: [...path, '$ref'], rest });
      return {};
    }
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => {
        const own = key === EVENT_STREAM && isObject(value) ? toDataSchema(value) : value;
        return [key, copy(own, [...path, key])];
      }),
    );
  };

  const readable = create(document, []) as Record<string, unknown>;
  readable.openapi = String(document.openapi).replace(/^3\.2.*/, '3.1.1');
  return { readable, warnings };
}

/** Returns whether the target of a reference exists in the document. Anchors are not looked up. */
function isKnown(document: unknown, ref: string): boolean {
  if (!ref.startsWith('#')) return false;
  if (!ref.startsWith('#/')) return true;
  let value = document;
  for (const step of ref.slice(2).split('/')) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return true;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

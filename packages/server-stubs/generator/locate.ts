import { relative } from 'node:path';
import {
  type BaseResolver,
  type Document,
  getLineColLocation,
  type LocationObject,
  parseYaml,
  type Source,
} from '@redocly/openapi-core';
import { entriesOf, isObject, join, type Locate, type Pointer, valueAt } from './document.ts';

/** Part of a file, before it was bundled into the document. */
interface Origin {
  readonly source: Source;
  readonly pointer: Pointer;
}

/** Finds the place of a pointer, or of the closest part around it that is in a file. */
export async function createLocate(root: Document, resolver: BaseResolver): Promise<Locate> {
  const bundled = root.parsed;
  const documents = (await Promise.all(resolver.cache.values())) as Document[];
  const sources = new Map([root, ...documents].map(({ source }) => [source.absoluteRef, source]));
  if (sources.size === 1) {
    return (pointer) => toPlace({ source: root.source, pointer, reportOnKey: true });
  }

  const parsed = new Map<Source, unknown>();
  const origins = new Map<Pointer, Origin>();
  return (pointer) => {
    // Only documents with problems pay for it.
    if (origins.size === 0) {
      for (const source of sources.values()) parsed.set(source, parseYaml(source.body));
      collect('#', { source: root.source, pointer: '#' });
    }
    let around = pointer;
    while (!origins.has(around)) around = around.slice(0, around.lastIndexOf('/'));
    const origin = origins.get(around) as Origin;
    const at = origin.pointer + pointer.slice(around.length);
    return toPlace({ source: origin.source, pointer: at, reportOnKey: true });
  };

  /** Compares the document with its files. A reference to a file has become a component, or its target. */
  function collect(pointer: Pointer, origin: Origin): void {
    if (origins.has(pointer)) return;
    origins.set(pointer, origin);
    compare(pointer, valueAt(bundled, pointer), origin);
  }

  function compare(pointer: Pointer, value: unknown, origin: Origin): void {
    const original = valueAt(parsed.get(origin.source), origin.pointer);
    if (isObject(original) && typeof original.$ref === 'string') {
      const target = toTarget(original.$ref, origin.source);
      const { $ref } = isObject(value) ? value : {};
      if (target !== undefined) collect(typeof $ref === 'string' ? $ref : pointer, target);
      return;
    }
    for (const [key, each] of Array.isArray(value) ? value.entries() : entriesOf(value)) {
      compare(join(pointer, key), each, { ...origin, pointer: join(origin.pointer, key) });
    }
  }

  function toTarget(reference: string, from: Source): Origin | undefined {
    const [file = '', fragment = ''] = reference.split('#');
    const path =
      file === '' ? from.absoluteRef : resolver.resolveExternalRef(from.absoluteRef, file);
    const source = sources.get(path);
    return source && { source, pointer: `#${fragment.replace(/\/$/, '')}` };
  }
}

export function toPlace(location: LocationObject): string {
  const { start } = getLineColLocation(location);
  return `${toFile(location.source)}:${start.line}:${start.col}`;
}

/** As users would write it. */
export function toFile({ absoluteRef }: Source): string {
  const path = relative(process.cwd(), absoluteRef);
  return path.startsWith('..') ? absoluteRef : path;
}

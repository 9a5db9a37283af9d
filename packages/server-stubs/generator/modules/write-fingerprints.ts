import { createHash } from 'node:crypto';
import type { Model } from '../operations/model.ts';
import type { SchemaTypes } from '../types/schema-types.ts';
import type { OperationTypes } from './write-types.ts';

/** Hashes of everything that a handler depends on. If one changes, the handler may no longer compile. */
export interface Fingerprint {
  readonly input: string;
  readonly output: string;
  readonly security: string;
}

export interface Fingerprints {
  readonly sha256: string;
  readonly operations: Readonly<Record<string, Fingerprint>>;
}

export function writeFingerprints(
  model: Model,
  operations: readonly OperationTypes[],
  types: SchemaTypes,
): Fingerprints {
  return {
    sha256: model.sha256,
    operations: Object.fromEntries(
      model.operations.map(({ operationId, security }, index) => [
        operationId,
        {
          input: hash(withReferences(operations[index]?.inputText ?? '', types)),
          output: hash(withReferences(operations[index]?.outputText ?? '', types)),
          security: hash(JSON.stringify(security)),
        },
      ]),
    ),
  };
}

function withReferences(text: string, types: SchemaTypes): string {
  const reached = new Map<string, string>();
  const waiting = [text];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [name] of withoutComments(next).matchAll(/\b\p{Lu}[\p{ID_Continue}]*/gu)) {
      const declaration = types.declarations.get(name);
      if (declaration === undefined || reached.has(name)) continue;
      reached.set(name, withoutComments(declaration));
      waiting.push(declaration);
    }
  }
  return [withoutComments(text), ...[...reached.values()].sort()].join('\n');
}

function withoutComments(text: string): string {
  return text.replace(/\/\*\*[\s\S]*?\*\/\n/g, '');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

import type { SecurityScheme } from '../../src/runtime/route-table.ts';
import { entriesOf, isObject, toList } from '../document/json.ts';
import { join, type Pointer } from '../document/pointer.ts';
import type { Reader } from './reader.ts';

const SCHEMES = '#/components/securitySchemes';

/** Reads all security schemes of the components. */
export function readSecuritySchemes(
  value: unknown,
  reader: Reader,
): Readonly<Record<string, SecurityScheme>> {
  const schemes = entriesOf(value).flatMap(([name, entry]) => {
    const scheme = reader.follow(entry, join(SCHEMES, name));
    const read = scheme && toScheme(scheme.value);
    if (read !== undefined) return [[name, read] as const];
    reader.refuse(join(SCHEMES, name), 'The type of this security scheme is not supported.');
    return [];
  });
  return Object.fromEntries(schemes);
}

/** Reads the alternatives of an operation or of the document. */
export function readSecurity(
  value: unknown,
  pointer: Pointer,
  schemes: Readonly<Record<string, SecurityScheme>>,
  reader: Reader,
): string[][] {
  return toList(value).map((alternative, index) => {
    const names = isObject(alternative) ? Object.keys(alternative) : [];
    for (const name of names.filter((each) => !Object.hasOwn(schemes, each))) {
      reader.refuse(
        join(pointer, index, name),
        `There is no security scheme ${JSON.stringify(name)}. Add it to components.securitySchemes.`,
      );
    }
    return names;
  });
}

/** The scopes that each alternative asks for, by scheme; schemes without any are left out. */
export function readScopes(value: unknown): Record<string, string[]>[] {
  return toList(value).map((alternative) => {
    const entries = entriesOf(alternative).map(([name, scopes]): [string, string[]] => [
      name,
      toList(scopes).filter((scope) => typeof scope === 'string'),
    ]);
    return Object.fromEntries(entries.filter(([, scopes]) => scopes.length > 0));
  });
}

function toScheme(value: Record<string, unknown>): SecurityScheme | undefined {
  const { type, scheme, in: place, name } = value;
  switch (type) {
    case 'http':
      return typeof scheme === 'string' ? { type, scheme: scheme.toLowerCase() } : undefined;
    case 'apiKey':
      if (typeof name !== 'string') return undefined;
      if (place === 'header') return { type, in: place, name: name.toLowerCase() };
      return place === 'query' || place === 'cookie' ? { type, in: place, name } : undefined;
    case 'oauth2':
    case 'openIdConnect':
    case 'mutualTLS':
      return { type };
    default:
      return undefined;
  }
}

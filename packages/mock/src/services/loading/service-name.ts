import services from '../schema/services.schema.json' with { type: 'json' };

/** The contract's pattern of the names of hosted services, as editors are told it. */
const PATTERN = new RegExp(services.propertyNames.pattern);

/** What is wrong with the name of a service, as the rest of a sentence; undefined for a good one. */
export function findNameFault(name: string): string | undefined {
  return PATTERN.test(name)
    ? undefined
    : 'is no name of a service: it begins with a letter, ends with a letter or digit, and has 2 to 60 letters, digits, _ and -.';
}

import { SETTINGS } from '../src/cli/settings.ts';

/** The JSON Schema of the file for `berth --config`, used by editors to complete and check it. */
export function toConfigSchema(): object {
  const properties = Object.entries(SETTINGS).map(([name, [variable, meaning]]) => [
    name,
    { description: `${meaning} (${variable})`, type: 'string', minLength: 1 },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of the berth command line',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
  };
}

import { SETTINGS } from '../src/cli/settings.ts';

/** Creates the JSON Schema of the `berth --config` file, which editors use for completion and validation. */
export function toConfigSchema(): object {
  const properties = Object.entries(SETTINGS).map(([name, [variable, meaning]]) => [
    name,
    { description: `${meaning} (${variable})`, type: 'string', minLength: 1 },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of the berth CLI',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
  };
}

import { OPTION_NAMES, OPTIONS, type OptionSpec } from '../src/cli/options.ts';

const STRINGS = { type: 'string', minLength: 1 };

/** Generates the JSON Schema of the `--config` file from the options. */
export function toConfigSchema(): object {
  const settings = OPTION_NAMES.filter((name) => !OPTIONS[name].isCommand);
  const properties = settings.map((name) => [name, toProperty(OPTIONS[name])]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of berth-conformance',
    description:
      'Command-line options in camelCase. Paths are relative to the folder of this file.',
    type: 'object',
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
  };
}

function toProperty({ kind, about, choices, range, usual }: OptionSpec): object {
  const description = usual === undefined ? about : `${about} (default: ${usual})`;
  switch (kind) {
    case 'flag':
      return { description, type: 'boolean' };
    case 'whole':
      return {
        description,
        type: 'integer',
        ...(range && { minimum: range.least, maximum: range.most }),
      };
    case 'list':
      return { description, anyOf: [{ type: 'array', items: STRINGS }, STRINGS] };
    case 'text':
      return { description, ...(choices ? { enum: choices } : STRINGS) };
  }
}

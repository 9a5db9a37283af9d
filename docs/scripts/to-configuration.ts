import server from '@berth/server/config.schema.json' with { type: 'json' };
import { toTable } from '../../spec/generate/pages.ts';
import type { Any } from '../../spec/generate/read.ts';

const HEAD = ['Setting', 'Type', 'Default', 'Effect'];

/** The page `docs/reference/configuration.md`: every setting of the server, from its schema. */
export function toConfiguration(): string {
  return `# Configuration

This page lists all settings in the server's configuration file. It is generated from the JSON Schema that the
package exports. \`<name>\` is a name of your choice, and \`[]\` is a list entry. The mock and the conformance suite
have no configuration file.

Run \`berth-server --config berth.yaml\`. For editor support, start the file with this line:
\`# yaml-language-server: $schema=./node_modules/@berth/server/generated/config.schema.gen.json\`

${toTable(HEAD, toRows(server, ''))}`;
}

function toRows(schema: Any, path: string): string[][] {
  const properties = Object.entries<Any>(schema.properties ?? {});
  return properties
    .filter(([name]) => name !== '$schema')
    .flatMap(([name, child]) => toSetting(child, path ? `${path}.${name}` : name));
}

/** The rows of a setting, and of those in it. One with several forms has one row with all types. */
function toSetting(schema: Any, path: string): string[][] {
  const nested = [schema, ...toForms(schema)].flatMap((form) => [
    ...toRows(form, path),
    ...(form.items ? toRows(form.items, `${path}[]`) : []),
    ...(form.additionalProperties ? toSetting(form.additionalProperties, `${path}.<name>`) : []),
  ]);
  const own = [`\`${path}\``, toType(schema), toDefault(schema), schema.description ?? ''];
  const rows = nested.length > 0 && !schema.description ? nested : [own, ...nested];
  return [...Map.groupBy(rows, ([place]) => place).values()].map((forms) => {
    const [[place, , preset, effect]] = forms as [string[]];
    const types = new Set(forms.map(([, type]) => type));
    return [place, [...types].join(' or '), preset, effect] as string[];
  });
}

/** Without references to environment variables, which every setting accepts. */
function toForms({ anyOf, oneOf }: Any): Any[] {
  const forms: Any[] = anyOf ?? oneOf ?? [];
  return forms.filter(({ pattern }) => pattern !== '\\$\\{\\w+\\}');
}

function toType(schema: Any): string {
  const forms = toForms(schema);
  if (forms.length > 0) return [...new Set(forms.map(toType))].join(' or ');
  const { type = 'any', minimum, maximum } = schema;
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return schema.enum.map((value: unknown) => `\`${value}\``).join(', ');
  if (schema.items) return `list of ${toType(schema.items)}`;
  const hasRange = minimum !== undefined && (maximum ?? Infinity) < Number.MAX_SAFE_INTEGER;
  return [type].flat().join(' or ') + (hasRange ? `, ${minimum} to ${maximum}` : '');
}

function toDefault({ default: value }: Any): string {
  if (value === undefined || (typeof value === 'object' && !Array.isArray(value))) return '';
  return `\`${JSON.stringify(value)}\``;
}

import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import ruleSet from '@berth/spec/rules.json' with { type: 'json' };
import { toTable } from './to-table.ts';

/** The page `docs/reference/limits.md`: every value that the contract leaves open. */
export function toLimits(): string {
  const rows = Object.entries(defaults.limits).map(
    ([name, { value, unit, decision, description }]) => [
      `\`${name}\``,
      `${value.toLocaleString('en-US')} ${unit}${toMebibytes(value, unit)}`,
      description,
      `[${decision}](../decisions/${ruleSet.decisions[decision as keyof typeof ruleSet.decisions]})`,
    ],
  );
  return `# Limits

The contract names no limit where a deployment may choose. These are the values of this project: of mock,
server and stubs, and what the client expects. The server takes others under \`limits\` of its
[configuration](configuration.md).

${toTable(['Limit', 'Value', 'What it bounds', 'Decision'], rows)}`;
}

function toMebibytes(value: number, unit: string): string {
  if (unit !== 'bytes' || value < 1024 * 1024) return '';
  const mebibytes = value / 1024 / 1024;
  return mebibytes < 1024 ? ` (${mebibytes} MiB)` : ` (${mebibytes / 1024} GiB)`;
}

import { connection } from './connection.ts';
import { credentials } from './credentials.ts';
import type { OptionSpec } from './option-spec.ts';
import { commands, output } from './output.ts';
import { selection } from './selection.ts';
import { targets } from './targets.ts';

/** The options under the headings of the help. */
export const GROUPS = {
  'Targets:': targets,
  'Credentials:': credentials,
  'Selection:': selection,
  'Connections:': connection,
  'Reports:': output,
  'Other:': commands,
} as const;

const all = { ...targets, ...credentials, ...selection, ...connection, ...output, ...commands };

export type OptionName = keyof typeof all;
export const OPTIONS: Record<OptionName, OptionSpec> = all;
export const OPTION_NAMES = Object.keys(all) as OptionName[];

type ValueOf<Kind> = Kind extends 'flag'
  ? boolean
  : Kind extends 'whole'
    ? number
    : Kind extends 'list'
      ? string[]
      : string;

/** The options that were given, wherever. */
export type Given = { [Name in OptionName]?: ValueOf<(typeof all)[Name]['kind']> };

/** `gatewayUrl` as `--gateway-url`. */
export function toFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `gatewayUrl` as `BERTH_GATEWAY_URL`. */
export function toVariable(name: string): string {
  return `BERTH_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

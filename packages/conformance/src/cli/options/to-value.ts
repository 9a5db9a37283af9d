import { StartError } from '../../start-error.ts';
import type { OptionSpec } from './option-spec.ts';

/**
 * The value of an option, from wherever it was given.
 *
 * @param raw text of the command line or the environment, or a value of the configuration file
 * @param label how the user knows the option: `--timeout`, `BERTH_TIMEOUT`, `timeout in FILE`
 * @throws StartError that names the option, never its value, which may be a credential
 */
export function toValue(
  spec: OptionSpec,
  raw: unknown,
  label: string,
): string | number | boolean | string[] {
  switch (spec.kind) {
    case 'flag':
      return toFlagValue(raw, label);
    case 'whole':
      return toWhole(spec, raw, label);
    case 'list':
      return toList(spec, raw, label);
    case 'text':
      return toText(spec, raw, label);
  }
}

function toFlagValue(raw: unknown, label: string): boolean {
  if (typeof raw === 'boolean') return raw;
  if (raw === 'true' || raw === '1') return true;
  if (raw === 'false' || raw === '0') return false;
  throw new StartError(`${label} must be true or false.`);
}

function toWhole({ range }: OptionSpec, raw: unknown, label: string): number {
  const value = typeof raw === 'string' && /^-?\d+$/.test(raw) ? Number(raw) : raw;
  const isInside = (whole: number) =>
    range === undefined || (whole >= range.least && whole <= range.most);
  if (typeof value === 'number' && Number.isSafeInteger(value) && isInside(value)) return value;
  const which = range ? ` of ${range.unit} from ${range.least} to ${range.most}` : '';
  throw new StartError(`${label} must be a whole number${which}.`);
}

function toList({ separator }: OptionSpec, raw: unknown, label: string): string[] {
  const items = typeof raw === 'string' ? raw.split(/\r?\n/) : raw;
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) {
    throw new StartError(`${label} must be a list of texts.`);
  }
  const parts = separator ? items.flatMap((item: string) => item.split(separator)) : items;
  return parts.map((part: string) => part.trim()).filter((part) => part !== '');
}

function toText({ choices }: OptionSpec, raw: unknown, label: string): string {
  if (typeof raw !== 'string') throw new StartError(`${label} must be a text.`);
  if (raw === '') throw new StartError(`${label} must not be empty.`);
  if (choices && !choices.includes(raw)) {
    throw new StartError(`${label} must be ${choices.join(' or ')}.`);
  }
  return raw;
}

import { type Given, OPTION_NAMES, OPTIONS, toVariable } from './options.ts';
import { toValue } from './to-value.ts';

/**
 * The options that `BERTH_*` variables set. An empty variable sets nothing.
 *
 * @throws StartError that names the variable
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Given {
  const given = OPTION_NAMES.flatMap((name) => {
    const variable = toVariable(name);
    const raw = env[variable];
    return raw ? [[name, toValue(OPTIONS[name], raw, variable)] as const] : [];
  });
  return Object.fromEntries(given);
}

import type { Settings } from '../options.ts';

/** The deviations from the contract that the operator has declared, as options. */
export function toDeclared({
  envelope,
  copyPath,
  maxAgeUnit,
}: Pick<Settings, 'envelope' | 'copyPath' | 'maxAgeUnit'>): string[] {
  return [
    ...(envelope === 'wrapped' ? [] : [`--envelope ${envelope}`]),
    ...(copyPath === 'absolute' ? [] : [`--copy-path ${copyPath}`]),
    ...(maxAgeUnit === 's' ? [] : [`--max-age-unit ${maxAgeUnit}`]),
  ];
}

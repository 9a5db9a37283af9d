import { GREEDY_PARAMETERS } from '../generated/contract.gen.ts';
import { toSegment } from './to-segment.ts';

/**
 * Fills the parameters of a path template. An ordinary parameter is percent-encoded; a greedy one
 * (`x-berth-greedy`) is one or more segments, perhaps with a query, and stays exactly as it is.
 *
 * @throws TypeError where a parameter is missing, or where `fetch` would send other bytes than given
 */
export function toPath(template: string, params: Record<string, unknown>): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const isGreedy = (GREEDY_PARAMETERS as readonly string[]).includes(name);
    return toSegment(name, params[name], isGreedy);
  });
}

import { ENGINES, type Engine, type Result } from '../result.ts';

const AREAS: Record<string, string> = {
  GW: 'Gateway',
  AU: 'Authentication',
  ST: 'Storage API',
  UP: 'Upload target',
  VR: 'Versions',
};

const ENGINE_TITLES: Record<Engine, string> = {
  rules: 'Rules',
  dredd: 'Documented answers (Dredd)',
  respect: 'Workflows (Respect)',
};

/** Results that belong together. */
export interface Group {
  title: string;
  results: Result[];
}

/** Rules by the part of the contract that they are about, then transactions, then workflows. */
export function toGroups(results: readonly Result[]): Group[] {
  const titleOf = ({ engine, id }: Result) =>
    engine === 'rules' ? (AREAS[id.slice(0, 2)] ?? ENGINE_TITLES.rules) : ENGINE_TITLES[engine];
  const titles = [...Object.values(AREAS), ...ENGINES.map((engine) => ENGINE_TITLES[engine])];
  return titles
    .map((title) => ({ title, results: results.filter((result) => titleOf(result) === title) }))
    .filter((group) => group.results.length > 0);
}
